/* Times, timers, clocks. */
#include "engine/syscalls/decode/types.h"

#include <errno.h>

#define VALUE (d->e->args[arg])

/* Special values of tv_nsec for utimensat. Source: linux/stat.h of the kernel. */
enum { NOW = 0x3fffffff, OMIT = 0x3ffffffe };

static bool is_time_wanted(const struct decoder *d, bool when)
{
    return when == AT_ENTRY || has_result(d);
}

static void emit_clock_time(struct decoder *d, bool when, uint64_t address, const char *part)
{
    int64_t t[2];
    if (is_time_wanted(d, when) && take_longs(d, when, address, t, 2))
        emit_time(d, t[0], t[1], part);
    else
        emit_address(d, address);
}

void emit_timespec(struct decoder *d, bool when, uint64_t address)
{
    emit_clock_time(d, when, address, "nsec");
}

void emit_timeval(struct decoder *d, bool when, uint64_t address)
{
    emit_clock_time(d, when, address, "usec");
}

void write_timespec(struct decoder *d, unsigned arg)
{
    emit_timespec(d, AT_ENTRY, VALUE);
}

void write_timespec_out(struct decoder *d, unsigned arg)
{
    emit_timespec(d, AT_RETURN, VALUE);
}

static void emit_timespec64(struct decoder *d, bool when, uint64_t address)
{
    int64_t t[2];
    if (is_time_wanted(d, when) && take(d, when, address, t, sizeof t))
        emit_time(d, t[0], t[1], "nsec");
    else
        emit_address(d, address);
}

void write_timespec64(struct decoder *d, unsigned arg)
{
    emit_timespec64(d, AT_ENTRY, VALUE);
}

void write_timespec64_out(struct decoder *d, unsigned arg)
{
    emit_timespec64(d, AT_RETURN, VALUE);
}

/* The rest of a sleep, which the kernel writes only if a signal interrupted it. */
void write_timespec_left(struct decoder *d, unsigned arg)
{
    int64_t t[2];
    int64_t r = d->e->result;
    bool interrupted = d->e->kind == SYSCALL_CALL && !(d->e->flags & SYSCALL_UNFINISHED) &&
                       (r == -EINTR || (r <= -512 && r >= -516)); /* as ERESTARTSYS */
    if (interrupted && take_longs(d, AT_RETURN, VALUE, t, 2))
        emit_time(d, t[0], t[1], "nsec");
    else
        emit_address(d, VALUE);
}

/* The two times of utimensat: of access and of modification. */
void write_timespecs(struct decoder *d, unsigned arg)
{
    int64_t t[4];
    if (!take_longs(d, AT_ENTRY, VALUE, t, 4)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "[");
    for (int i = 0; i < 2; i++) {
        emit(d, i ? ", " : "");
        if (t[2 * i + 1] == NOW || t[2 * i + 1] == OMIT)
            emit(d, "%s", t[2 * i + 1] == NOW ? "UTIME_NOW" : "UTIME_OMIT");
        else
            emit_time(d, t[2 * i], t[2 * i + 1], "nsec");
    }
    emit_text(d, "]");
}

void write_timeval(struct decoder *d, unsigned arg)
{
    emit_timeval(d, AT_ENTRY, VALUE);
}

void write_timeval_out(struct decoder *d, unsigned arg)
{
    emit_timeval(d, AT_RETURN, VALUE);
}

void write_timevals(struct decoder *d, unsigned arg)
{
    int64_t t[4];
    if (!take_longs(d, AT_ENTRY, VALUE, t, 4)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "[");
    emit_time(d, t[0], t[1], "usec");
    emit_text(d, ", ");
    emit_time(d, t[2], t[3], "usec");
    emit_text(d, "]");
}

static void emit_timezone(struct decoder *d, bool when, uint64_t address)
{
    int32_t z[2];
    if (is_time_wanted(d, when) && take(d, when, address, z, sizeof z))
        emit(d, "{tz_minuteswest=%d, tz_dsttime=%d}", z[0], z[1]);
    else
        emit_address(d, address);
}

void write_timezone(struct decoder *d, unsigned arg)
{
    emit_timezone(d, AT_ENTRY, VALUE);
}

void write_timezone_out(struct decoder *d, unsigned arg)
{
    emit_timezone(d, AT_RETURN, VALUE);
}

/* struct itimerval and itimerspec: the interval, then the time left. */
static void emit_itimer(struct decoder *d, bool when, uint64_t address, const char *part)
{
    int64_t t[4];
    if (!is_time_wanted(d, when) || !take_longs(d, when, address, t, 4)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{it_interval=");
    emit_time(d, t[0], t[1], part);
    emit_text(d, ", it_value=");
    emit_time(d, t[2], t[3], part);
    emit_text(d, "}");
}

void write_itimerval(struct decoder *d, unsigned arg)
{
    emit_itimer(d, AT_ENTRY, VALUE, "usec");
}

void write_itimerval_out(struct decoder *d, unsigned arg)
{
    emit_itimer(d, AT_RETURN, VALUE, "usec");
}

void write_itimerspec(struct decoder *d, unsigned arg)
{
    emit_itimer(d, AT_ENTRY, VALUE, "nsec");
}

void write_itimerspec_out(struct decoder *d, unsigned arg)
{
    emit_itimer(d, AT_RETURN, VALUE, "nsec");
}

void write_utimbuf(struct decoder *d, unsigned arg)
{
    int64_t t[2];
    if (take_longs(d, AT_ENTRY, VALUE, t, 2))
        emit(d, "{actime=%lld, modtime=%lld}", (long long)t[0], (long long)t[1]);
    else
        emit_address(d, VALUE);
}

void write_tms_out(struct decoder *d, unsigned arg)
{
    int64_t t[4];
    if (has_result(d) && take_longs(d, AT_RETURN, VALUE, t, 4))
        emit(d, "{tms_utime=%lld, tms_stime=%lld, tms_cutime=%lld, tms_cstime=%lld}",
             (long long)t[0], (long long)t[1], (long long)t[2], (long long)t[3]);
    else
        emit_address(d, VALUE);
}

void write_time_out(struct decoder *d, unsigned arg)
{
    int64_t t;
    if (has_result(d) && take_longs(d, AT_RETURN, VALUE, &t, 1))
        emit(d, "[%lld]", (long long)t);
    else
        emit_address(d, VALUE);
}

/* The number of a process's clock contains the complement of its pid. Source: clock_getcpuclockid
 * in the kernel's include/linux/posix-timers.h. */
void write_clockid(struct decoder *d, unsigned arg)
{
    static const char *const kinds[] = {"PROF", "VIRT", "SCHED", "FD"};
    int32_t id = (int32_t)VALUE;
    if (id >= 0)
        emit_constant(d, &constants_clockids, (uint32_t)id);
    else if ((id & 7) == 3)
        emit(d, "FD_TO_CLOCKID(%d)", ~id >> 3);
    else
        emit(d, "MAKE_%s_CPUCLOCK(%d, CPUCLOCK_%s)", id & 4 ? "THREAD" : "PROCESS", ~id >> 3,
             kinds[id & 3]);
}
