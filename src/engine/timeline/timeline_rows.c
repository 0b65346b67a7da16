/* Sorts the spans of each lane and gives each a row: the highest one that is free when the span
 * begins and that lies below the span around it. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/timeline/timeline_impl.h"

enum { ROWS_FIRST = 16 };
enum { DEPTH_MOST = 32 }; /* levels compared; deeper spans of equal times are ordered by name */

const char *timeline_kind_name(const struct graph *g, uint32_t node)
{
    const uint32_t up = g->parent[node];
    if (g->flags[node] & NODE_CALLS)
        return "syscalls";
    return up != GRAPH_NONE && (g->flags[up] & NODE_CALLS) ? "syscall"
                                                           : node_kind_name(g->kind[node]);
}

uint64_t timeline_end(const struct graph *g, uint32_t v)
{
    return g->duration[v] > UINT64_MAX - g->start[v] ? UINT64_MAX : g->start[v] + g->duration[v];
}

static int count_ancestors(const struct graph *g, uint32_t v)
{
    int d = 0;
    for (uint32_t up = g->parent[v]; up != GRAPH_NONE && d < DEPTH_MOST; up = g->parent[up])
        d++;
    return d;
}

int timeline_order(const struct graph *g, uint32_t a, uint32_t b)
{
    if (g->start[a] != g->start[b])
        return g->start[a] < g->start[b] ? -1 : 1;
    uint64_t x = timeline_end(g, a), y = timeline_end(g, b);
    if (x != y)
        return x > y ? -1 : 1;
    if (a == b)
        return 0;
    int c = count_ancestors(g, a) - count_ancestors(g, b);
    if (c == 0)
        c = g->kind[a] - g->kind[b];
    if (c == 0 && g->name[a] != g->name[b])
        c = strcmp(graph_name(g, a), graph_name(g, b));
    return c ? c : (a > b) - (a < b);
}

struct keyed {
    uint64_t start;
    uint32_t node;
};

struct sorting {
    const struct graph *g;
    uint64_t compared;
    bool stopped; /* the watch said stop: from then on all spans compare equal */
};

static int compare_keyed_spans(const void *x, const void *y, void *ctx)
{
    const struct keyed *a = x, *b = y;
    struct sorting *c = ctx;
    if (c->stopped || watch_stops(++c->compared)) {
        c->stopped = true;
        return 0;
    }
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return timeline_order(c->g, a->node, b->node);
}

static void sort_lane(const struct graph *g, uint32_t *nodes, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && timeline_order(g, nodes[i - 1], nodes[i]) < 0)
        i++;
    if (i >= n) /* the spans of most files are already sorted */
        return;
    struct keyed *k = xcalloc(n, sizeof *k);
    for (i = 0; i < n; i++)
        k[i] = (struct keyed){g->start[nodes[i]], nodes[i]};
    qsort_r(k, n, sizeof *k, compare_keyed_spans, &(struct sorting){.g = g});
    for (i = 0; i < n; i++)
        nodes[i] = k[i].node;
    free(k);
}

/* --- which row is free: a tree of the least end of the last spans of rows --- */

struct row_use {
    uint64_t *least; /* [1] the root, [cap + r] the end of the last span in row r; 0: empty */
    uint32_t *count; /* spans in each row */
    uint32_t used, cap;
};

/* Prepares for the next lane and shrinks, so that a lane with many rows does not slow the others.
 */
static void start_rows(struct row_use *r)
{
    if (r->cap != ROWS_FIRST) {
        free(r->least);
        free(r->count);
        r->cap = ROWS_FIRST;
        r->least = xcalloc(2 * (size_t)r->cap, sizeof *r->least);
        r->count = xcalloc(r->cap, sizeof *r->count);
    }
    memset(r->least, 0, 2 * (size_t)r->cap * sizeof *r->least);
    memset(r->count, 0, r->cap * sizeof *r->count);
    r->used = 0;
}

static void grow_row_use(struct row_use *r)
{
    uint32_t cap = 2 * r->cap;
    uint64_t *least = xcalloc(2 * (size_t)cap, sizeof *least);
    memcpy(least + cap, r->least + r->cap, r->cap * sizeof *least);
    for (uint32_t i = cap; i-- > 1;)
        least[i] = least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
    free(r->least);
    r->least = least;
    r->count = xrealloc(r->count, cap, sizeof *r->count);
    memset(r->count + r->cap, 0, (cap - r->cap) * sizeof *r->count);
    r->cap = cap;
}

/* The first row from `from` on whose spans have ended by then; there always is an unused one. */
static uint32_t free_row(const struct row_use *r, uint32_t from, uint64_t start)
{
    uint32_t i = r->cap + from;
    while (r->least[i] > start) { /* continues with the next subtree at the right */
        while (i & 1)
            i >>= 1;
        i++;
    }
    while (i < r->cap)
        i = 2 * i + (r->least[2 * i] > start);
    return i - r->cap;
}

static void take_row(struct row_use *r, uint32_t row, uint64_t end)
{
    r->count[row]++;
    r->used = row + 1 > r->used ? row + 1 : r->used;
    uint32_t i = r->cap + row;
    r->least[i] = end;
    for (i >>= 1; i >= 1; i >>= 1) {
        uint64_t least =
            r->least[2 * i] < r->least[2 * i + 1] ? r->least[2 * i] : r->least[2 * i + 1];
        if (r->least[i] == least)
            break;
        r->least[i] = least;
    }
}

/* The first row for span v of a lane: below the spans around it. */
static uint32_t least_row(const struct timeline *t, const uint32_t *lane_of, uint32_t v,
                          uint32_t first_row)
{
    const struct graph *g = t->calls;
    uint32_t up = g->parent[v];
    bool inside = up != GRAPH_NONE && g->via[v] != EDGE_LAUNCHES && lane_of[up] == lane_of[v] &&
                  t->row_of[up] != GRAPH_NONE && timeline_end(g, up) > g->start[v];
    return inside ? t->row_of[up] - first_row + 1 : 0;
}

/* --- all of them --- */

/* Assigns rows to the spans of a lane, which are in order. */
static void lay_out_lane(struct timeline *t, const uint32_t *lane_of, struct timeline_lane *l,
                         uint32_t *nodes, struct row_use *r)
{
    const struct graph *g = t->calls;
    start_rows(r);
    l->first_row = t->nrows;
    for (uint32_t i = 0; i < l->nspans && !watch_stops(i); i++) {
        uint32_t v = nodes[i], from = least_row(t, lane_of, v, l->first_row);
        if ((from > r->used ? from : r->used) + 1 >= r->cap)
            grow_row_use(r);
        uint32_t row = free_row(r, from, g->start[v]);
        t->row_of[v] = l->first_row + row;
        take_row(r, row, timeline_end(g, v));
    }
    l->nrows = r->used;
}

/* Sorts the spans of a lane, which are in order of time, by row. */
static void by_rows(struct timeline *t, const struct timeline_lane *l, uint32_t *nodes,
                    const struct row_use *r, uint32_t base)
{
    t->row_first = xrealloc(t->row_first, t->nrows + l->nrows + 1u, sizeof *t->row_first);
    if (l->nrows == 1) { /* both orders are equal */
        t->row_first[t->nrows++] = base;
        return;
    }
    uint32_t at = base, *sorted = xcalloc(l->nspans + 1u, sizeof *sorted);
    uint32_t *next = xcalloc(l->nrows + 1u, sizeof *next);
    for (uint32_t i = 0; i < l->nrows; i++) {
        next[i] = t->row_first[t->nrows + i] = at;
        at += r->count[i];
    }
    memcpy(sorted, nodes, l->nspans * sizeof *sorted);
    for (uint32_t i = 0; i < l->nspans; i++)
        t->spans[next[t->row_of[sorted[i]] - l->first_row]++] = sorted[i];
    t->nrows += l->nrows;
    free(next);
    free(sorted);
}

void timeline_make_rows(struct timeline *t, const uint32_t *lane_of)
{
    uint32_t n = t->calls->nnodes, base = 0;
    struct row_use r = {0};
    uint32_t *next = xcalloc(t->nlanes + 1u, sizeof *next);
    t->spans = xcalloc(t->nspans + 1u, sizeof *t->spans);
    t->row_of = xcalloc(n + 1u, sizeof *t->row_of);
    t->row_first = xcalloc(1, sizeof *t->row_first);
    memset(t->row_of, 0xff, (n + 1u) * sizeof *t->row_of);
    for (uint32_t l = 1; l < t->nlanes; l++)
        next[l] = next[l - 1] + t->lanes[l - 1].nspans;
    for (uint32_t v = 0; v < n; v++)
        if (lane_of[v] != GRAPH_NONE)
            t->spans[next[lane_of[v]]++] = v;
    for (uint32_t l = 0; l < t->nlanes; base += t->lanes[l++].nspans) {
        struct timeline_lane *lane = &t->lanes[l];
        sort_lane(t->calls, t->spans + base, lane->nspans);
        lay_out_lane(t, lane_of, lane, t->spans + base, &r);
        if (watch_given_up())
            break;
        by_rows(t, lane, t->spans + base, &r, base);
    }
    t->row_first[t->nrows] = t->nspans;
    free(next);
    free(r.least);
    free(r.count);
}
