/* Work of a stream of HIP runs in order, even if queues and copy engines share it. */
#include <stdlib.h>

#include "backends/rocm/nest.h"
#include "base/arena.h"

struct in_stream {
    uint32_t program, node;
    int64_t stream;
    uint64_t start;
};

static int by_stream(const void *a, const void *b)
{
    const struct in_stream *x = a, *y = b;
    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Stream 0 is the default stream, or none in profiles without streams. Threads have 0 too. */
static bool is_rocm_stream(const struct rocm_lane *q)
{
    return q->stream > 0 && q->node != GRAPH_NONE;
}

/* For each node that is a lane of a stream with several lanes: 1 + the index of that lane; else 0.
 * NULL if no stream has several. */
static uint32_t *lanes_of_nodes(const struct rocm_timeline *l)
{
    struct in_stream *list = xcalloc(l->nlanes + 1u, sizeof *list);
    uint32_t n = 0, *of = NULL;
    for (uint32_t i = 0; i < l->nlanes; i++)
        if (is_rocm_stream(&l->lanes[i]))
            list[n++] = (struct in_stream){l->lanes[i].program, i, l->lanes[i].stream, 0};
    qsort(list, n, sizeof *list, by_stream);
    for (uint32_t i = 0; i < n; i++) {
        bool again =
            i > 0 && list[i - 1].program == list[i].program && list[i - 1].stream == list[i].stream;
        if (again && !of)
            of = xcalloc(l->t->calls->nnodes + (size_t)1, sizeof *of);
        for (uint32_t k = i - again; again && k <= i; k++)
            of[l->lanes[list[k].node].node] = 1 + list[k].node;
    }
    free(list);
    return of;
}

void rocm_order_streams(struct rocm_timeline *l)
{
    struct graph *g = l->t->calls;
    uint32_t *of = lanes_of_nodes(l);
    size_t n = 0;
    if (!of)
        return;
    struct in_stream *work = xcalloc(g->nnodes + (size_t)1, sizeof *work);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t lane = g->parent[v] != GRAPH_NONE ? of[g->parent[v]] : 0;
        if (lane && g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN)
            work[n++] = (struct in_stream){l->lanes[lane - 1].program, v, l->lanes[lane - 1].stream,
                                           g->start[v]};
    }
    qsort(work, n, sizeof *work, by_stream);
    for (size_t i = 1; i < n; i++) {
        uint32_t before = work[i - 1].node, v = work[i].node;
        if (work[i - 1].program == work[i].program && work[i - 1].stream == work[i].stream &&
            g->parent[before] != g->parent[v] &&
            g->start[before] + g->duration[before] <= g->start[v])
            graph_connect(g, before, v, EDGE_DEPENDS);
    }
    free(work);
    free(of);
}
