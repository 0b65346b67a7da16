/* The mechanism `perf`: tracepoints write each call into perf's rings. */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/held.h"
#include "backends/perf_calls/records.h"
#include "backends/perf_common/cpus.h"
#include "base/arena.h"
#include "base/env.h"

enum { TICK_NS = 100000000, WAIT_MS = 10, FILTER_BYTES = 3072 };

/* --- what works here --- */

static const char enable[] =
    "run as root: tracepoints of calls need CAP_PERFMON and a tracefs that can be read";

static void probe(struct tracer_state *out)
{
    struct call_events e;
    struct error why = ERROR_INIT;
    *out = (struct tracer_state){0};
    int rc = call_events_open(&e, true, NULL, &why);
    e.ncpus = e.ncpus ? 1 : 0; /* to close a tracepoint takes milliseconds */
    if (rc == 0 && (rc = call_events_watch(&e, getpid())) != 0)
        snprintf(out->why, sizeof out->why,
                 "perf_event_open: %s; kernel.perf_event_paranoid is %ld", strerror(-rc),
                 read_number("/proc/sys/kernel/perf_event_paranoid", 2));
    else if (rc != 0)
        snprintf(out->why, sizeof out->why, "%.100s: %.80s", why.what, why.why);
    if (rc == -EPERM || rc == -EACCES)
        snprintf(out->enable, sizeof out->enable, "%s", enable);
    else if (rc != 0)
        snprintf(out->enable, sizeof out->enable, "%.191s", why.help);
    out->works = rc == 0;
    if (out->works)
        snprintf(out->why, sizeof out->why,
                 "programs are not stopped; arguments are numbers, losses are counted");
    call_events_close(&e);
}

static bool suits(const struct tracer_setup *setup, struct error *why)
{
    if (!setup->stacks)
        return true;
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "perf", "user stacks are not kept");
    return false;
}

/* --- the filter --- */

static size_t add_number(char *text, size_t n, int number)
{
    if (number >= 0 && n < FILTER_BYTES)
        n += (size_t)snprintf(text + n, FILTER_BYTES - n, "%sid==%d", n ? "||" : "", number);
    return n;
}

/* The numbers of the wanted calls in all ABIs that programs here can use, for the kernel to choose;
 * NULL: all, or too many. What begins and ends programs is always among them. */
static char *filter_of(const struct syscall_filter *calls)
{
#if defined(__aarch64__)
    static const unsigned abis[] = {SYSCALL_ARM64, SYSCALL_ARM32};
#else
    static const unsigned abis[] = {SYSCALL_X86_64, SYSCALL_I386, SYSCALL_X32};
#endif
    enum { X32_BIT = 0x40000000 };
    static const char *const always[] = {"execve", "execveat", "exit_group"};
    char *text = calls ? xcalloc(FILTER_BYTES, 1) : NULL;
    size_t n = 0;
    for (size_t a = 0; text && a < sizeof abis / sizeof *abis; a++) {
        const int bit = abis[a] == SYSCALL_X32 ? X32_BIT : 0;
        for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
            const int number = syscall_number(abis[a], always[i]);
            n = add_number(text, n, number < 0 ? -1 : number | bit);
        }
        for (uint32_t i = 0; i < syscall_numbers(abis[a]); i++)
            if (syscall_filter_wants(calls, abis[a], i))
                n = add_number(text, n, (int)i | bit);
    }
    if (n < FILTER_BYTES)
        return text;
    free(text);
    return NULL;
}

/* --- the run --- */

struct run {
    struct call_events events;
    struct call_records records;
    struct held held;
    const struct tracer_setup *setup;
    struct tracer_result *result;
    bool stopping, gone; /* all tasks have ended, though the record of an end may be lost */
    uint64_t ticked_ns;
};

static int refused(const char *what, int code, struct error *err)
{
    return error_set(err, code == EPERM || code == EACCES ? ERROR_PERMISSION : ERROR_TARGET, code,
                     code == EMFILE   ? "raise ulimit -n, or trace fewer threads"
                     : code == EACCES ? enable
                                      : NULL,
                     what, "%s", code == ESRCH ? "there is no such process" : strerror(code));
}

static int begin_command(struct run *r, struct error *err)
{
    const struct held_command c = {.argv = r->setup->argv, .envp = r->setup->envp};
    int rc = held_start(&r->held, &c, err);
    if (rc != 0)
        return rc;
    const pid_t pid = r->held.pid;
    const struct raw_start start = {.pid = pid, .tid = pid, .ns = env_now_ns(), .prelude = true};
    raw_calls_started(&r->records.raw, &start);
    rc = call_events_watch(&r->events, pid);
    if (rc == 0)
        rc = held_go(&r->held);
    if (rc == 0)
        return 0;
    held_kill(&r->held);
    return refused("perf_event_open", -rc, err);
}

/* The threads that are not watched yet: how many, or -errno. done: those that are, ended by 0. */
static int watch_threads(struct run *r, pid_t pid, pid_t **done, size_t *ndone)
{
    char path[64];
    int n = 0, rc = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return -ESRCH;
    for (struct dirent *e; rc == 0 && (e = readdir(dir));) {
        const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
        size_t i = 0;
        while (i < *ndone && (*done)[i] != tid)
            i++;
        if (tid <= 0 || i < *ndone)
            continue;
        rc = call_events_watch(&r->events, tid);
        if (rc == -ESRCH) {
            rc = 0;
            continue;
        }
        *done = xrealloc(*done, *ndone + 1, sizeof **done);
        (*done)[(*ndone)++] = tid;
        const struct raw_start start = {.pid = pid, .tid = tid, .ns = env_now_ns()};
        raw_calls_started(&r->records.raw, &start);
        n++;
    }
    closedir(dir);
    return rc < 0 ? rc : n;
}

static int attach(struct run *r, pid_t pid, struct error *err)
{
    pid_t *done = NULL;
    size_t ndone = 0;
    char what[64];
    int n;
    if (pid == getpid())
        return error_set(err, ERROR_TARGET, EINVAL, NULL, "trace", "rooftop cannot trace itself");
    /* Threads that a watched one makes are watched with it: one more look finds the others. */
    n = watch_threads(r, pid, &done, &ndone);
    free(done);
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    return n < 0 || ndone == 0 ? refused(what, n < 0 ? -n : ESRCH, err) : 0;
}

static int begin(struct run *r, struct error *err)
{
    if (r->setup->argv)
        return begin_command(r, err);
    for (uint32_t i = 0; i < r->setup->npids; i++) {
        const int rc = attach(r, r->setup->pids[i], err);
        if (rc == -ESRCH && r->setup->some)
            continue;
        if (rc != 0)
            return rc;
    }
    return 0;
}

static void look_at_command(struct run *r)
{
    int status;
    if (r->held.pid <= 0 || r->result->ended ||
        waitpid(r->held.pid, &status, WNOHANG | __WALL) != r->held.pid)
        return;
    r->result->ended = true;
    r->result->status = status;
}

static void look_for_stop(struct run *r)
{
    const int signo = r->setup->stop_signal ? r->setup->stop_signal(r->setup->ctx) : 0;
    const bool command = r->held.pid > 0 && !r->result->ended;
    if (signo > 0 && command)
        kill(r->held.pid, signo);
    else if (signo != 0 && !command)
        r->stopping = true;
}

static void tick(struct run *r)
{
    const struct syscall_sink *sink = r->records.raw.sink;
    const uint64_t now = env_now_ns();
    if (now - r->ticked_ns < TICK_NS)
        return;
    r->ticked_ns = now;
    r->gone = call_events_over(&r->events);
    if (sink->tick)
        sink->tick(sink->ctx);
}

static bool over(const struct run *r)
{
    const bool started = r->held.pid <= 0 || r->result->ended;
    return r->stopping || (started && (r->records.raw.n == 0 || r->gone));
}

static void loop(struct run *r)
{
    for (bool last = false; !last;) {
        look_at_command(r);
        look_for_stop(r);
        last = over(r);
        const size_t n = call_records_drain(&r->records, &r->events, last);
        tick(r);
        if (n == 0 && !last)
            call_events_wait(&r->events, WAIT_MS);
    }
}

/* What was lost after the last record that found room. */
static void tell_last_lost(struct run *r)
{
    const uint64_t lost = call_events_lost(&r->events);
    if (lost > r->result->lost)
        raw_calls_lost(&r->records.raw, lost - r->result->lost, env_now_ns());
}

static void note(const struct run *r)
{
    const char *text = r->setup->counts_only
                           ? ""
                           : "perf: arguments are numbers, what they point to is not recorded";
    snprintf(r->result->notes[0], sizeof r->result->notes[0], "%s", text);
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    struct run *r = xcalloc(1, sizeof *r);
    char *filter = filter_of(setup->calls);
    *result = (struct tracer_result){0};
    r->setup = setup;
    r->result = result;
    r->held = (struct held){.go_fd = -1, .report_fd = -1};
    r->records.points = &r->events.points;
    r->records.processes = setup->follow;
    raw_calls_open(&r->records.raw, setup, sink, result, SYSCALL_BY_PERF);
    int rc = call_events_open(&r->events, setup->follow, filter, err);
    if (rc == 0)
        rc = begin(r, err);
    if (rc == 0) {
        loop(r);
        tell_last_lost(r);
        note(r);
        rc = held_failed(&r->held, err);
    }
    call_records_free(&r->records);
    call_events_close(&r->events);
    held_close(&r->held);
    free(filter);
    free(r);
    return rc;
}

const struct tracer_ops tracer_perf = {
    .name = "perf",
    .summary = "records calls by perf's tracepoints; numbers only; needs rights for perf",
    .probe = probe,
    .suits = suits,
    .run = run,
};
