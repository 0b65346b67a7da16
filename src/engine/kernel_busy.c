/* When any device was at work, and when it did nothing but copy. */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/kernel_parts.h"

struct span {
    uint64_t start, end;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->end > y->end) - (x->end < y->end);
}

/* Time that any of them covers. Sorts where they are not in order already. */
static uint64_t covered(struct span *s, size_t n)
{
    uint64_t sum = 0, end = 0;
    for (size_t i = 1; i < n; i++)
        if (s[i].start < s[i - 1].start) {
            qsort(s, n, sizeof *s, by_start);
            break;
        }
    for (size_t i = 0; i < n; i++) {
        uint64_t from = s[i].start > end ? s[i].start : end;
        if (s[i].end > from) {
            sum += s[i].end - from;
            end = s[i].end;
        }
    }
    return sum;
}

static size_t collect(struct span *out, const struct graph *g, const uint32_t *part, bool copies)
{
    size_t n = 0;
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (part[v] != GRAPH_NONE && g->start[v] != GRAPH_UNKNOWN &&
            (copies || g->kind[v] == NODE_KERNEL))
            out[n++] = (struct span){g->start[v], g->start[v] + g->duration[v] < g->start[v]
                                                      ? UINT64_MAX
                                                      : g->start[v] + g->duration[v]};
    return n;
}

void kernel_busy(struct kernels_total *total, const struct graph *calls, const uint32_t *part)
{
    size_t n = 0;
    for (uint32_t v = 0; v < calls->nnodes; v++)
        n += part[v] != GRAPH_NONE;
    struct span *s = xcalloc(n + 1, sizeof *s);
    n = collect(s, calls, part, true);
    total->busy = covered(s, n);
    total->begin = n ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++) {
        total->begin = s[i].start < total->begin ? s[i].start : total->begin;
        total->end = s[i].end > total->end ? s[i].end : total->end;
    }
    total->copying = total->busy;
    if (total->nkernels)
        total->copying -= covered(s, collect(s, calls, part, false));
    free(s);
}
