/* Processes: creating them, waiting for them, limits, scheduling. */
#include "engine/syscalls/decode/types.h"

#include <string.h>
#include <sys/wait.h>

#define VALUE (d->e->args[arg])

enum { SIGNAL_MASK = 0xff }; /* CSIGNAL: the signal at the child's end */

static void emit_clone_flags(struct decoder *d, const struct constants *table, uint64_t flags,
                             uint64_t signal)
{
    if (flags || !signal)
        emit_flags(d, table, flags);
    if (signal) {
        emit(d, flags ? "|" : "");
        emit_signal(d, (int64_t)signal);
    }
}

void write_clone_flags(struct decoder *d, unsigned arg)
{
    emit_clone_flags(d, &constants_clone_flags, VALUE & ~(uint64_t)SIGNAL_MASK & UINT32_MAX,
                     VALUE & SIGNAL_MASK);
}

/* struct clone_args, linux/sched.h: flags, pidfd, child_tid, parent_tid, exit_signal, stack,
 * stack_size, tls, set_tid, set_tid_size, cgroup; the kernel takes 64 bytes, 80 or 88. */
void write_clone_args(struct decoder *d, unsigned arg)
{
    enum {
        FLAGS,
        PIDFD,
        CHILD,
        PARENT,
        SIGNAL,
        STACK,
        STACK_SIZE,
        TLS,
        SET_TID,
        SET_TIDS,
        CGROUP,
        ALL
    };
    uint64_t a[ALL] = {0}, size = other(d, arg);
    int32_t number;
    if (size < 64 || !take(d, AT_ENTRY, VALUE, a, size > sizeof a ? sizeof a : size)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{flags=");
    emit_flags(d, &constants_clone3_flags, a[FLAGS]);
    if (a[FLAGS] & 0x1000) /* CLONE_PIDFD */
        emit(d, ", pidfd=%#llx", (unsigned long long)a[PIDFD]);
    if (a[FLAGS] & 0x01200000) { /* CLONE_CHILD_SETTID, CLONE_CHILD_CLEARTID */
        emit_text(d, ", child_tid=");
        emit_address(d, a[CHILD]);
    }
    if (a[FLAGS] & 0x00100000) { /* CLONE_PARENT_SETTID */
        emit_text(d, ", parent_tid=");
        emit_address(d, a[PARENT]);
    }
    emit_text(d, ", exit_signal=");
    emit_signal(d, (int64_t)a[SIGNAL]);
    emit_text(d, ", stack=");
    emit_address(d, a[STACK]);
    emit(d, ", stack_size=%#llx", (unsigned long long)a[STACK_SIZE]);
    if (a[FLAGS] & 0x00080000) { /* CLONE_SETTLS */
        emit_text(d, ", tls=");
        emit_address(d, a[TLS]);
    }
    if (a[SET_TIDS])
        emit(d, ", set_tid=%#llx, set_tid_size=%llu", (unsigned long long)a[SET_TID],
             (unsigned long long)a[SET_TIDS]);
    if (a[FLAGS] & 0x200000000) /* CLONE_INTO_CGROUP */
        emit(d, ", cgroup=%llu", (unsigned long long)a[CGROUP]);
    emit_text(d, "}");
    if (!has_result(d))
        return;
    if (a[FLAGS] & 0x1000 && take(d, AT_RETURN, a[PIDFD], &number, sizeof number))
        emit(d, " => {pidfd=[%d]", number);
    if (a[FLAGS] & 0x00100000 && take(d, AT_RETURN, a[PARENT], &number, sizeof number))
        emit(d, "%s[%d]", a[FLAGS] & 0x1000 ? ", parent_tid=" : " => {parent_tid=", number);
    if (a[FLAGS] & 0x00101000)
        emit_text(d, "}");
}

static void emit_wait_status(struct decoder *d, int status)
{
    if (WIFEXITED(status)) {
        emit(d, "{WIFEXITED(s) && WEXITSTATUS(s) == %d}", WEXITSTATUS(status));
    } else if (WIFSTOPPED(status)) {
        emit_text(d, "{WIFSTOPPED(s) && WSTOPSIG(s) == ");
        emit_signal(d, WSTOPSIG(status) & 0x7f);
        emit(d, WSTOPSIG(status) & 0x80 ? " | 0x80}" : "}");
    } else if (WIFCONTINUED(status)) {
        emit_text(d, "{WIFCONTINUED(s)}");
    } else {
        emit_text(d, "{WIFSIGNALED(s) && WTERMSIG(s) == ");
        emit_signal(d, WTERMSIG(status));
        emit(d, WCOREDUMP(status) ? " && WCOREDUMP(s)}" : "}");
    }
}

/* The kernel writes it only if a child was found. */
void write_wait_status_out(struct decoder *d, unsigned arg)
{
    int32_t status;
    if (!has_result(d) || !d->e->result || !take(d, AT_RETURN, VALUE, &status, sizeof status)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "[");
    emit_wait_status(d, status);
    emit_text(d, "]");
}

void write_waitid_which(struct decoder *d, unsigned arg)
{
    emit_constant(d, &constants_waitid_which, (uint32_t)VALUE);
}

/* struct rusage: two times of two longs, then 14 longs that are not shown. */
void write_rusage_out(struct decoder *d, unsigned arg)
{
    int64_t t[4];
    bool waits = d->call->nargs > 2; /* wait4, waitid: the kernel writes nothing without a child */
    if (!has_result(d) || (waits && !d->e->result && d->call->nargs == 4) ||
        !take_longs(d, AT_RETURN, VALUE, t, 4)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{ru_utime=");
    emit_time(d, t[0], t[1], "usec");
    emit_text(d, ", ru_stime=");
    emit_time(d, t[2], t[3], "usec");
    emit_text(d, ", ...}");
}

static void emit_limit(struct decoder *d, uint64_t limit, const char *infinity)
{
    if (limit == UINT64_MAX)
        emit(d, "%s", infinity);
    else if (limit > 1024 && limit % 1024 == 0)
        emit(d, "%llu*1024", (unsigned long long)(limit / 1024));
    else
        emit_unsigned(d, limit);
}

static void emit_limits(struct decoder *d, const uint64_t limits[2], const char *infinity)
{
    emit_text(d, "{rlim_cur=");
    emit_limit(d, limits[0], infinity);
    emit_text(d, ", rlim_max=");
    emit_limit(d, limits[1], infinity);
    emit_text(d, "}");
}

static void emit_rlimit(struct decoder *d, bool when, uint64_t address)
{
    int64_t limits[2];
    if (take_longs(d, when, address, limits, 2))
        emit_limits(d, (const uint64_t *)limits,
                    long_size(d) == 8 ? "RLIM64_INFINITY" : "RLIM_INFINITY");
    else
        emit_address(d, address);
}

static void emit_rlimit64(struct decoder *d, bool when, uint64_t address)
{
    uint64_t limits[2];
    if (take(d, when, address, limits, sizeof limits))
        emit_limits(d, limits, "RLIM64_INFINITY");
    else
        emit_address(d, address);
}

void write_rlimit(struct decoder *d, unsigned arg)
{
    emit_rlimit(d, AT_ENTRY, VALUE);
}

void write_rlimit_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_rlimit(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

void write_rlimit64(struct decoder *d, unsigned arg)
{
    emit_rlimit64(d, AT_ENTRY, VALUE);
}

void write_rlimit64_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_rlimit64(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

/* Six names of 65 bytes. The last three are not shown. */
void write_utsname_out(struct decoder *d, unsigned arg)
{
    enum { NAME = 65, NAMES = 6 };
    uint8_t raw[NAME * NAMES];
    if (!has_result(d) || !take(d, AT_RETURN, VALUE, raw, sizeof raw)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{sysname=");
    emit_quoted(d, raw, strnlen((char *)raw, NAME), false);
    emit_text(d, ", nodename=");
    emit_quoted(d, raw + NAME, strnlen((char *)raw + NAME, NAME), false);
    emit_text(d, ", ...}");
}

/* struct sysinfo of 64-bit ABIs, linux/sysinfo.h. */
void write_sysinfo_out(struct decoder *d, unsigned arg)
{
    struct {
        int64_t uptime;
        uint64_t loads[3], ram, free_ram, shared, buffer, swap, free_swap;
        uint16_t procs, pad;
        uint64_t high, free_high;
        uint32_t unit;
    } s;
    if (!has_result(d) || long_size(d) != 8 || !take(d, AT_RETURN, VALUE, &s, sizeof s)) {
        emit_address(d, VALUE);
        return;
    }
    emit(d, "{uptime=%lld, loads=[%llu, %llu, %llu], totalram=%llu, freeram=%llu, sharedram=%llu",
         (long long)s.uptime, (unsigned long long)s.loads[0], (unsigned long long)s.loads[1],
         (unsigned long long)s.loads[2], (unsigned long long)s.ram, (unsigned long long)s.free_ram,
         (unsigned long long)s.shared);
    emit(
        d,
        ", bufferram=%llu, totalswap=%llu, freeswap=%llu, procs=%u, totalhigh=%llu, freehigh=%llu, "
        "mem_unit=%u}",
        (unsigned long long)s.buffer, (unsigned long long)s.swap, (unsigned long long)s.free_swap,
        s.procs, (unsigned long long)s.high, (unsigned long long)s.free_high, s.unit);
}

static void emit_sched_param(struct decoder *d, bool when, uint64_t address)
{
    int32_t priority;
    if (take(d, when, address, &priority, sizeof priority))
        emit(d, "[%d]", priority);
    else
        emit_address(d, address);
}

void write_sched_param(struct decoder *d, unsigned arg)
{
    emit_sched_param(d, AT_ENTRY, VALUE);
}

void write_sched_param_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_sched_param(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

/* struct sched_attr, linux/sched/types.h; its first version had 48 bytes. */
static void emit_sched_attr(struct decoder *d, bool when, uint64_t address)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
        uint32_t clamp_min, clamp_max;
    } a;
    _Static_assert(sizeof a == 56, "the kernel's size");
    memset(&a, 0, sizeof a);
    if (!take(d, when, address, &a, 48)) {
        emit_address(d, address);
        return;
    }
    bool clamps = a.size >= 56 && take(d, when, address + 48, &a.clamp_min, 8);
    emit(d, "{size=%u, sched_policy=", a.size);
    emit_constant(d, &constants_sched_policy, a.policy);
    emit_text(d, ", sched_flags=");
    emit_flags(d, &constants_sched_flags, a.flags);
    emit(d,
         ", sched_nice=%d, sched_priority=%u, sched_runtime=%llu, sched_deadline=%llu, "
         "sched_period=%llu",
         a.nice, a.priority, (unsigned long long)a.runtime, (unsigned long long)a.deadline,
         (unsigned long long)a.period);
    if (clamps)
        emit(d, ", sched_util_min=%u, sched_util_max=%u", a.clamp_min, a.clamp_max);
    emit_text(d, "}");
}

void write_sched_attr(struct decoder *d, unsigned arg)
{
    emit_sched_attr(d, AT_ENTRY, VALUE);
}

void write_sched_attr_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_sched_attr(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

static void emit_cpus(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    uint8_t set[1024];
    const char *between = "";
    size_t kept = n > sizeof set ? sizeof set : n;
    if (!kept || !take(d, when, address, set, kept)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    for (size_t cpu = 0; cpu < kept * 8; cpu++)
        if (set[cpu / 8] >> cpu % 8 & 1) {
            emit(d, "%s%zu", between, cpu);
            between = " ";
        }
    emit_text(d, "]");
}

void write_cpuset(struct decoder *d, unsigned arg)
{
    emit_cpus(d, AT_ENTRY, VALUE, other(d, arg));
}

void write_cpuset_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_cpus(d, AT_RETURN, VALUE, (uint64_t)d->e->result);
    else
        emit_address(d, VALUE);
}

/* struct perf_event_attr, linux/perf_event.h: only what is measured is shown. */
void write_perf_attr(struct decoder *d, unsigned arg)
{
    struct {
        uint32_t type, size;
        uint64_t config, period;
    } a;
    if (!take(d, AT_ENTRY, VALUE, &a, sizeof a)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{type=");
    emit_constant(d, &constants_perf_types, a.type);
    emit(d, ", size=%#x, config=%#llx, sample_period=%llu, ...}", a.size,
         (unsigned long long)a.config, (unsigned long long)a.period);
}
