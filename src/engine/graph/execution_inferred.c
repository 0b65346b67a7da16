/* Finds device work that began right after work of another queue, and long after its known causes:
 * it probably waited for an event that the profile does not show. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "base/watch.h"
#include "engine/graph/execution.h"

enum { TRIES = 64, AFTER_NS = 300 /* clocks of two queues agree so far */, SHARE = 50 };

static uint64_t end_of_inferred_work(const struct graph *g, uint32_t v)
{
    return g->start[v] + g->duration[v];
}

/* The time at which all known causes had let each work begin; 0: no cause is known. */
static uint64_t *find_known_begins(const struct graph *g, const uint32_t *work, size_t n)
{
    uint8_t *is = xcalloc(g->nnodes + (size_t)1, 1);
    uint64_t *known = xcalloc(g->nnodes + (size_t)1, sizeof *known); /* of queues: the last end */
    for (size_t i = 0; i < n; i++) {
        uint32_t queue = g->parent[work[i]];
        is[work[i]] = 1;
        known[work[i]] = known[queue];
        known[queue] = end_of_inferred_work(g, work[i]);
    }
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t from = g->edge_from[e], to = g->edge_to[e];
        uint8_t kind = g->edge_kind[e];
        if (!is[to] || !graph_has_time(g, from) ||
            (kind != EDGE_LAUNCHES && kind != EDGE_DEPENDS && kind != EDGE_INFERRED))
            continue;
        uint64_t at = kind == EDGE_LAUNCHES ? g->start[from] + EXECUTION_LAUNCH_NS
                                            : end_of_inferred_work(g, from);
        known[to] = at > known[to] ? at : known[to];
    }
    free(is);
    return known;
}

/* How soon after the end of another work a work that had waited so long must begin to be explained
 * by it: longer if the end would hardly be there by chance. */
static uint64_t close_to(uint64_t waited)
{
    const uint64_t more = waited / SHARE < EXECUTION_FAR_NS ? waited / SHARE : EXECUTION_FAR_NS;
    return more > EXECUTION_CLOSE_NS ? more : EXECUTION_CLOSE_NS;
}

/* The work that ended last before v begins; GRAPH_NONE if it is of v's queue or ended long before.
 * at: v's place in the order of end. known: when v could have begun; 0: not known. */
static uint32_t just_before(const struct graph *g, const uint32_t *work, size_t at, uint32_t v,
                            uint64_t known)
{
    const uint32_t program = graph_root(g, v);
    const uint64_t close = close_to(known ? g->start[v] - known : 0);
    for (int tries = 0; tries < TRIES && at-- > 0;) {
        uint32_t p = work[at];
        if (end_of_inferred_work(g, p) > g->start[v] + AFTER_NS)
            continue; /* it ran at the same time as v */
        tries++;
        if (end_of_inferred_work(g, p) + close < g->start[v])
            return GRAPH_NONE;
        if (graph_root(g, p) == program)
            return g->parent[p] == g->parent[v] || g->start[p] >= g->start[v] ? GRAPH_NONE : p;
    }
    return GRAPH_NONE;
}

/* The number of works that have ended at a time. */
static size_t count_works_ended_at(const struct graph *g, const uint32_t *work, size_t n,
                                   uint64_t at)
{
    size_t lo = 0;
    SEARCH_FIRST(lo, n, end_of_inferred_work(g, work[lo]) <= at);
    return lo;
}

void execution_inferred(struct graph *calls, const uint32_t *work, size_t n)
{
    if (n == 0)
        return;
    uint64_t *known = find_known_begins(calls, work, n);
    for (size_t i = 0; i < n && !watch_stops(i); i++) {
        uint32_t v = work[i];
        uint64_t start = calls->start[v];
        if (known[v] + EXECUTION_NEAR_NS >= start + AFTER_NS)
            continue; /* a known cause that ended shortly before explains it */
        uint32_t other = just_before(
            calls, work, count_works_ended_at(calls, work, n, start + AFTER_NS), v, known[v]);
        if (other != GRAPH_NONE &&
            known[v] + EXECUTION_NEAR_NS < end_of_inferred_work(calls, other))
            graph_connect(calls, other, v, EDGE_INFERRED);
    }
    free(known);
}
