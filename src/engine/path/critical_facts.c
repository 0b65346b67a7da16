/* Collects what the arcs of an execution graph need before the passes walk them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/thread.h"
#include "base/watch.h"
#include "engine/graph/execution.h"
#include "engine/path/critical_path_impl.h"

enum { WORTH_A_THREAD = 100000 /* nodes */ };

static void sort_edges(struct path_work *w)
{
    const struct graph *g = w->g;
    uint32_t *begin = w->first_edge;
    for (uint32_t i = 0; i < g->nedges; i++)
        if (binds(g->edge_kind[i]))
            begin[g->edge_from[i]]++;
    uint32_t sum = 0;
    for (uint32_t v = 0; v < g->nnodes; v++)
        begin[v] = sum += begin[v]; /* the end of v's edges; filled from there downwards */
    begin[g->nnodes] = sum;
    for (uint32_t i = g->nedges; i-- > 0;)
        if (binds(g->edge_kind[i]))
            w->edge[--begin[g->edge_from[i]]] = packed_edge(g->edge_to[i], g->edge_kind[i]);
}

/* A list with GRAPH_NONE for each node. */
static uint32_t *nobody(const struct graph *g)
{
    uint32_t *list = xcalloc(g->nnodes + 1u, sizeof *list);
    memset(list, 0xff, g->nnodes * sizeof *list);
    return list;
}

static void find_joins(struct path_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t from = g->edge_from[i], to = g->edge_to[i];
        if (g->edge_kind[i] != EDGE_JOINS)
            continue;
        uint64_t end = end_time(g, from), its = end_time(g, to);
        if (end == GRAPH_UNKNOWN || its == GRAPH_UNKNOWN)
            continue;
        if (!w->joined)
            w->joined = nobody(g);
        if (end <= its && end > last_end(g, w->joined, to)) /* otherwise the two clocks differ */
            w->joined[to] = from;
    }
}

/* Finds launchers: edges of launches from calls to nodes that are not below them. */
static void find_launchers(struct path_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t i = 0; i < g->nedges; i++) {
        if (g->edge_kind[i] != EDGE_LAUNCHES)
            continue;
        if (!w->launcher)
            w->launcher = nobody(g);
        w->launcher[g->edge_to[i]] = g->edge_from[i];
    }
}

static void find_neighbours(struct path_work *w)
{
    const struct graph *g = w->g;
    bool waits = false;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t a = g->edge_from[i], b = g->edge_to[i];
        waits |= binds(g->edge_kind[i]) && g->edge_kind[i] != EDGE_SEQUENCE &&
                 g->edge_kind[i] != EDGE_JOINS; /* a launch takes no time while the queue is busy */
        if (g->edge_kind[i] == EDGE_SEQUENCE && g->parent[a] == g->parent[b]) {
            set_bit(w->after, a);
            set_bit(w->before, b);
        }
    }
    if (!waits) /* then a node waited only for its neighbour */
        return;
    w->ready = nobody(g);
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t from = g->edge_from[i], to = g->edge_to[i];
        uint64_t end = orders(g->edge_kind[i]) ? end_time(g, from) : GRAPH_UNKNOWN;
        if (end != GRAPH_UNKNOWN && end <= g->start[to] && end > last_end(g, w->ready, to))
            w->ready[to] = from;
    }
}

/* Marks the nodes whose own time is unknown. Calls that wait for something unknown are recognised
 * by name; each of the few names is checked once. */
static void find_unknown(struct path_work *w)
{
    const struct graph *g = w->g;
    bool *waits = xcalloc(g->nnames + (size_t)1, sizeof *waits), any = false;
    for (uint32_t i = 0; i < g->nnames; i++)
        any |= waits[i] = execution_is_wait(graph_text(g, i));
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (g->kind[v] == NODE_FUNCTION ? any && g->name[v] < g->nnames && waits[g->name[v]]
                                        : graph_is_unknown(g, v))
            set_bit(w->unknown, v);
    free(waits);
}

/* Whether the passes need to know when devices were busy: for latency of launches, or for anything
 * that is not device work. */
static bool asks_for_busy(const struct path_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t v = 0; v < g->nnodes && !w->launcher; v++)
        if (g->kind[v] != NODE_KERNEL && g->kind[v] != NODE_TRANSFER &&
            g->duration[v] != GRAPH_UNKNOWN)
            return true;
    return w->launcher;
}

/* Only if needed: it sorts all work, which takes as long as the other passes together. */
static void find_busy(struct path_work *w)
{
    w->busy = asks_for_busy(w) ? busy_find(w->g, NULL) : NULL;
}

static void find_inner(struct path_work *w)
{
    const struct graph *g = w->g;
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (g->first_child[v] != GRAPH_NONE)
            set_bit(w->inner.bits, v);
    for (uint32_t i = 0; i < g->nedges; i++)
        if (g->edge_kind[i] == EDGE_JOINS)
            set_bit(w->inner.bits, g->edge_to[i]);
    for (uint32_t i = 0; i <= g->nnodes / 64; i++) {
        w->inner.before[i] = w->inner.n;
        w->inner.n += (uint32_t)__builtin_popcountll(w->inner.bits[i]);
    }
}

/* Allocates n zeroed elements. Large graphs take gigabytes and touch each page once, so huge pages
 * save Linux most of its page faults. Without huge pages nothing is lost. */
static void *large(size_t n, size_t size)
{
    enum { PAGE = 2 << 20 };
    char *p = calloc(n, size);
    uintptr_t skip = p ? (PAGE - (uintptr_t)p % PAGE) % PAGE : 0;
    if (p && n * size >= skip + PAGE)
        madvise(p + skip, (n * size - skip) / PAGE * PAGE, MADV_HUGEPAGE);
    return p;
}

void critical_path_release(struct path_work *w)
{
    void *own[] = {w->first_edge, w->edge,  w->inner.bits, w->inner.before, w->link,
                   w->done,       w->early, w->tail,       w->ready,        w->joined,
                   w->before,     w->after, w->launcher,   w->unknown,      w->rest};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
    busy_free(w->busy);
}

static bool reserve(struct path_work *w, bool tails)
{
    size_t n = w->g->nnodes;
    w->inner.bits = large(n / 64 + 1, sizeof *w->inner.bits);
    w->inner.before = large(n / 64 + 1, sizeof *w->inner.before);
    if (!w->inner.bits || !w->inner.before)
        return false;
    find_inner(w);
    n += w->inner.n;
    w->first_edge = large(w->g->nnodes + 2u, sizeof *w->first_edge);
    w->edge = large(w->g->nedges + 1u, sizeof *w->edge);
    w->before = large(w->g->nnodes / 64 + 1u, sizeof *w->before);
    w->after = large(w->g->nnodes / 64 + 1u, sizeof *w->after);
    w->unknown = large(w->g->nnodes / 64 + 1u, sizeof *w->unknown);
    w->link = large(n + 1, sizeof *w->link);
    w->done = large(n / 64 + 1, sizeof *w->done);
    w->early = large(n + 1, sizeof *w->early);
    w->tail = tails ? large(n + 1, sizeof *w->tail) : NULL;
    /* takes memory only where it is written */
    w->rest = tails ? large(n + 1, sizeof *w->rest) : NULL;
    return w->first_edge && w->edge && w->before && w->after && w->unknown && w->link && w->done &&
           w->early && ((w->tail && w->rest) || !tails);
}

static void *run_sort(void *ctx)
{
    sort_edges(ctx);
    return NULL;
}

int critical_path_prepare(struct path_work *w, bool tails, struct error *err)
{
    pthread_t sorter;
    if (!reserve(w, tails))
        return error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it",
                         "find the critical path", "no memory for %u nodes", w->g->nnodes);
    bool sorts = w->g->nnodes >= WORTH_A_THREAD && thread_start(&sorter, run_sort, w) == 0;
    static void (*const passes[])(struct path_work * w) = {find_neighbours, find_joins,
                                                           find_launchers, find_unknown, find_busy};
    int rc = 0;
    for (size_t i = 0; i < sizeof passes / sizeof *passes && rc == 0; i++) {
        passes[i](w);
        rc = watch_check("find the critical path", err);
    }
    if (sorts)
        pthread_join(sorter, NULL);
    else
        sort_edges(w);
    return rc == 0 ? watch_check("find the critical path", err) : rc;
}
