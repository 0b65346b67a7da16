#include "engine/graph_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

uint32_t *graph_by_parent(const struct graph *g, uint32_t from, uint32_t to,
                          bool (*wanted)(const struct graph *g, uint32_t v), uint32_t *n)
{
    uint32_t *next = xcalloc(to + 1u, sizeof *next), sum = 0;
    for (uint32_t v = from; v < to; v++)
        if (wanted(g, v))
            next[g->parent[v]]++;
    for (uint32_t p = 0; p < to; p++) {
        uint32_t own = next[p];
        next[p] = sum;
        sum += own;
    }
    uint32_t *list = xcalloc(sum + 1u, sizeof *list);
    for (uint32_t v = from; v < to; v++)
        if (wanted(g, v))
            list[next[g->parent[v]]++] = v;
    free(next);
    *n = sum;
    return list;
}

static inline bool before(const struct graph *g, uint32_t a, uint32_t b, bool ends)
{
    uint64_t x = g->start[a] + (ends ? g->duration[a] : 0);
    uint64_t y = g->start[b] + (ends ? g->duration[b] : 0);
    return x != y ? x < y : a < b;
}

/* The end of what is in order from i on. */
static uint32_t run(const struct graph *g, const uint32_t *list, uint32_t i, uint32_t n, bool ends)
{
    while (++i < n && !before(g, list[i], list[i - 1], ends))
        ;
    return i;
}

static void merge(const struct graph *g, uint32_t *out, const uint32_t *a, uint32_t na,
                  const uint32_t *b, uint32_t nb, bool ends)
{
    while (na && nb) {
        bool second = before(g, *b, *a, ends);
        *out++ = second ? *b++ : *a++;
        nb -= second;
        na -= !second;
    }
    memcpy(out, a, na * sizeof *a);
    memcpy(out + na, b, nb * sizeof *b);
}

/* One round: neighbouring runs of from as one run each of to. Their number. */
static uint32_t merge_runs(const struct graph *g, const uint32_t *from, uint32_t *to, uint32_t n,
                           bool ends)
{
    uint32_t runs = 0;
    for (uint32_t i = 0, end; i < n; i = end, runs++) {
        uint32_t middle = run(g, from, i, n, ends);
        end = middle < n ? run(g, from, middle, n, ends) : n;
        merge(g, to + i, from + i, middle - i, from + middle, end - middle, ends);
    }
    return runs;
}

void graph_by_time(const struct graph *g, uint32_t *list, uint32_t n, bool ends)
{
    if (n == 0 || run(g, list, 0, n, ends) == n)
        return;
    uint32_t *spare = xcalloc(n, sizeof *spare), *from = list, *to = spare;
    uint32_t runs;
    do {
        runs = merge_runs(g, from, to, n, ends);
        uint32_t *swap = from;
        from = to;
        to = swap;
    } while (runs > 1);
    if (from != list)
        memcpy(list, from, n * sizeof *list);
    free(spare);
}
