#include "backends/usdt/usdt_impl.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"

enum {
    PASS_MS = 20,
    SLACK_NS = 1000000,    /* an event is in its ring at most this long after its time */
    LOOK_NS = 1000000000,  /* how often processes are searched for new files */
    MOMENTS_MAX = 4 << 20, /* limit at a time; 250 MB */
    PROCESSES_LOOKED_AT = 64,
};

struct usdt_follow {
    const struct perf_sys *sys;
    int bell; /* eventfd: wakes the thread */
    pthread_t thread;
    bool threaded;

    pthread_mutex_t lock; /* protects all fields below */
    bool stop;
    struct usdt_events *events;
    struct probe_places places;
    struct usdt_spans *spans;
    size_t named; /* number of pairs whose names `spans` already has */
    size_t refused, watched;
    struct error refusal;
    struct usdt_moment *moments; /* not yet passed to spans */
    size_t nmoments, moments_cap;
    uint64_t order, lost, looked_ns;
    bool executed; /* a process has executed another program */
};

/* --- from files to events --- */

/* Starts watching the places that belong to a pair and are not watched yet. */
static void watch_new_places(struct usdt_follow *w)
{
    struct probe_places *p = &w->places;
    for (; w->named < p->npairs; w->named++)
        spans_name(w->spans, (uint32_t)w->named, p->pairs[w->named].pair.name);
    for (size_t i = 0; i < p->n; i++) {
        struct probe_place *at = &p->list[i];
        struct error err = ERROR_INIT;
        if (at->tried || !places_wanted(p, at->probe))
            continue;
        at->tried = true;
        struct usdt_place place = {at->path, at->dev, at->inode, at->offset, at->semaphore_offset,
                                   at->probe};
        if (usdt_events_add(w->events, &place, &err) == 0) {
            w->watched++;
            continue;
        }
        if (w->refused++ == 0)
            w->refusal = err;
    }
}

/* Reads what the watched processes have mapped now. */
static void look_at_maps(struct usdt_follow *w, uint64_t now, uint64_t until)
{
    pid_t pids[PROCESSES_LOOKED_AT];
    struct objects *o = xcalloc(1, sizeof *o);
    size_t n = spans_processes(w->spans, pids, PROCESSES_LOOKED_AT);
    bool more = false;
    for (size_t i = 0; i < n; i++) {
        if (objects_of_process(o, pids[i], NULL) == 0)
            more |= places_look(&w->places, o);
        objects_free(o);
    }
    free(o);
    if (more)
        watch_new_places(w);
    spans_sweep(w->spans, true, until);
    w->looked_ns = now;
    w->executed = false;
}

/* --- from events to spans --- */

static void keep_moment(void *ctx, const struct usdt_moment *m)
{
    struct usdt_follow *w = ctx;
    if (w->nmoments == w->moments_cap) {
        if (w->moments_cap == MOMENTS_MAX) {
            w->lost++;
            return;
        }
        w->moments_cap = w->moments_cap ? 2 * w->moments_cap : 4096;
        w->moments = xrealloc(w->moments, w->moments_cap, sizeof *w->moments);
    }
    w->moments[w->nmoments] = *m;
    w->moments[w->nmoments++].order = w->order++;
}

static int compare_moments(const void *a, const void *b)
{
    const struct usdt_moment *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Handles a probe hit; one probe may end one pair and begin another. */
static void handle_probe_hit(struct usdt_follow *w, const struct usdt_moment *m)
{
    const struct probe_places *p = &w->places;
    const struct place_probe *probe = &p->probes[m->probe];
    for (uint32_t i = probe->ends; i != PLACES_NONE; i = p->pairs[i].next_end)
        spans_end(w->spans, m->pid, m->tid, i, m->time);
    for (uint32_t i = probe->begins; i != PLACES_NONE; i = p->pairs[i].next_begin)
        spans_begin(w->spans, m->pid, m->tid, i, m->time);
}

static void take_moment(struct usdt_follow *w, const struct usdt_moment *m)
{
    switch (m->what) {
    case USDT_HIT:
        handle_probe_hit(w, m);
        break;
    case USDT_FORK:
        spans_fork(w->spans, m->parent, m->pid);
        break;
    case USDT_EXIT:
        spans_exit(w->spans, m->pid, m->tid);
        break;
    default:
        w->executed |= m->what == USDT_EXEC && spans_watched(w->spans, m->pid);
        spans_comm(w->spans, m->pid, m->tid, m->name, m->what == USDT_EXEC);
        break;
    }
}

/* Passes events on in order of time. Each ring alone is in order, so events later than the start of
 * this pass wait for the next one: a ring that was read earlier may still get older events. */
static void pass_moments_on(struct usdt_follow *w, bool last)
{
    uint64_t now = env_now_ns(), until = last ? UINT64_MAX : now - SLACK_NS;
    size_t n = 0;
    w->lost += usdt_events_read(w->events, keep_moment, w);
    if (w->nmoments)
        qsort(w->moments, w->nmoments, sizeof *w->moments, compare_moments);
    while (n < w->nmoments && w->moments[n].time <= until)
        take_moment(w, &w->moments[n++]);
    if (n)
        memmove(w->moments, w->moments + n, (w->nmoments - n) * sizeof *w->moments);
    w->nmoments -= n;
    spans_sweep(w->spans, false, until);
    if (w->executed || now - w->looked_ns >= LOOK_NS)
        look_at_maps(w, now, until);
}

/* --- the thread --- */

static void *follow_programs(void *arg)
{
    struct usdt_follow *w = arg;
    struct pollfd bell = {.fd = w->bell, .events = POLLIN};
    for (bool stop = false; !stop;) {
        poll(&bell, 1, PASS_MS);
        pthread_mutex_lock(&w->lock);
        stop = w->stop;
        if (!stop)
            pass_moments_on(w, false);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

static int start_thread(struct usdt_follow *w, struct error *err)
{
    sigset_t all, before; /* the front end's thread handles signals */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&w->thread, NULL, follow_programs, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        return error_set(err, ERROR_INTERNAL, rc, "raise the limit of threads (ulimit -u)",
                         "start the thread that reads probes", "%s", strerror(rc));
    w->threaded = true;
    return 0;
}

/* Reads the target's files, as far as they are known now. */
static int first_look(struct usdt_follow *w, const struct target *t, pid_t command,
                      struct error *err)
{
    struct objects *o = xcalloc(1, sizeof *o);
    int rc = 0;
    if (command) {
        spans_watch(w->spans, command);
        /* if not found, its start will report it */
        if (objects_of_program(o, t->argv[0], NULL) == 0)
            places_look(&w->places, o);
        objects_free(o);
    }
    for (size_t i = 0; i < t->npids && rc == 0; i++) {
        spans_watch(w->spans, t->pids[i]);
        rc = objects_of_process(o, t->pids[i], err);
        if (rc == 0)
            places_look(&w->places, o);
        objects_free(o);
    }
    free(o);
    if (rc == 0)
        watch_new_places(w);
    w->looked_ns = env_now_ns();
    return rc;
}

int usdt_follow(struct usdt_follow **out, const struct perf_sys *sys, const struct target *target,
                const char *patterns, const char *folder, pid_t command, struct error *err)
{
    struct usdt_follow *w = xcalloc(1, sizeof *w);
    w->sys = sys;
    pthread_mutex_init(&w->lock, NULL);
    w->spans = spans_new(folder);
    w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int rc = places_init(&w->places, patterns, err);
    if (rc == 0)
        rc = usdt_events_open(&w->events, sys, err);
    if (rc == 0)
        rc = first_look(w, target, command, err);
    if (rc == 0 && w->watched == 0 && w->refused > 0) { /* nothing can be watched */
        *err = w->refusal;
        rc = err->code ? -err->code : -1;
    }
    if (rc == 0)
        rc = start_thread(w, err);
    if (rc != 0) {
        usdt_follow_end(w);
        return rc;
    }
    *out = w;
    return 0;
}

void usdt_follow_end(struct usdt_follow *w)
{
    if (!w)
        return;
    if (w->threaded) {
        uint64_t one = 1;
        pthread_mutex_lock(&w->lock);
        w->stop = true;
        pthread_mutex_unlock(&w->lock);
        ssize_t ignored = write(w->bell, &one, sizeof one);
        (void)ignored;
        pthread_join(w->thread, NULL);
    }
    usdt_events_close(w->events);
    spans_free(w->spans);
    places_free(&w->places);
    free(w->moments);
    close(w->bell);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

/* Lists some of the existing probes, for a user who asked for others. */
static void list_probes(const struct probe_places *p, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->nprobes && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s:%s", i ? ", " : "", p->names[i].provider,
                              p->names[i].name);
    if (n >= size && size > 4)
        memcpy(out + size - 4, "...", 4);
}

void usdt_follow_collect(struct usdt_follow *w, bool last, struct usdt_status *out)
{
    pthread_mutex_lock(&w->lock);
    pass_moments_on(w, last);
    *out = (struct usdt_status){.totals = spans_totals(w->spans),
                                .lost = w->lost,
                                .pairs = w->places.npairs,
                                .places = w->watched,
                                .refused = w->refused};
    if (w->refused)
        error_format(&w->refusal, out->why, sizeof out->why);
    if (w->places.npairs == 0)
        list_probes(&w->places, out->near, sizeof out->near);
    pthread_mutex_unlock(&w->lock);
}
