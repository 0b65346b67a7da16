/* The mechanism that does not stop programs: BPF programs in the kernel record their calls in a
 * ring. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bpf/bpf_impl.h"
#include "backends/common/held.h"
#include "backends/common/waiting_call.h"
#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"

/* --- does it work here? --- */

#if defined(__x86_64__)
/* Tries to load a program that does nothing and to make a small ring. */
static int try_it(void)
{
    struct code *c = xcalloc(1, sizeof *c);
    code_start(c);
    put_mov_number(c, R0, 0);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_leave(c);
    int rc = code_finish(c) ? kernel_program(c, -1, NULL, 0) : -E2BIG;
    free(c);
    if (rc < 0)
        return rc;
    close(rc);
    rc = kernel_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (uint32_t)sysconf(_SC_PAGESIZE), 0);
    if (rc < 0)
        return rc;
    close(rc);
    return 0;
}
#else
static int try_it(void)
{
    return -ENOSYS;
}
#endif

static void probe(struct tracer_state *out)
{
    *out = (struct tracer_state){0};
    const int rc = try_it();
    if (rc == -EPERM || rc == -EACCES) {
        snprintf(out->why, sizeof out->why, "BPF programs may not be loaded");
        snprintf(out->enable, sizeof out->enable, "%s",
                 geteuid() == 0 ? "docker run --cap-add=BPF --cap-add=PERFMON ..."
                                : "run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_resource+ep "
                                  "rooftop");
    } else if (rc == -ENOSYS)
        snprintf(out->why, sizeof out->why, "not on this architecture, or the kernel has no BPF");
    else if (rc != 0)
        snprintf(out->why, sizeof out->why, "BPF: %s; needs Linux 5.17", strerror(-rc));
    else if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        snprintf(out->why, sizeof out->why, "/sys/kernel/btf/vmlinux: %s", strerror(errno));
    else if (!raw_calls_pids_are_ours())
        snprintf(out->why, sizeof out->why,
                 "rooftop is in a container with pids of its own, which the kernel's records do "
                 "not have");
    else {
        out->works = true;
        snprintf(out->why, sizeof out->why, "about 0.2 us a call; programs are not stopped");
    }
}

static bool suits(const struct tracer_setup *setup, struct error *why)
{
    if (!setup->stacks)
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "bpf", "it keeps no user stacks");
    return false;
}

/* --- the run --- */

enum { TICK_NS = 100000000, WAIT_MIN_MS = 1, WAIT_MAX_MS = 16 };

struct run {
    struct bpf_trace s;
    struct held held; /* the command; {.go_fd = -1, .report_fd = -1}: none */
    bool stopping;
    bool passed; /* the command got a signal that ends the tracing */
    int command; /* a descriptor of its process, readable when it ends; -1: none */
    int wait_ms; /* time until the next check if nothing happens */
    uint64_t ticked_ns;
};

/* Why nothing of a process can be recorded, as a clause. */
static const char *tell_absence(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH ? "there is no such process"
                                               : "it has ended already";
}

static int refuse_absent_process(pid_t pid, int code, struct error *err)
{
    char what[64];
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    return error_set(err, ERROR_TARGET, code, NULL, what, "%s",
                     code == ESRCH ? tell_absence(pid) : strerror(code));
}

/* Takes the call in which a thread waits, if any, because its end will be seen. */
static void take_waiting(const struct run *r, pid_t pid, pid_t tid)
{
    struct waiting_call waits = {0};
    const uint32_t key = (uint32_t)tid;
    struct task_state state;
    if (!waiting_call_read(pid, tid, &waits) || kernel_map_get(r->s.tasks, &key, &state) != 0 ||
        !state.fresh)
        return;
    state = (struct task_state){
        .begin_ns = env_now_ns(),
        .number = (uint32_t)waits.number,
        .phase = syscall_filter_wants(r->s.setup->calls, SYSCALL_X86_64, (uint32_t)waits.number)
                     ? PHASE_CALL
                     : PHASE_UNWANTED,
        .stack_pointer = waits.stack_pointer,
        .pid = (uint32_t)pid};
    for (int i = 0; i < 6; i++)
        state.args[i] = waits.args[i];
    kernel_map_set(r->s.tasks, &key, &state);
}

/* Begins to record a thread. 1; 0: leave this thread out; or -errno, which ends the search. */
static int record_thread(struct run *r, pid_t pid, pid_t tid)
{
    struct task_state state;
    const uint32_t key = (uint32_t)tid;
    const bool command = tid == r->held.pid; /* the call in which it waits is rooftop's */
    if (!command &&
        (kernel_map_get(r->s.tasks, &key, &state) == 0 || bpf_trace_has_ended(pid, tid)))
        return 0;
    const int rc = bpf_trace_watch(&r->s, pid, tid);
    if (rc != 0)
        return command ? rc : 0;
    if (!command)
        take_waiting(r, pid, tid);
    /* Report the start only when the thread is recorded, because the reader may then resume the
     * program. */
    const struct raw_start start = {.pid = pid, .tid = tid, .ns = env_now_ns(), .prelude = command};
    raw_calls_started(&r->s.raw, &start);
    return 1;
}

/* Records the listed threads. *listed: their number. */
static int record_listed(struct run *r, pid_t pid, long *listed)
{
    char path[64];
    int n = 0, rc = 0;
    *listed = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -ESRCH;
    for (struct dirent *e; rc >= 0 && (e = readdir(dir));) {
        const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        *listed += tid > 0;
        rc = tid > 0 ? record_thread(r, pid, tid) : 0;
        n += rc > 0;
    }
    closedir(dir);
    return rc < 0 ? rc : n;
}

/* Reads the list of /proc again if it is shorter than the number of threads: it may lack some while
 * others end. */
static int record_threads(struct run *r, pid_t pid)
{
    enum { READINGS = 8 };
    long listed;
    int n = record_listed(r, pid, &listed);
    for (int i = 1; i < READINGS && n == 0 && status_number(pid, "Threads") > listed; i++)
        n = record_listed(r, pid, &listed);
    return n;
}

static int attach_process(struct run *r, pid_t pid, struct error *err)
{
    int n, all = 0;
    if (pid == getpid())
        return error_set(err, ERROR_TARGET, EINVAL, NULL, "trace", "rooftop cannot trace itself");
    while ((n = record_threads(r, pid)) > 0)
        all += n;
    if (n == 0 && all == 0 && bpf_trace_has_ended(pid, pid))
        n = -ESRCH;
    return n < 0 && all == 0 ? refuse_absent_process(pid, -n, err) : 0;
}

static int attach_processes(struct run *r, struct error *err)
{
    const struct tracer_setup *setup = r->s.setup;
    for (uint32_t i = 0; i < setup->npids; i++) {
        const int rc = attach_process(r, setup->pids[i], err);
        if (rc != 0 && (rc != -ESRCH || !setup->some))
            return rc;
    }
    return 0;
}

static int begin_target(struct run *r, struct error *err)
{
    if (!r->s.setup->argv)
        return attach_processes(r, err);
    int rc = record_thread(r, r->held.pid, r->held.pid);
    rc = rc < 0 ? rc : held_go(&r->held);
    return rc == 0 ? 0 : held_error(&r->held, -rc, err);
}

/* --- the loop --- */

static void close_command(struct run *r)
{
    if (r->command >= 0)
        close(r->command);
    r->command = -1;
}

static bool command_runs(const struct run *r)
{
    return r->held.pid > 0 && !r->s.raw.result->ended;
}

/* Checks whether the command has ended, and passes on the signal that ends the tracing. */
static void look_around(struct run *r)
{
    const struct tracer_setup *setup = r->s.setup;
    struct tracer_result *result = r->s.raw.result;
    if (command_runs(r) && waitpid(r->held.pid, &result->status, WNOHANG | __WALL) == r->held.pid) {
        result->ended = true;
        close_command(r);
    }
    const int signo = setup->stop_signal ? setup->stop_signal(setup->ctx) : 0;
    if ((signo != 0 || r->passed) && !command_runs(r))
        r->stopping = true; /* what the command started does not keep rooftop */
    else if (signo > 0)
        r->passed = kill(r->held.pid, signo) == 0;
    const uint64_t now = env_now_ns();
    if (now - r->ticked_ns > TICK_NS) {
        r->ticked_ns = now;
        bpf_trace_tick(&r->s);
    }
}

/* Checks last whether tasks are left, because the kernel searches its whole table for that. */
static bool is_over(const struct run *r, size_t records)
{
    return r->stopping || (records == 0 && !command_runs(r) && bpf_trace_idle(&r->s));
}

static void read_until_end(struct run *r)
{
    for (;;) {
        const size_t n = bpf_trace_drain(&r->s);
        look_around(r);
        if (is_over(r, n))
            break;
        if (n > 0) {
            r->wait_ms = WAIT_MIN_MS;
            continue;
        }
        struct pollfd command = {.fd = r->command, .events = POLLIN};
        poll(&command, 1, r->wait_ms);
        r->wait_ms = r->wait_ms * 2 < WAIT_MAX_MS ? r->wait_ms * 2 : WAIT_MAX_MS;
    }
    bpf_trace_stop(&r->s);
    while (bpf_trace_drain(&r->s) > 0)
        ;
    bpf_trace_last(&r->s);
}

/* Starts the command, which waits until it is traced. Call it first, while rooftop is small and has
 * one thread. */
static int start_command(struct run *r, const struct tracer_setup *setup, struct error *err)
{
    const struct held_command c = {.argv = setup->argv, .envp = setup->envp};
    const int rc = held_start(&r->held, &c, err);
    if (rc == 0)
        r->command = (int)syscall(SYS_pidfd_open, r->held.pid, 0);
    return rc;
}

static int trace_with_programs(struct run *r, const struct tracer_setup *setup,
                               const struct syscall_sink *sink, struct tracer_result *result,
                               struct error *err)
{
    int rc = bpf_trace_open(&r->s, setup, sink, result, BPF_TRACE_RING, err);
    if (rc == 0)
        rc = begin_target(r, err);
    if (rc == 0)
        read_until_end(r);
    else
        held_kill(&r->held);
    return rc;
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    struct run *r = xcalloc(1, sizeof *r);
    *result = (struct tracer_result){0};
    r->wait_ms = WAIT_MIN_MS;
    r->ticked_ns = env_now_ns();
    r->held = (struct held){.go_fd = -1, .report_fd = -1};
    r->command = -1;
    int rc = setup->argv ? start_command(r, setup, err) : 0;
    if (rc == 0) {
        rc = trace_with_programs(r, setup, sink, result, err);
        bpf_trace_close(&r->s);
    }
    if (rc == 0)
        rc = held_failed(&r->held, err);
    close_command(r);
    held_close(&r->held);
    free(r);
    return rc;
}

const struct tracer_ops tracer_bpf = {
    .name = "bpf",
    .summary = "records calls in the kernel; needs root",
    .probe = probe,
    .suits = suits,
    .run = run,
};
