#include "backends/rocm/nest.h"

#include <stdlib.h>

#include "base/arena.h"
#include "engine/trace/left_out.h"

/* Deeper calls become children of the last level, so that walking the tree needs limited depth. */
enum { DEPTH = 512 };

static int compare_rocm_regions(const void *a, const void *b)
{
    const struct rocm_region *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool are_regions_in_order(const struct rocm_region *r, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (compare_rocm_regions(&r[i - 1], &r[i]) > 0)
            return false;
    return true;
}

void rocm_nest(struct rocm_timeline *l)
{
    struct rocm_region *open[DEPTH];
    size_t depth = 0;
    if (!are_regions_in_order(l->regions, l->nregions))
        qsort(l->regions, l->nregions, sizeof *l->regions, compare_rocm_regions);
    for (uint32_t i = 0; i < l->nregions; i++) {
        struct rocm_region *r = &l->regions[i];
        while (depth && (open[depth - 1]->thread != r->thread || open[depth - 1]->end < r->end ||
                         open[depth - 1]->end <= r->start))
            depth--;
        uint32_t parent = depth ? open[depth - 1]->node : r->thread;
        r->node = graph_add(l->t->calls, r->range ? NODE_RANGE : NODE_FUNCTION, r->name, parent,
                            depth ? EDGE_CALLS : EDGE_CONTAINS, r->start, r->end - r->start);
        if (r->node == GRAPH_NONE) {
            trace_leave_out(l->t, LEFT_NO_ROOM, 1);
            l->t->spans--;
        } else if (depth < DEPTH) {
            open[depth++] = r;
        }
    }
}

static int by_launch(const void *a, const void *b)
{
    const struct rocm_launch *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Lists calls with a correlation in the same form and order as launches. */
static struct rocm_launch *list_correlated_calls(const struct rocm_timeline *l, uint32_t *n)
{
    struct rocm_launch *list = xcalloc(l->nregions + 1u, sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < l->nregions; i++) {
        const struct rocm_region *r = &l->regions[i];
        if (r->correlation && r->node != GRAPH_NONE)
            list[(*n)++] =
                (struct rocm_launch){r->correlation, l->t->calls->parent[r->thread], r->node};
    }
    qsort(list, *n, sizeof *list, by_launch);
    return list;
}

void rocm_link(struct rocm_timeline *l)
{
    uint32_t n, at = 0;
    if (!l->nlaunches || !l->nregions)
        return;
    struct rocm_launch *from = list_correlated_calls(l, &n);
    qsort(l->launches, l->nlaunches, sizeof *l->launches, by_launch);
    for (uint32_t i = 0; i < l->nlaunches; i++) {
        /* The last caller with the same correlation: inner calls have later nodes. */
        struct rocm_launch last = l->launches[i];
        last.node = GRAPH_NONE;
        while (at < n && by_launch(&from[at], &last) < 0)
            at++;
        if (at && from[at - 1].program == last.program &&
            from[at - 1].correlation == last.correlation)
            graph_connect(l->t->calls, from[at - 1].node, l->launches[i].node, EDGE_LAUNCHES);
    }
    free(from);
}
