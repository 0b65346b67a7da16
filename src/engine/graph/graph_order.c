#include "engine/graph/graph_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"

/* Counts of each parent's nodes; nodes without a parent come last. */
static inline uint32_t parent_slot(const struct graph *g, uint32_t v, uint32_t to)
{
    return g->parent[v] == GRAPH_NONE ? to : g->parent[v];
}

uint32_t *graph_by_parent(const struct graph *g, uint32_t from, uint32_t to,
                          bool (*wanted)(const struct graph *g, uint32_t v), uint32_t *n)
{
    uint32_t *next = xcalloc(to + (size_t)1, sizeof *next), sum = 0, low = to, high = 0;
    for (uint32_t v = from; v < to; v++)
        if (wanted(g, v)) {
            uint32_t p = parent_slot(g, v, to);
            next[p]++;
            low = p < low ? p : low; /* few nodes are parents: leave other pages untouched */
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
            list[next[parent_slot(g, v, to)]++] = v;
    free(next);
    *n = sum;
    return list;
}

/* --- by time --- */

enum { WAYS = 8 }; /* runs merged at once: one pass suffices for a device with so many queues */

struct order_run {
    uint64_t time; /* of the run's next node */
    uint32_t node; /* index of that node */
    const uint32_t *next, *end;
};

static inline uint64_t sort_time_of(const struct graph *g, uint32_t v, bool ends)
{
    return g->start[v] + (ends ? g->duration[v] : 0);
}

/* The end of the sorted run that begins at i. */
static uint32_t find_end_of_run(const struct graph *g, const uint32_t *list, uint32_t i, uint32_t n,
                                bool ends)
{
    uint64_t last = sort_time_of(g, list[i], ends);
    while (++i < n) {
        uint64_t time = sort_time_of(g, list[i], ends);
        if (time < last || (time == last && list[i] < list[i - 1]))
            break;
        last = time;
    }
    return i;
}

/* Moves to the run's next node; false if it has none left. */
static inline bool set_first(struct order_run *r, const struct graph *g, bool ends)
{
    if (r->next == r->end)
        return false;
    r->node = *r->next++;
    r->time = sort_time_of(g, r->node, ends);
    return true;
}

static inline bool run_before(const struct order_run *a, const struct order_run *b)
{
    return a->time < b->time || (a->time == b->time && a->node < b->node);
}

/* Moves the first of n runs behind all runs whose next node comes before its own. */
static inline void sift_order_run(struct order_run *r, uint32_t n)
{
    struct order_run own = *r;
    uint32_t i = 1;
    for (; i < n && run_before(&r[i], &own); i++)
        r[i - 1] = r[i];
    r[i - 1] = own;
}

static bool merge_children(const struct graph *g, uint32_t *out, struct order_run *r, uint32_t n,
                           bool ends)
{
    for (uint32_t i = n; i-- > 0;) {
        set_first(&r[i], g, ends);
        sift_order_run(&r[i], n - i);
    }
    for (uint64_t i = 1; n > 1; i++) {
        if (watch_stops(i))
            return false;
        *out++ = r->node;
        if (set_first(r, g, ends))
            sift_order_run(r, n);
        else
            memmove(r, r + 1, --n * sizeof *r);
    }
    *out++ = r->node;
    memcpy(out, r->next, (size_t)(r->end - r->next) * sizeof *out);
    return true;
}

/* One round: merges each WAYS neighbouring runs of `from` into one run of `to`. Returns the number
 * of runs in `to`, or 0 if the watch said stop. */
static uint32_t merge_order_runs(const struct graph *g, const uint32_t *from, uint32_t *to,
                                 uint32_t n, bool ends)
{
    struct order_run r[WAYS];
    uint32_t merged = 0;
    for (uint32_t i = 0, end = 0; i < n; i = end, merged++) {
        uint32_t ways = 0;
        while (ways < WAYS && end < n) {
            uint32_t begin = end;
            end = find_end_of_run(g, from, begin, n, ends);
            r[ways++] = (struct order_run){.next = from + begin, .end = from + end};
        }
        if (!merge_children(g, to + i, r, ways, ends) || watch_stops(merged))
            return 0;
    }
    return merged;
}

void graph_by_time(const struct graph *g, uint32_t *list, uint32_t n, bool ends)
{
    if (n == 0 || find_end_of_run(g, list, 0, n, ends) == n)
        return;
    uint32_t *spare = xcalloc(n, sizeof *spare), *from = list, *to = spare;
    uint32_t runs;
    while ((runs = merge_order_runs(g, from, to, n, ends)) > 0) {
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
