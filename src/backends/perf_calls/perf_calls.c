/* The mechanism `perf`: tracepoints write each call into perf's rings. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/held.h"
#include "backends/perf_calls/records.h"
#include "backends/perf_common/cpus.h"
#include "backends/raw_calls/raw_run.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

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
    error_set(why, ERROR_UNSUPPORTED, ENOTSUP, NULL, "perf", "it keeps no user stacks");
    return false;
}

/* --- the filter --- */

static size_t add_filter_number(char *text, size_t n, int number)
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
    static const char *const always[] = {"execve", "execveat", "exit_group", "io_uring_setup",
                                         "fork",   "vfork",    "clone",      "clone3"};
    char *text = calls ? xcalloc(FILTER_BYTES, 1) : NULL;
    size_t n = 0;
    for (size_t a = 0; text && a < sizeof abis / sizeof *abis; a++) {
        const int bit = abis[a] == SYSCALL_X32 ? X32_BIT : 0;
        for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
            const int number = syscall_number(abis[a], always[i]);
            n = add_filter_number(text, n, number < 0 ? -1 : number | bit);
        }
        for (uint32_t i = 0; i < syscall_numbers(abis[a]); i++)
            if (syscall_filter_wants(calls, abis[a], i))
                n = add_filter_number(text, n, (int)i | bit);
    }
    if (n < FILTER_BYTES)
        return text;
    free(text);
    return NULL;
}

/* --- the run --- */

/* Processes that are to be looked at again: they made threads that were watched late. */
struct looks {
    pid_t *list;
    size_t n, cap;
};

struct run {
    struct call_events events;
    struct call_records records;
    struct raw_run run;
    struct looks looks;
    bool gone; /* all tasks have ended, though the record of an end may be lost */
    uint64_t ticked_ns;
};

static int open_refused(pid_t pid, const char *what, int code, struct error *err)
{
    return error_set(err, code == EPERM || code == EACCES ? ERROR_PERMISSION : ERROR_TARGET, code,
                     code == EMFILE   ? "raise ulimit -n, or trace fewer threads"
                     : code == EACCES ? enable
                                      : NULL,
                     what, "%s", code == ESRCH ? raw_run_absent(pid) : strerror(code));
}

static int watch(void *ctx, pid_t pid, pid_t tid)
{
    struct run *r = ctx;
    if (call_events_whole(&r->events, tid))
        return 0;
    const int rc = call_events_watch(&r->events, tid);
    return rc == 0 ? 1 : rc == -ESRCH && pid != r->run.held.pid ? 0 : rc;
}

static void attached(void *ctx, pid_t pid, pid_t tid)
{
    struct run *r = ctx;
    call_records_attached(&r->records, pid, tid);
}

static void look_later(struct run *r, pid_t pid)
{
    for (size_t i = 0; i < r->looks.n; i++)
        if (r->looks.list[i] == pid)
            return;
    LIST_ADD(r->looks.list, r->looks.n, r->looks.cap, pid);
}

/* What it made before it was watched is found by a look. */
static int watch_born(void *ctx, pid_t pid, pid_t tid)
{
    struct run *r = ctx;
    const int rc = call_events_watch(&r->events, tid);
    if (rc == 0)
        look_later(r, pid);
    return rc;
}

/*
 * Threads that a recorded one makes are recorded with it. One that a thread made before that was
 * recorded itself is found by the next look, until a look finds none. Returns how many were found,
 * or -errno where that is none.
 */
static int record_threads_of(struct run *r, pid_t pid)
{
    enum { LOOKS = 32 };
    int n = 1, all = 0;
    for (int i = 0; i < LOOKS && n > 0; i++) {
        n = raw_run_threads(&r->run, pid);
        all += n > 0 ? n : 0;
        /* Twice: the second time what was there before the first is reported. */
        call_records_drain(&r->records, &r->events, false);
        call_records_drain(&r->records, &r->events, false);
    }
    return all > 0 ? all : n;
}

static void record_noted_threads(struct run *r)
{
    while (r->looks.n > 0)
        record_threads_of(r, r->looks.list[--r->looks.n]);
}

static int attach_call_events(void *ctx, pid_t pid, struct error *err)
{
    struct run *r = ctx;
    char what[64];
    r->events.attaching = true;
    const int n = record_threads_of(r, pid);
    record_noted_threads(r);
    r->events.attaching = false;
    snprintf(what, sizeof what, "trace process %d", (int)pid);
    return n <= 0 ? open_refused(pid, what, n < 0 ? -n : ESRCH, err) : 0;
}

static int begin_perf_target(struct run *r, const struct tracer_setup *setup, struct error *err)
{
    if (!setup->argv)
        return raw_run_attach(&r->run, attach_call_events, err);
    const struct held_command c = {.argv = setup->argv, .envp = setup->envp};
    int rc = held_start(&r->run.held, &c, err);
    if (rc != 0 || (rc = raw_run_command(&r->run)) == 0)
        return rc;
    held_kill(&r->run.held);
    return open_refused(0, "perf_event_open", -rc, err);
}

static void tick_call_sink(struct run *r)
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

static void read_calls_until_end(struct run *r)
{
    for (bool last = false; !last;) {
        raw_run_look(&r->run);
        last = raw_run_over(&r->run, r->records.raw.tasks.n == 0 || r->gone);
        const size_t n = call_records_drain(&r->records, &r->events, last);
        record_noted_threads(r);
        tick_call_sink(r);
        if (n == 0 && !last)
            call_events_wait(&r->events, WAIT_MS);
    }
}

/* What was lost after the last record that found room. */
static void tell_last_lost(struct run *r)
{
    const uint64_t lost = call_events_lost(&r->events);
    if (lost > r->records.raw.result->lost)
        raw_calls_lost(&r->records.raw, lost - r->records.raw.result->lost, env_now_ns());
}

static void write_perf_notes(const struct run *r)
{
    const char *text = r->records.raw.setup->counts_only
                           ? ""
                           : "perf: arguments are numbers, what they point to is not recorded";
    char(*notes)[sizeof r->records.raw.result->notes[0]] = r->records.raw.result->notes;
    snprintf(notes[0], sizeof notes[0], "%s", text);
    if (r->records.partial)
        snprintf(notes[*text != 0], sizeof notes[0],
                 "perf: %llu tasks that began while rooftop attached are recorded in part: raise "
                 "ulimit -n",
                 (unsigned long long)r->records.partial);
}

static int run(const struct tracer_setup *setup, const struct syscall_sink *sink,
               struct tracer_result *result, struct error *err)
{
    struct run *r = xcalloc(1, sizeof *r);
    char *filter = filter_of(setup->calls);
    *result = (struct tracer_result){0};
    r->run = (struct raw_run){.raw = &r->records.raw,
                              .watch = watch,
                              .attached = attached,
                              .ctx = r,
                              .held = {.go_fd = -1, .report_fd = -1}};
    r->records.points = &r->events.points;
    r->records.processes = setup->follow;
    r->records.watch = watch_born;
    r->records.ctx = r;
    raw_calls_open(&r->records.raw, setup, sink, result, SYSCALL_BY_PERF);
    int rc = call_events_open(&r->events, setup->follow, filter, err);
    if (rc == 0)
        rc = begin_perf_target(r, setup, err);
    if (rc == 0) {
        read_calls_until_end(r);
        result->sees_operations = r->events.points.operations.submitted != 0;
        tell_last_lost(r);
        write_perf_notes(r);
        rc = held_failed(&r->run.held, err);
    }
    call_records_free(&r->records);
    call_events_close(&r->events);
    held_close(&r->run.held);
    free(r->looks.list);
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
