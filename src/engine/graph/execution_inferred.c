/* Finds device work whose start nothing in the profile explains, and what it probably waited for.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/graph/execution.h"

enum { TRIES = 1024 }; /* at most so much work is skipped in a search */
enum { IS_WORK = 1, IS_EXPLAINED = 2, HAS_BEFORE = 4 };

static uint64_t end_of(const struct graph *g, uint32_t v)
{
    return g->start[v] + g->duration[v];
}

static uint32_t program_of(const struct graph *g, uint32_t v)
{
    while (g->parent[v] != GRAPH_NONE)
        v = g->parent[v];
    return v;
}

/* Whether an edge explains the start of its work: its source ended shortly before, or it is a
 * launch that was still running. */
static bool explains(const struct graph *g, uint32_t edge)
{
    uint32_t from = g->edge_from[edge], to = g->edge_to[edge];
    bool launch = g->edge_kind[edge] == EDGE_LAUNCHES;
    if (g->start[from] == GRAPH_UNKNOWN || g->duration[from] == GRAPH_UNKNOWN)
        return false;
    uint64_t at = g->start[to], since = end_of(g, from);
    return since > at ? launch : at - since <= EXECUTION_EXPLAINED_NS;
}

static uint8_t *look_at_edges(const struct graph *g, const uint32_t *work, size_t n)
{
    uint8_t *is = xcalloc(g->nnodes + (size_t)1, 1);
    for (size_t i = 0; i < n; i++)
        is[work[i]] = IS_WORK;
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t to = g->edge_to[e];
        uint8_t kind = g->edge_kind[e];
        if (!is[to] || kind == EDGE_JOINS || kind == EDGE_CALLS || kind == EDGE_CONTAINS)
            continue;
        if (kind == EDGE_SEQUENCE)
            is[to] |= HAS_BEFORE;
        if (explains(g, e))
            is[to] |= IS_EXPLAINED;
    }
    return is;
}

/* How many works have ended when work[i] begins. Mostly this is a little less than i, so the search
 * starts there. */
static size_t ended_before(const struct graph *g, const uint32_t *work, size_t n, size_t i)
{
    uint64_t begin = g->start[work[i]];
    size_t hi = end_of(g, work[i]) > begin ? i : n, lo = hi;
    for (size_t step = 1; lo > 0 && end_of(g, work[lo - 1]) > begin; step *= 2) {
        hi = lo - 1;
        lo = hi > step ? hi - step : 0;
    }
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (end_of(g, work[mid]) <= begin)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Among works that end together, the one that began last fits best; the order in the file must not
 * change the result. */
static bool fits_better(const struct graph *g, uint32_t p, uint32_t than)
{
    return than == GRAPH_NONE || (end_of(g, p) == end_of(g, than) && g->start[p] > g->start[than]);
}

static uint32_t last_in_queue(const struct graph *g, const uint32_t *work, size_t ended, uint32_t v)
{
    uint32_t best = GRAPH_NONE;
    for (int tries = 0; tries < TRIES && ended-- > 0; tries++) {
        uint32_t p = work[ended];
        if (best != GRAPH_NONE && end_of(g, p) < end_of(g, best))
            break;
        if (g->parent[p] == g->parent[v] && g->start[p] < g->start[v] && fits_better(g, p, best))
            best = p;
    }
    return best;
}

static uint32_t last_beside(const struct graph *g, const uint32_t *work, size_t ended, uint32_t v)
{
    uint32_t best = GRAPH_NONE, program = program_of(g, v);
    for (int tries = 0; tries < TRIES && ended-- > 0; tries++) {
        uint32_t p = work[ended];
        if (g->start[v] - end_of(g, p) > EXECUTION_CLOSE_NS ||
            (best != GRAPH_NONE && end_of(g, p) < end_of(g, best)))
            break;
        if (g->parent[p] != g->parent[v] && g->start[p] < g->start[v] &&
            program_of(g, p) == program && fits_better(g, p, best))
            best = p;
    }
    return best;
}

void execution_inferred(struct graph *calls, const uint32_t *work, size_t n)
{
    uint8_t *is = look_at_edges(calls, work, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t v = work[i], before = GRAPH_NONE;
        if (is[v] & IS_EXPLAINED)
            continue;
        size_t ended = ended_before(calls, work, n, i);
        if (!(is[v] & HAS_BEFORE))
            before = last_in_queue(calls, work, ended, v);
        if (before == GRAPH_NONE ||
            calls->start[v] - end_of(calls, before) > EXECUTION_EXPLAINED_NS) {
            uint32_t other = last_beside(calls, work, ended, v);
            before = other != GRAPH_NONE ? other : before;
        }
        if (before != GRAPH_NONE)
            graph_connect(calls, before, v, EDGE_INFERRED);
    }
    free(is);
}
