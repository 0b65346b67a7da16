/* When any device was at work, and when it did nothing but copy. */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/graph_order.h"
#include "engine/kernel_parts.h"

static uint64_t end_of(const struct graph *g, uint32_t v)
{
    uint64_t end = g->start[v] + g->duration[v];
    return end < g->start[v] ? UINT64_MAX : end;
}

/* Time that any of them covers; all of them, or kernels alone. */
static uint64_t covered(const struct graph *g, const uint32_t *list, uint32_t n, bool copies)
{
    uint64_t sum = 0, last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!copies && g->kind[list[i]] != NODE_KERNEL)
            continue;
        uint64_t start = g->start[list[i]], end = end_of(g, list[i]);
        uint64_t from = start > last ? start : last;
        if (end > from) {
            sum += end - from;
            last = end;
        }
    }
    return sum;
}

static bool is_timed(const struct graph *g, uint32_t v)
{
    return kernel_is_work(g, v) && g->start[v] != GRAPH_UNKNOWN;
}

void kernel_busy(struct kernels_total *total, const struct graph *calls)
{
    uint32_t n, *list = graph_by_parent(calls, 0, calls->nnodes, is_timed, &n);
    graph_by_time(calls, list, n, false); /* by queue they are mostly in order */
    total->busy = covered(calls, list, n, true);
    total->begin = n ? calls->start[list[0]] : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t end = end_of(calls, list[i]);
        total->end = end > total->end ? end : total->end;
    }
    total->copying = total->busy;
    if (total->nkernels && !total->ncopies)
        total->copying = 0;
    else if (total->nkernels)
        total->copying -= covered(calls, list, n, false);
    free(list);
}
