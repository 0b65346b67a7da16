#include "engine/graph/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/graph/graph_order.h"

enum { TRIES = 1024 /* how much work of other programs is skipped */, LOOK = 256 };

static bool has_time(const struct graph *g, uint32_t v)
{
    return g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}

static uint64_t end_of(const struct graph *g, uint32_t v)
{
    return g->start[v] + g->duration[v];
}

static bool is_device_work(const struct graph *g, uint32_t v)
{
    return (g->kind[v] == NODE_KERNEL || g->kind[v] == NODE_TRANSFER) && has_time(g, v) &&
           g->parent[v] != GRAPH_NONE && g->kind[g->parent[v]] == NODE_QUEUE;
}

/* --- order within lanes --- */

static bool is_inside(const struct graph *g, uint32_t v)
{
    return has_time(g, v) && g->parent[v] != GRAPH_NONE && !graph_is_context(g, v);
}

/* Adds the edges among the children of one parent; list is in order of start. */
static void connect(struct graph *calls, const uint32_t *list, uint32_t n)
{
    uint32_t last = list[0];
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = list[i];
        if (end_of(calls, last) <= calls->start[v])
            graph_connect(calls, last, v, EDGE_SEQUENCE);
        if (end_of(calls, v) >= end_of(calls, last))
            last = v;
    }
}

void execution_sequence(struct graph *calls, uint32_t from, uint32_t to)
{
    uint32_t n, *list = graph_by_parent(calls, from, to, is_inside, &n);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = i + 1;
        while (end < n && calls->parent[list[end]] == calls->parent[list[i]])
            end++;
        graph_by_time(calls, list + i, end - i, false);
        connect(calls, list + i, end - i);
        if (watch_given_up())
            break;
    }
    free(list);
}

/* --- what the host waits for --- */

bool execution_is_sync(const char *name)
{
    return strstr(name, "Synchronize") || strstr(name, "hsa_signal_wait");
}

static int by_text(const void *key, const void *name)
{
    return strcmp(key, *(const char *const *)name);
}

/* Calls of POSIX, Linux and glibc that sleep, by their names in Nsight Systems' OSRT tables. Locks
 * are left out: their holder works. */
bool execution_is_wait(const char *name)
{
    static const char *const waits[] = {
        "accept",
        "accept4",
        "clock_nanosleep",
        "epoll_pwait",
        "epoll_pwait2",
        "epoll_wait",
        "futex",
        "io_getevents",
        "mq_receive",
        "mq_timedreceive",
        "msgrcv",
        "nanosleep",
        "pause",
        "poll",
        "ppoll",
        "pselect",
        "pthread_barrier_wait",
        "pthread_cond_clockwait",
        "pthread_cond_timedwait",
        "pthread_cond_wait",
        "pthread_join",
        "pthread_timedjoin_np",
        "select",
        "sem_clockwait",
        "sem_timedwait",
        "sem_wait",
        "sigsuspend",
        "sigtimedwait",
        "sigwait",
        "sigwaitinfo",
        "sleep",
        "usleep",
        "wait",
        "wait3",
        "wait4",
        "waitid",
        "waitpid",
    };
    return bsearch(name, waits, sizeof waits / sizeof *waits, sizeof *waits, by_text);
}

bool execution_is_blocking_copy(const char *name)
{
    return strstr(name, "Memcpy") && !strstr(name, "Async");
}

static uint32_t program_of(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

/* The program that a work belongs to: the one that launched it, if the launch is known, because
 * some profilers show a GPU as a program of its own. */
static uint32_t *find_owners(const struct graph *g, const uint32_t *work, size_t n)
{
    uint32_t *owner = xcalloc(g->nnodes + (size_t)1, sizeof *owner);
    memset(owner, 0xff, (g->nnodes + (size_t)1) * sizeof *owner);
    for (size_t i = 0; i < n; i++)
        owner[work[i]] = program_of(g, work[i]);
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_kind[e] == EDGE_LAUNCHES && owner[g->edge_to[e]] != GRAPH_NONE)
            owner[g->edge_to[e]] = program_of(g, g->edge_from[e]);
    return owner;
}

/* The work that ended last during a call, or GRAPH_NONE. It was launched before the wait ended,
 * because work that begins later cannot end in time. */
static uint32_t last_ended(const struct graph *g, const uint32_t *work, size_t n,
                           const uint32_t *owner, uint32_t call)
{
    uint64_t begin = g->start[call], end = end_of(g, call);
    uint32_t program = program_of(g, call);
    size_t lo = 0, hi = n;
    while (lo < hi) { /* finds the first work that ends after the call */
        size_t mid = lo + (hi - lo) / 2;
        if (end_of(g, work[mid]) <= end)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int tries = 0; tries < TRIES && lo > 0 && end_of(g, work[lo - 1]) >= begin; lo--, tries++)
        if (owner[work[lo - 1]] == program)
            return work[lo - 1];
    return GRAPH_NONE;
}

enum { SYNC = 1, BLOCKING_COPY };

/* Classifies each name once, because there are few names and many calls. */
static uint8_t *classify(const struct graph *g, bool found[static BLOCKING_COPY + 1])
{
    uint8_t *what = xcalloc(g->nnames + 1u, 1);
    for (uint32_t i = 0; i < g->nnames; i++) {
        const char *name = graph_text(g, i);
        what[i] = execution_is_sync(name)            ? SYNC
                  : execution_is_blocking_copy(name) ? BLOCKING_COPY
                                                     : 0;
        found[what[i]] = true;
    }
    return what;
}

/* work: n nodes in order of end. */
static void add_syncs(struct graph *calls, uint32_t from, uint32_t to, const uint8_t *what,
                      const uint32_t *work, uint32_t n)
{
    uint32_t *owner = find_owners(calls, work, n);
    for (uint32_t v = from; v < to; v++) {
        if (v % LOOK == 0 && watch_given_up())
            break;
        if (calls->kind[v] != NODE_FUNCTION || what[calls->name[v]] != SYNC || !has_time(calls, v))
            continue;
        uint32_t awaited = last_ended(calls, work, n, owner, v);
        if (awaited != GRAPH_NONE)
            graph_connect(calls, awaited, v, EDGE_JOINS);
    }
    free(owner);
}

/* edges: as many as there were before any of those. */
static void add_copies(struct graph *calls, uint32_t from, uint32_t to, const uint8_t *what,
                       uint32_t edges)
{
    for (uint32_t e = 0; e < edges; e++) {
        uint32_t call = calls->edge_from[e], copy = calls->edge_to[e];
        if (calls->edge_kind[e] == EDGE_LAUNCHES && call >= from && call < to && copy >= from &&
            copy < to && calls->kind[call] == NODE_FUNCTION &&
            what[calls->name[call]] == BLOCKING_COPY && is_device_work(calls, copy) &&
            has_time(calls, call) && end_of(calls, copy) <= end_of(calls, call))
            graph_connect(calls, copy, call, EDGE_JOINS);
    }
}

uint32_t *execution_device_work(const struct graph *calls, uint32_t from, uint32_t to, uint32_t *n)
{
    uint32_t *work = graph_by_parent(calls, from, to, is_device_work, n);
    graph_by_time(calls, work, *n, true);
    return work;
}

void execution_waits(struct graph *calls, uint32_t from, uint32_t to, const uint32_t *work,
                     uint32_t n)
{
    bool found[BLOCKING_COPY + 1] = {false};
    uint32_t edges = calls->nedges;
    uint8_t *what = classify(calls, found);
    if (found[SYNC] && n > 0 && !watch_given_up())
        add_syncs(calls, from, to, what, work, n);
    if (found[BLOCKING_COPY])
        add_copies(calls, from, to, what, edges);
    if (!watch_given_up())
        execution_inferred(calls, work, n);
    free(what);
}
