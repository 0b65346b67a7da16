#include "cli/run/trace_syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backends/renacer/trace_file.h"
#include "base/env.h"
#include "base/print.h"
#include "cli/options/exit.h"
#include "cli/run/run_impl.h"
#include "engine/bricks/span_syscalls.h"
#include "engine/bricks/syscall_lanes.h"
#include "engine/syscalls/snapshot/watch.h"

enum { REST_MS = 5000, SLICE_MS = 50, LINE = 240 };

int trace_syscalls_open(struct trace_syscalls *s, const struct options *o, struct error *err)
{
    *s = (struct trace_syscalls){.watch = NULL};
    if (!o->syscalls)
        return 0;
    if (o->pids || o->usdt)
        return error_set(err, ERROR_USAGE, EINVAL, "trace a command, or read files", "--syscalls",
                         "it goes with a command or with files");
    s->lanes = strcmp(o->command, "timeline") == 0;
    if (*o->syscalls) {
        s->file = o->syscalls;
        return 0;
    }
    if (!o->argv)
        return error_set(err, ERROR_USAGE, EINVAL, "--syscalls FILE: rooftop trace --format json",
                         "--syscalls", "a profile needs the trace that was taken with it");
    s->watch = syscalls_watch_new(o->by, o->stack);
    s->feed = call_feed_new(TRACE_SYSCALLS_BYTES);
    syscalls_watch_feed(s->watch, s->feed);
    return 0;
}

/* The command is started by another rooftop, which traces it and passes its status on. */
static void wrap_command(struct target *t, const char *file)
{
    static const char *const before[] = {"/proc/self/exe", "trace", "-f", "--format", "json", "-o"};
    const size_t nbefore = sizeof before / sizeof *before;
    size_t n = 0, at = 0;
    while (t->argv[n])
        n++;
    char **argv = xcalloc(nbefore + n + 3, sizeof *argv);
    for (; at < nbefore; at++)
        argv[at] = xstrdup(before[at]);
    argv[at++] = xstrdup(file);
    argv[at++] = xstrdup("--");
    memcpy(argv + at, t->argv, n * sizeof *argv);
    free(t->argv);
    t->argv = argv;
}

void trace_syscalls_prepare(struct trace_syscalls *s, struct engine_config *config)
{
    if (config->target.kind != TARGET_COMMAND)
        return;
    if (s->watch) {
        run_syscalls_before(config, s->watch);
    } else if (s->file) {
        wrap_command(&config->target, s->file);
    }
}

static int refuse_syscalls(const struct syscalls_snapshot *p, struct error *err)
{
    return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "rooftop doctor says what works here",
                     "--syscalls", "%s",
                     p && p->why[0] ? p->why : "the tracer did not begin in time");
}

static void note_picture(const struct syscalls_snapshot *p)
{
    char line[LINE];
    if (p->lost) {
        print_line(line, sizeof line, "%" PRIu64 " system calls were lost by %s", p->lost, p->by);
        exit_note(line);
    }
    for (size_t i = 0; i < TRACER_NOTES && p->notes[i][0]; i++)
        exit_note(p->notes[i]);
}

/* Reads on until all calls from before now have come: the tracer may be far behind. */
static void wait_for_rest(struct trace_syscalls *s)
{
    const uint64_t now = env_now_ns();
    uint64_t before = 0, added;
    int quiet_ms = 0;
    while (syscalls_watch_on(s->watch) && quiet_ms < REST_MS) {
        syscalls_watch_wait(s->watch, SLICE_MS);
        if (call_feed_latest(s->feed, &added) > now)
            return;
        quiet_ms = added == before ? quiet_ms + SLICE_MS : 0;
        before = added;
    }
}

int trace_syscalls_end(struct trace_syscalls *s, struct error *err)
{
    if (!s->watch)
        return 0;
    wait_for_rest(s);
    if (syscalls_watch_on(s->watch)) { /* a process that the command left behind still runs */
        syscalls_watch_stop(s->watch);
        syscalls_watch_wait(s->watch, REST_MS);
    }
    const struct syscalls_snapshot *p = syscalls_watch_take(s->watch);
    const bool failed = !p || p->state == SYSCALLS_FAILED;
    const int rc = failed ? refuse_syscalls(p, err) : 0;
    if (!failed)
        note_picture(p);
    syscalls_snapshot_unref(p);
    uint64_t trace, begin_ns;
    s->recent = call_feed_take(s->feed, &trace, &begin_ns);
    syscalls_watch_free(s->watch);
    s->watch = NULL;
    return rc;
}

/* Calls are matched with spans by time, so both must have the same clock. */
static int check_clocks(const struct trace *t, struct error *err)
{
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const uint32_t clock = t->files[i].clock.name;
        if (clock == GRAPH_NONE || strcmp(graph_text(t->calls, clock), "CLOCK_MONOTONIC") != 0)
            return error_set(err, ERROR_INPUT, EINVAL,
                             "--syscalls goes with recordings of librooftop (.bricks)",
                             t->files[i].path, "its times are of another clock");
    }
    return 0;
}

/* Where the calls of a file go. */
struct counting {
    struct span_syscalls *spans;
    struct syscall_recent *recent; /* NULL: they are not kept */
};

static void on_call(void *ctx, const struct syscall_event *e)
{
    struct counting *c = ctx;
    span_syscalls_add(c->spans, e);
    if (c->recent)
        syscall_recent_add(c->recent, e);
}

static int count_file(struct counting *c, const char *path, struct error *err)
{
    char line[LINE];
    struct syscall_trace_file file = {.has_processes = false};
    const struct syscall_sink sink = {.event = on_call, .ctx = c};
    int rc = syscall_trace_read(path, NULL, &sink, &file, err);
    if (rc == 0 && !file.has_processes)
        rc = error_set(err, ERROR_INPUT, EINVAL, "save it with rooftop trace --format json", path,
                       "it does not say when its calls were made");
    if (rc == 0 && file.lost) {
        snprintf(line, sizeof line, "%" PRIu64 " system calls were lost when this was traced",
                 file.lost);
        exit_note(line);
    }
    return rc;
}

static void count_recent(struct span_syscalls *c, const struct syscall_recent *r)
{
    const size_t n = syscall_recent_count(r);
    for (size_t i = 0; i < n; i++) {
        const struct syscall_event e = syscall_recent_at(r, i);
        span_syscalls_add(c, &e);
    }
}

static void note_counts(const struct trace *t, uint64_t dropped)
{
    char line[LINE];
    if (t->lost) { /* their calls are counted in the spans around them */
        snprintf(line, sizeof line,
                 "%" PRIu64 " spans are known as sums only: their system calls count as outside",
                 t->lost);
        exit_note(line);
    }
    if (dropped) {
        snprintf(line, sizeof line,
                 "the first %" PRIu64 " system calls are not counted: the last %d in %d MiB are "
                 "kept; with a file after --syscalls, all are",
                 dropped, TRACE_SYSCALLS_BYTES / SYSCALL_RECENT_BYTES, TRACE_SYSCALLS_BYTES >> 20);
        exit_note(line);
    }
}

/* Adds lanes of calls. This comes after the counts, which are of the graph without these lanes. */
static void draw_call_spans(struct trace *t, const struct syscall_recent *recent)
{
    char line[LINE];
    const uint32_t before = t->calls->nnodes;
    const struct syscall_lanes made = syscall_lanes_add(t->calls, recent, 0);
    for (uint32_t i = before; i < t->calls->nnodes; i++)
        trace_set_place(t, i, GRAPH_NONE);
    char apart[VALUE_TEXT_MAX];
    if (!made.apart)
        return;
    snprintf(line, sizeof line,
             "%" PRIu64 " system calls are drawn as %" PRIu32
             " spans: those less than %s apart are one",
             made.calls, made.spans, value_time((double)made.apart, true, apart));
    exit_note(line);
}

int trace_syscalls_count(struct trace_syscalls *s, struct trace *t, struct error *err)
{
    if (!s->file && !s->feed)
        return 0;
    struct span_syscalls *c = span_syscalls_new(t->calls);
    const uint64_t dropped = s->recent ? syscall_recent_dropped(s->recent) : 0;
    int rc = 0;
    if (!s->recent && s->feed) {
        s->recent = syscall_recent_new(0); /* no call was made */
    } else if (s->recent) {
        count_recent(c, s->recent);
    } else {
        s->recent = s->lanes ? syscall_recent_new(TRACE_SYSCALLS_BYTES) : NULL;
        rc = count_file(&(struct counting){c, s->recent}, s->file, err);
    }
    rc = rc == 0 ? check_clocks(t, err) : rc;
    if (rc == 0) {
        graph_set_syscalls(t->sums, span_syscalls_sums(c, t->sums, t->place));
        graph_set_syscalls(t->calls, span_syscalls_sums(c, t->calls, NULL));
        t->sums->syscalls->dropped = t->calls->syscalls->dropped = dropped;
        note_counts(t, dropped);
        if (s->lanes)
            draw_call_spans(t, s->recent);
    }
    span_syscalls_free(c);
    return rc;
}

void trace_syscalls_close(struct trace_syscalls *s)
{
    syscalls_watch_free(s->watch);
    call_feed_free(s->feed);
    syscall_recent_free(s->recent);
    *s = (struct trace_syscalls){.watch = NULL};
}
