#include "engine/graph/graph_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"

/* Of each parent, and of nodes without one, which come last. */
static inline uint32_t slot_of(const struct graph *g, uint32_t v, uint32_t to)
{
    return g->parent[v] == GRAPH_NONE ? to : g->parent[v];
}

uint32_t *graph_by_parent(const struct graph *g, uint32_t from, uint32_t to,
                          bool (*wanted)(const struct graph *g, uint32_t v), uint32_t *n)
{
    uint32_t *next = xcalloc(to + (size_t)1, sizeof *next), sum = 0, low = to, high = 0;
    for (uint32_t v = from; v < to; v++)
        if (wanted(g, v)) {
            uint32_t p = slot_of(g, v, to);
            next[p]++;
            low = p < low ? p : low; /* few nodes are parents: pages of the others stay untouched */
            high = p > high ? p : high;
        }
    for (uint32_t p = low; p <= high; p++) {
        uint32_t own = next[p];
        next[p] = sum;
        sum += own;
    }
    uint32_t *list = xcalloc(sum + 1u, sizeof *list);
    for (uint32_t v = from; v < to; v++)
        if (wanted(g, v))
            list[next[slot_of(g, v, to)]++] = v;
    free(next);
    *n = sum;
    return list;
}

/* --- by time --- */

enum { WAYS = 8 }; /* that are merged at once: one pass where a device has as many queues */

struct run {
    uint64_t time; /* of the first that is left, */
    uint32_t node; /* and its index */
    const uint32_t *next, *end;
};

static inline uint64_t time_of(const struct graph *g, uint32_t v, bool ends)
{
    return g->start[v] + (ends ? g->duration[v] : 0);
}

/* The end of what is in order from i on. */
static uint32_t run_end(const struct graph *g, const uint32_t *list, uint32_t i, uint32_t n,
                        bool ends)
{
    uint64_t last = time_of(g, list[i], ends);
    while (++i < n) {
        uint64_t time = time_of(g, list[i], ends);
        if (time < last || (time == last && list[i] < list[i - 1]))
            break;
        last = time;
    }
    return i;
}

/* false: there is none. */
static inline bool set_first(struct run *r, const struct graph *g, bool ends)
{
    if (r->next == r->end)
        return false;
    r->node = *r->next++;
    r->time = time_of(g, r->node, ends);
    return true;
}

static inline bool run_before(const struct run *a, const struct run *b)
{
    return a->time < b->time || (a->time == b->time && a->node < b->node);
}

/* The first of n runs belongs behind all that begin before it. */
static inline void put_in_place(struct run *r, uint32_t n)
{
    struct run own = *r;
    uint32_t i = 1;
    for (; i < n && run_before(&r[i], &own); i++)
        r[i - 1] = r[i];
    r[i - 1] = own;
}

static bool merge(const struct graph *g, uint32_t *out, struct run *r, uint32_t n, bool ends)
{
    for (uint32_t i = n; i-- > 0;) {
        set_first(&r[i], g, ends);
        put_in_place(&r[i], n - i);
    }
    for (uint64_t i = 1; n > 1; i++) {
        if (watch_stops(i))
            return false;
        *out++ = r->node;
        if (set_first(r, g, ends))
            put_in_place(r, n);
        else
            memmove(r, r + 1, --n * sizeof *r);
    }
    *out++ = r->node;
    memcpy(out, r->next, (size_t)(r->end - r->next) * sizeof *out);
    return true;
}

/* One round: as many neighbouring runs of from as are merged at once become one of to. Their
 * number; 0: it was given up. */
static uint32_t merge_runs(const struct graph *g, const uint32_t *from, uint32_t *to, uint32_t n,
                           bool ends)
{
    struct run r[WAYS];
    uint32_t merged = 0;
    for (uint32_t i = 0, end = 0; i < n; i = end, merged++) {
        uint32_t ways = 0;
        while (ways < WAYS && end < n) {
            uint32_t begin = end;
            end = run_end(g, from, begin, n, ends);
            r[ways++] = (struct run){.next = from + begin, .end = from + end};
        }
        if (!merge(g, to + i, r, ways, ends) || watch_stops(merged))
            return 0;
    }
    return merged;
}

void graph_by_time(const struct graph *g, uint32_t *list, uint32_t n, bool ends)
{
    if (n == 0 || run_end(g, list, 0, n, ends) == n)
        return;
    uint32_t *spare = xcalloc(n, sizeof *spare), *from = list, *to = spare;
    uint32_t runs;
    while ((runs = merge_runs(g, from, to, n, ends)) > 0) {
        uint32_t *swap = from;
        from = to;
        to = swap;
        if (runs == 1)
            break;
    }
    if (from != list)
        memcpy(list, from, n * sizeof *list);
    free(spare);
}
