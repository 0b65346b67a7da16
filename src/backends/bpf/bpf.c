/* The mechanism that does not stop programs: BPF programs in the kernel record their calls in a
 * ring. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/bpf/assemble.h"
#include "backends/bpf/kernel.h"
#include "backends/bpf/bpf_trace.h"
#include "backends/common/held.h"
#include "backends/common/waiting_call.h"
#include "backends/raw_calls/raw_run.h"
#include "base/arena.h"
#include "base/env.h"

/* --- what works here --- */

#if defined(__x86_64__)
/* Loads a program that does nothing, and makes a small ring. */
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
    struct raw_run run;
    int command; /* a descriptor of its process, readable when it ends; -1: none */
    int wait_ms; /* until the next look, where nothing happens */
    uint64_t ticked_ns;
};

static int refuse_absent_process(pid_t pid, int code, struct error *err)
{
    char what[64];
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    return error_set(err, ERROR_TARGET, code, NULL, what, "%s",
                     code == ESRCH ? raw_run_absent(pid) : strerror(code));
}

/* The call that a thread waits in, if it does: its end will be seen. */
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

static int watch(void *ctx, pid_t pid, pid_t tid)
{
    struct run *r = ctx;
    struct task_state state;
    const uint32_t key = (uint32_t)tid;
    const bool command = tid == r->run.held.pid; /* its call that waits is rooftop's */
    if (!command &&
        (kernel_map_get(r->s.tasks, &key, &state) == 0 || bpf_trace_has_ended(pid, tid)))
        return 0;
    const int rc = bpf_trace_watch(&r->s, pid, tid);
    if (rc != 0)
        return command ? rc : 0;
    if (!command)
        take_waiting(r, pid, tid);
    return 1;
}

static int attach_process(void *ctx, pid_t pid, struct error *err)
{
    struct run *r = ctx;
    int n, all = 0;
    while ((n = raw_run_threads(&r->run, pid)) > 0)
        all += n;
    if (n == 0 && all == 0 && bpf_trace_has_ended(pid, pid))
        n = -ESRCH;
    return n < 0 && all == 0 ? refuse_absent_process(pid, -n, err) : 0;
}

static int begin_target(struct run *r, struct error *err)
{
    if (!r->s.setup->argv)
        return raw_run_attach(&r->run, attach_process, err);
    const int rc = raw_run_command(&r->run);
    return rc == 0 ? 0 : held_error(&r->run.held, -rc, err);
}

/* --- the loop --- */

static void close_command(struct run *r)
{
    if (r->command >= 0)
        close(r->command);
    r->command = -1;
}

static void look_around(struct run *r)
{
    raw_run_look(&r->run);
    if (r->run.raw->result->ended)
        close_command(r);
    const uint64_t now = env_now_ns();
    if (now - r->ticked_ns > TICK_NS) {
        r->ticked_ns = now;
        bpf_trace_tick(&r->s);
    }
}

/* Whether tasks are left is asked only when it matters: the kernel looks through its whole table.
 */
static bool is_over(const struct run *r, size_t records)
{
    return raw_run_over(&r->run, false) ||
           (records == 0 && raw_run_over(&r->run, true) && bpf_trace_idle(&r->s));
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

/* Starts the command, which waits until it is traced. It is started first, while rooftop is small
 * and has one thread. */
static int start_command(struct run *r, const struct tracer_setup *setup, struct error *err)
{
    const struct held_command c = {.argv = setup->argv, .envp = setup->envp};
    const int rc = held_start(&r->run.held, &c, err);
    if (rc == 0)
        r->command = (int)syscall(SYS_pidfd_open, r->run.held.pid, 0);
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
        held_kill(&r->run.held);
    return rc;
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    struct run *r = xcalloc(1, sizeof *r);
    *result = (struct tracer_result){0};
    r->wait_ms = WAIT_MIN_MS;
    r->ticked_ns = env_now_ns();
    r->run = (struct raw_run){
        .raw = &r->s.raw, .watch = watch, .ctx = r, .held = {.go_fd = -1, .report_fd = -1}};
    r->command = -1;
    int rc = setup->argv ? start_command(r, setup, err) : 0;
    if (rc == 0) {
        rc = trace_with_programs(r, setup, sink, result, err);
        bpf_trace_close(&r->s);
    }
    if (rc == 0)
        rc = held_failed(&r->run.held, err);
    close_command(r);
    held_close(&r->run.held);
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
