#include "engine/syscalls/snapshot/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/self.h"
#include "base/thread.h"
#include "engine/syscalls/snapshot/gather.h"
#include "engine/syscalls/snapshot/stream.h"

enum {
    FIRST_MS = 25, /* until something is traced; then each wait is twice the one before */
    PICTURE_MS = 250,
    PIPE_BYTES = 1 << 20,
    READ_BYTES = 64 * 1024,
    PID_TEXT = 12,    /* bytes of a number and a comma */
    ABSENT_MS = 4000, /* if nobody reads for a little longer, the tracer detaches */
    LET_GO_MS = 3000, /* afterwards the tracer is killed, which also ends the trace */
};

struct syscalls_watch {
    pthread_mutex_t lock; /* protects what follows up to the empty line */
    pthread_cond_t changed;
    struct syscalls_snapshot *snapshot; /* the snapshot that was not taken yet */
    enum syscalls_state state;
    bool ready, stop, started, wanted; /* wanted: the screen waits for a snapshot */

    struct call_feed *feed; /* NULL: none */
    int fd;                 /* readable: a new snapshot */
    int wake;               /* readable: the trace is to stop */
    pthread_t thread;
    bool stacks;
    char *by;   /* the mechanism; NULL: the best */
    char *pids; /* pids of the trace, as -p takes them */
    int32_t skip;
};

/* The state of the reading thread. */
struct reading {
    struct syscalls_watch *w;
    struct syscalls_gather *gather;
    struct syscalls_stream_reader stream;
    struct syscalls_stream_begin begin;
    struct syscalls_stream_end end;
    struct syscalls_stream_tick tick, tick_before;
    uint64_t tick_ns, tick_before_ns, made_ns, stop_ns;
    pid_t pid;
    bool ended, dirty, broken;
    int wait_ms;        /* until the next snapshot: from FIRST_MS to PICTURE_MS */
    uint64_t absent_ns; /* when this program went on after a long pause; 0: never */
};

static void wake_reader(int fd)
{
    const uint64_t one = 1;
    const ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

static void drain_watch_wake(int fd)
{
    uint64_t n;
    const ssize_t ignored = read(fd, &n, sizeof n);
    (void)ignored;
}

/* --- snapshots --- */

static double tracer_cpu(const struct reading *r)
{
    if (r->tick_ns <= r->tick_before_ns || !r->tick_before_ns)
        return NAN;
    return (double)(r->tick.cpu_ns - r->tick_before.cpu_ns) /
           (double)(r->tick_ns - r->tick_before_ns);
}

static void publish_syscalls(struct reading *r, enum syscalls_state state)
{
    struct syscalls_watch *w = r->w;
    const bool going = state == SYSCALLS_TRACING || state == SYSCALLS_STARTING;
    if (r->ended)
        syscalls_gather_lost(r->gather, r->end.result.lost);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(r->gather, going ? env_now_ns() : 0);
    p->state = state;
    snprintf(p->by, sizeof p->by, "%s", r->begin.by);
    snprintf(p->summary, sizeof p->summary, "%s", r->begin.summary);
    p->tracer_cpu = going ? tracer_cpu(r) : NAN;
    if (r->ended)
        memcpy(p->notes, r->end.result.notes, sizeof p->notes);
    if (state == SYSCALLS_STOPPED && !r->ended && !r->stop_ns)
        snprintf(p->notes[0], sizeof p->notes[0],
                 "rooftop was stopped for some seconds, so the trace ended and the program runs "
                 "on; Y traces it again");
    if (state == SYSCALLS_FAILED)
        error_format(&r->end.err, p->why, sizeof p->why);
    pthread_mutex_lock(&w->lock);
    struct syscalls_snapshot *before = w->snapshot;
    w->snapshot = p;
    w->state = state;
    w->wanted = false;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    syscalls_snapshot_unref(before);
    r->made_ns = env_now_ns();
    r->dirty = false;
    wake_reader(w->fd);
}

/* --- records that arrive --- */

static void set_ready(struct reading *r)
{
    pthread_mutex_lock(&r->w->lock);
    r->w->ready = true;
    r->w->state = SYSCALLS_TRACING;
    pthread_cond_broadcast(&r->w->changed);
    pthread_mutex_unlock(&r->w->lock);
}

static void handle_item(struct reading *r, const struct syscalls_stream_item *item)
{
    switch (item->kind) {
    case SYSCALLS_RECORD_BEGIN:
        r->begin = item->begin;
        break;
    case SYSCALLS_RECORD_READY:
        set_ready(r);
        break;
    case SYSCALLS_RECORD_STACK: /* the stream has kept the stack */
        break;
    case SYSCALLS_RECORD_EVENT:
        if (syscalls_gather_add(r->gather, &item->event) && r->w->feed)
            call_feed_add(r->w->feed, &item->event);
        break;
    case SYSCALLS_RECORD_TICK:
        r->tick_before = r->tick;
        r->tick_before_ns = r->tick_ns;
        r->tick = item->tick;
        r->tick_ns = env_now_ns();
        break;
    case SYSCALLS_RECORD_END:
        r->end = item->end;
        r->ended = true;
        break;
    }
    r->dirty = true;
}

/* Reads the records that have arrived. False: nothing more will come. */
static bool read_some(struct reading *r, int fd)
{
    char buffer[READ_BYTES];
    struct syscalls_stream_item item;
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    syscalls_stream_put(&r->stream, buffer, (size_t)n);
    int rc;
    while ((rc = syscalls_stream_take(&r->stream, &item)) > 0)
        handle_item(r, &item);
    r->broken = rc < 0;
    return rc == 0;
}

static bool asked_to_stop(struct reading *r)
{
    pthread_mutex_lock(&r->w->lock);
    const bool stop = r->w->stop;
    pthread_mutex_unlock(&r->w->lock);
    return stop;
}

/* Asks the tracer, in the first call, to end the trace. Returns false if it takes too long. */
static bool stop_tracer_in_time(struct reading *r)
{
    const uint64_t now = env_now_ns();
    if (!r->stop_ns) {
        kill(r->pid, SIGTERM);
        r->stop_ns = now;
    }
    return now - r->stop_ns < LET_GO_MS * UINT64_C(1000000);
}

static bool is_snapshot_due(struct reading *r)
{
    pthread_mutex_lock(&r->w->lock);
    const bool wanted = r->w->wanted;
    pthread_mutex_unlock(&r->w->lock);
    return wanted && env_now_ns() - r->made_ns >= (uint64_t)r->wait_ms * 1000000;
}

/* Whether this program was just stopped for so long that the tracer detached. */
static bool was_absent(const struct reading *r)
{
    return r->absent_ns && env_now_ns() - r->absent_ns < ABSENT_MS * UINT64_C(1000000);
}

/* Reads and publishes snapshots until the tracer has ended. */
static void read_watch_stream(struct reading *r, int fd)
{
    uint64_t looked_ns = env_now_ns();
    for (bool more = true; more;) {
        struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = r->w->wake, .events = POLLIN}};
        if (asked_to_stop(r)) {
            if (!stop_tracer_in_time(r))
                break;
            p[1].fd = -1;
        }
        const int n = poll(p, 2, r->wait_ms);
        const uint64_t now = env_now_ns();
        if (now - looked_ns > ABSENT_MS * UINT64_C(1000000))
            r->absent_ns = now;
        looked_ns = now;
        if (n > 0 && p[1].revents)
            drain_watch_wake(r->w->wake);
        if (n > 0 && p[0].revents)
            more = read_some(r, fd);
        if (more && is_snapshot_due(r)) {
            const enum syscalls_state on = r->begin.by[0] ? SYSCALLS_TRACING : SYSCALLS_STARTING;
            publish_syscalls(r, r->stop_ns ? SYSCALLS_STOPPING : on);
            if (on == SYSCALLS_TRACING)
                r->wait_ms = 2 * r->wait_ms < PICTURE_MS ? 2 * r->wait_ms : PICTURE_MS;
        }
    }
}

static enum syscalls_state end_state(const struct reading *r)
{
    if (!r->ended)
        return r->stop_ns || was_absent(r) ? SYSCALLS_STOPPED : SYSCALLS_FAILED;
    if (r->end.err.kind != ERROR_NONE)
        return SYSCALLS_FAILED;
    return r->end.stopped || r->stop_ns ? SYSCALLS_STOPPED : SYSCALLS_ENDED;
}

static void *run_syscalls_watch(void *arg)
{
    struct syscalls_watch *w = arg;
    struct reading r = {
        .w = w, .gather = syscalls_gather_new(&syscalls_limits_live), .wait_ms = FIRST_MS};
    char by[64];
    char *argv[10] = {NULL, "trace", "--no-config", "--in-process", "-f", "-p", w->pids};
    int n = 7;
    if (w->by)
        argv[n++] = by;
    if (w->stacks)
        argv[n++] = "--stack";
    snprintf(by, sizeof by, "--by=%s", w->by ? w->by : "");
    int fd = -1;
    if (w->skip)
        syscalls_gather_after_exec(r.gather, w->skip);
    publish_syscalls(&r, SYSCALLS_STARTING);
    if (self_start(argv, &r.pid, &fd, NULL, &r.end.err) == 0) {
        fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
        read_watch_stream(&r, fd);
        close(fd); /* ends a tracer that still writes */
        self_end(r.pid, LET_GO_MS);
        if (!r.ended && !r.stop_ns)
            error_set(&r.end.err, ERROR_INTERNAL, EPIPE,
                      "the traced processes run on untraced; Y traces them again", "trace",
                      r.broken ? "the records from the process that traces are damaged"
                               : "the process that traces ended before the trace did");
    }
    publish_syscalls(&r, end_state(&r));
    syscalls_gather_free(r.gather);
    syscalls_stream_free(&r.stream);
    return NULL;
}

/* --- interface --- */

struct syscalls_watch *syscalls_watch_new(const char *by, bool stacks)
{
    struct syscalls_watch *w = xcalloc(1, sizeof *w);
    w->by = by ? xstrdup(by) : NULL;
    w->stacks = stacks;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, &attr);
    pthread_condattr_destroy(&attr);
    w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->state = SYSCALLS_STOPPED;
    return w;
}

void syscalls_watch_feed(struct syscalls_watch *w, struct call_feed *feed)
{
    w->feed = feed;
}

static bool is_on(const struct syscalls_watch *w)
{
    return w->state == SYSCALLS_STARTING || w->state == SYSCALLS_TRACING ||
           w->state == SYSCALLS_STOPPING;
}

static bool join_watch_thread(struct syscalls_watch *w)
{
    if (w->started)
        pthread_join(w->thread, NULL);
    const bool was = w->started;
    w->started = false;
    return was;
}

static char *pids_text(const pid_t *pids, size_t n)
{
    const size_t size = n * PID_TEXT + 1;
    char *text = xcalloc(size, 1);
    for (size_t i = 0, used = 0; i < n; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "", (int)pids[i]);
    return text;
}

int syscalls_watch_begin(struct syscalls_watch *w, const pid_t *pids, size_t n, bool after_exec,
                         struct error *err)
{
    if (syscalls_watch_on(w))
        return error_set(err, ERROR_USAGE, EBUSY, "end it with Y first", "trace",
                         "a trace is running already");
    join_watch_thread(w);
    drain_watch_wake(w->wake);
    free(w->pids);
    w->pids = pids_text(pids, n);
    w->skip = after_exec && n == 1 ? (int32_t)pids[0] : 0;
    pthread_mutex_lock(&w->lock);
    w->stop = w->ready = false;
    w->wanted = true;
    w->state = SYSCALLS_STARTING;
    pthread_mutex_unlock(&w->lock);
    if (w->feed)
        call_feed_begin(w->feed);
    const int rc = thread_start(&w->thread, run_syscalls_watch, w);
    w->started = rc == 0;
    if (rc == 0)
        return 0;
    pthread_mutex_lock(&w->lock);
    w->state = SYSCALLS_FAILED;
    pthread_mutex_unlock(&w->lock);
    return error_set(err, ERROR_INTERNAL, rc, NULL, "trace", "cannot start a thread for it: %s",
                     strerror(rc));
}

/* Waits, with the lock held, until done says so. */
static void wait_for_watch(struct syscalls_watch *w, int ms,
                           bool (*done)(const struct syscalls_watch *))
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!done(w) && pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0)
        ;
}

static bool ready_or_over(const struct syscalls_watch *w)
{
    return w->ready || !is_on(w);
}

static bool is_watch_over(const struct syscalls_watch *w)
{
    return !is_on(w);
}

bool syscalls_watch_ready(struct syscalls_watch *w, int ms)
{
    pthread_mutex_lock(&w->lock);
    wait_for_watch(w, ms, ready_or_over);
    const bool ready = w->ready;
    pthread_mutex_unlock(&w->lock);
    return ready;
}

void syscalls_watch_wait(struct syscalls_watch *w, int ms)
{
    pthread_mutex_lock(&w->lock);
    wait_for_watch(w, ms, is_watch_over);
    pthread_mutex_unlock(&w->lock);
}

bool syscalls_watch_on(struct syscalls_watch *w)
{
    pthread_mutex_lock(&w->lock);
    const bool on = is_on(w);
    pthread_mutex_unlock(&w->lock);
    return on;
}

void syscalls_watch_stop(struct syscalls_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    w->wanted = true;
    pthread_mutex_unlock(&w->lock);
    wake_reader(w->wake);
}

int syscalls_watch_fd(const struct syscalls_watch *w)
{
    return w->fd;
}

const struct syscalls_snapshot *syscalls_watch_take(struct syscalls_watch *w)
{
    drain_watch_wake(w->fd);
    pthread_mutex_lock(&w->lock);
    const struct syscalls_snapshot *p = w->snapshot;
    w->snapshot = NULL;
    w->wanted = w->wanted || p;
    pthread_mutex_unlock(&w->lock);
    return p;
}

void syscalls_watch_free(struct syscalls_watch *w)
{
    if (!w)
        return;
    syscalls_watch_stop(w);
    join_watch_thread(w);
    syscalls_snapshot_unref(w->snapshot);
    close(w->fd);
    close(w->wake);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w->by);
    free(w->pids);
    free(w);
}
