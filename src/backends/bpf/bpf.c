/* The mechanism that lets programs run: BPF programs in the kernel record their calls in a ring. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/bpf/assemble.h"
#include "backends/bpf/kernel.h"
#include "backends/bpf/bpf_trace.h"
#include "backends/common/held.h"
#include "backends/common/proc_file.h"
#include "backends/raw_calls/raw_calls.h"
#include "base/arena.h"
#include "base/env.h"

/* --- what works here --- */

enum { STRINGS_MOST_BYTES = 16 * 1024 };

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
    const char *lacks = setup->stacks ? "user stacks are not kept"
                        : setup->string_limit > STRINGS_MOST_BYTES && !setup->counts_only
                            ? "strings over 16384 bytes are not kept"
                            : NULL;
    if (!lacks)
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "bpf", "%s", lacks);
    return false;
}

/* --- the run --- */

enum { TICK_NS = 100000000, WAIT_MIN_MS = 1, WAIT_MAX_MS = 16 };

struct run {
    struct bpf_trace s;
    struct held held;
    struct tracer_result *result;
    bool stopping;
    int wait_ms; /* until the next look, where nothing happens */
    uint64_t ticked_ns;
};

static int begin_command(struct run *r, struct error *err)
{
    const struct tracer_setup *setup = r->s.setup;
    const struct held_command c = {.argv = setup->argv, .envp = setup->envp};
    int rc = held_start(&r->held, &c, err);
    if (rc != 0)
        return rc;
    const pid_t pid = r->held.pid;
    const struct raw_start start = {.pid = pid, .tid = pid, .ns = env_now_ns(), .prelude = true};
    raw_calls_started(&r->s.raw, &start);
    rc = bpf_trace_watch(&r->s, pid, pid);
    if (rc == 0)
        rc = held_go(&r->held);
    if (rc == 0)
        return 0;
    held_kill(&r->held);
    return held_error(&r->held, -rc, err);
}

/* --- attaching --- */

static int refused(pid_t pid, int code, struct error *err)
{
    char what[64];
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    return error_set(err, ERROR_TARGET, code, NULL, what, "%s",
                     code == ESRCH ? "there is no such process" : strerror(code));
}

/* The call that a thread waits in, if it does: its end will be seen. */
static void take_waiting(const struct run *r, pid_t pid, pid_t tid)
{
    char path[64], text[256];
    unsigned long long a[6], sp;
    long number;
    const uint32_t key = (uint32_t)tid;
    struct task_state state;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
    if (file_line(path, text, sizeof text) <= 0 ||
        sscanf(text, "%ld %llx %llx %llx %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2], &a[3],
               &a[4], &a[5], &sp) != 8 ||
        number < 0 || kernel_map_get(r->s.tasks, &key, &state) != 0 || !state.fresh)
        return;
    state = (struct task_state){
        .begin_ns = env_now_ns(),
        .number = (uint32_t)number,
        .phase = syscall_filter_wants(r->s.setup->calls, SYSCALL_X86_64, (uint32_t)number)
                     ? PHASE_CALL
                     : PHASE_UNWANTED,
        .stack_pointer = sp,
        .pid = (uint32_t)pid};
    for (int i = 0; i < 6; i++)
        state.args[i] = a[i];
    kernel_map_set(r->s.tasks, &key, &state);
}

/* The threads that are not watched yet: how many, or -errno. */
static int watch_threads(struct run *r, pid_t pid)
{
    char path[64];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -ESRCH;
    for (struct dirent *e; (e = readdir(dir));) {
        const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        struct task_state state;
        const uint32_t key = (uint32_t)tid;
        if (tid <= 0 || kernel_map_get(r->s.tasks, &key, &state) == 0)
            continue;
        const struct raw_start start = {.pid = pid, .tid = tid, .ns = env_now_ns()};
        raw_calls_started(&r->s.raw, &start);
        if (bpf_trace_watch(&r->s, pid, tid) != 0)
            continue;
        take_waiting(r, pid, tid);
        n++;
    }
    closedir(dir);
    return n;
}

static int attach(struct run *r, pid_t pid, struct error *err)
{
    int n, all = 0;
    if (pid == getpid())
        return error_set(err, ERROR_TARGET, EINVAL, NULL, "trace", "rooftop cannot trace itself");
    while ((n = watch_threads(r, pid)) > 0)
        all += n;
    return n < 0 && all == 0 ? refused(pid, -n, err) : 0;
}

static int begin(struct run *r, struct error *err)
{
    if (r->s.setup->argv)
        return begin_command(r, err);
    for (uint32_t i = 0; i < r->s.setup->npids; i++) {
        const int rc = attach(r, r->s.setup->pids[i], err);
        if (rc == -ESRCH && r->s.setup->some)
            continue;
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* --- the loop --- */

static void look_at_command(struct run *r)
{
    int status;
    if (r->held.pid <= 0 || r->result->ended)
        return;
    if (waitpid(r->held.pid, &status, WNOHANG | __WALL) != r->held.pid)
        return;
    r->result->ended = true;
    r->result->status = status;
}

static void look_for_stop(struct run *r)
{
    const struct tracer_setup *setup = r->s.setup;
    const int signo = setup->stop_signal ? setup->stop_signal(setup->ctx) : 0;
    if (signo == 0)
        return;
    if (r->held.pid > 0 && !r->result->ended) {
        if (signo > 0)
            kill(r->held.pid, signo);
    } else
        r->stopping = true;
}

static bool over(struct run *r)
{
    return r->stopping || ((r->held.pid <= 0 || r->result->ended) && bpf_trace_idle(&r->s));
}

static void look_around(struct run *r)
{
    look_at_command(r);
    look_for_stop(r);
    const uint64_t now = env_now_ns();
    if (now - r->ticked_ns > TICK_NS) {
        r->ticked_ns = now;
        bpf_trace_tick(&r->s);
    }
}

static void loop(struct run *r)
{
    while (!over(r)) {
        const size_t n = bpf_trace_drain(&r->s);
        look_around(r);
        if (n > 0) {
            r->wait_ms = WAIT_MIN_MS;
            continue;
        }
        poll(NULL, 0, r->wait_ms);
        r->wait_ms = r->wait_ms * 2 < WAIT_MAX_MS ? r->wait_ms * 2 : WAIT_MAX_MS;
    }
    bpf_trace_stop(&r->s);
    while (bpf_trace_drain(&r->s) > 0)
        ;
    bpf_trace_tick(&r->s);
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    struct run *r = xcalloc(1, sizeof *r);
    *result = (struct tracer_result){0};
    r->result = result;
    r->wait_ms = WAIT_MIN_MS;
    r->held = (struct held){.go_fd = -1, .report_fd = -1};
    int rc = bpf_trace_open(&r->s, setup, sink, result, BPF_TRACE_RING, err);
    if (rc == 0)
        rc = begin(r, err);
    if (rc == 0)
        loop(r);
    if (rc == 0)
        rc = held_failed(&r->held, err);
    bpf_trace_close(&r->s);
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
