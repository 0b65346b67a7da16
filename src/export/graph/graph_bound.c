/* Which nodes of a tree are written where not all are wanted. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "export/graph/graph_export.h"

/* The time of a node, or of the longest below it where that took longer: a parent has at least the
 * weight of its children, so that no node is written without those above it. */
static uint64_t *weigh_nodes(const struct graph *g)
{
    uint64_t *weight = xcalloc(g->nnodes + (size_t)1, sizeof *weight);
    for (uint32_t i = g->nnodes; i-- > 0;) {
        const uint64_t own = g->duration[i] == GRAPH_UNKNOWN ? 0 : g->duration[i];
        const uint32_t up = g->parent[i]; /* which has a lower index */
        weight[i] = own > weight[i] ? own : weight[i];
        if (up != GRAPH_NONE && weight[up] < weight[i])
            weight[up] = weight[i];
    }
    return weight;
}

/* The heaviest nodes so far, the heaviest first; of equal ones the first of the graph. */
struct heaviest {
    uint32_t *list;
    size_t n, most;
};

static void add_heaviest(struct heaviest *h, const uint64_t *weight, uint32_t node)
{
    size_t low = 0, high = h->n;
    while (low < high) {
        const size_t at = low + (high - low) / 2;
        if (weight[h->list[at]] >= weight[node])
            low = at + 1;
        else
            high = at;
    }
    if (low == h->most)
        return;
    if (h->n < h->most)
        h->n++;
    memmove(&h->list[low + 1], &h->list[low], (h->n - 1 - low) * sizeof *h->list);
    h->list[low] = node;
}

static bool is_in_bound(const struct graph_bound *b, const uint64_t *weight, uint32_t node,
                        unsigned depth)
{
    return (!b->depth || depth < b->depth) && weight[node] >= b->least_ns;
}

void graph_shown_make(struct graph_shown *out, const struct graph *g, uint32_t root,
                      const struct graph_bound *b)
{
    const struct graph_export_options o = {.root = root};
    uint64_t *weight = weigh_nodes(g);
    struct heaviest h = {.most = b->lines};
    unsigned depth = 0;
    h.list = xcalloc(h.most + 1, sizeof *h.list);
    *out = (struct graph_shown){.keep = xcalloc(g->nnodes + (size_t)1, sizeof *out->keep)};
    for (uint32_t i = graph_export_first(g, &o); i != GRAPH_NONE;
         i = graph_walk(g, i, root, &depth)) {
        out->all_ns += graph_self(g, i);
        if (!is_in_bound(b, weight, i, depth))
            continue;
        if (h.most)
            add_heaviest(&h, weight, i);
        else
            out->keep[i] = true;
    }
    for (size_t i = 0; i < h.n; i++)
        out->keep[h.list[i]] = true;
    depth = 0;
    for (uint32_t i = graph_export_first(g, &o); i != GRAPH_NONE;
         i = graph_walk(g, i, root, &depth))
        if (!out->keep[i]) {
            out->left_out++;
            out->left_ns += graph_self(g, i);
        }
    free(h.list);
    free(weight);
}

void graph_shown_free(struct graph_shown *s)
{
    free(s->keep);
    s->keep = NULL;
}
