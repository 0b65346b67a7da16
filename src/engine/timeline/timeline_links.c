/* Finds the edges other than the order in a lane: launches and waits. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/timeline/timeline_impl.h"

static bool is_link(uint8_t kind)
{
    return kind != EDGE_SEQUENCE && kind != EDGE_CONTAINS;
}

/* Edges by one of their ends, which is counted. */
static uint32_t *sorted_by(const struct timeline *t, const uint32_t *end)
{
    const struct graph *g = t->calls;
    uint32_t *next = xcalloc(g->nnodes + 1u, sizeof *next);
    uint32_t *out = xcalloc(t->nlinks, sizeof *out), sum = 0;
    for (uint32_t e = 0; e < g->nedges; e++)
        next[end[e]] += is_link(g->edge_kind[e]);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t n = next[v];
        next[v] = sum;
        sum += n;
    }
    for (uint32_t e = 0; e < g->nedges; e++)
        if (is_link(g->edge_kind[e]))
            out[next[end[e]]++] = e;
    free(next);
    return out;
}

void timeline_make_links(struct timeline *t)
{
    for (uint32_t e = 0; e < t->calls->nedges; e++)
        t->nlinks += is_link(t->calls->edge_kind[e]);
    if (t->nlinks == 0)
        return;
    t->by_from = sorted_by(t, t->calls->edge_from);
    t->by_to = sorted_by(t, t->calls->edge_to);
}

/* What was found so far, the earliest first. */
struct linked_nodes {
    const struct graph *g;
    uint32_t *out;
    uint32_t n, max, total;
};

static void add_linked(struct linked_nodes *f, uint32_t v)
{
    if (!timeline_timed(f->g, v))
        return;
    f->total++;
    uint32_t i = f->n < f->max ? f->n++ : f->max;
    for (; i > 0 && timeline_order(f->g, v, f->out[i - 1]) < 0; i--)
        if (i < f->max)
            f->out[i] = f->out[i - 1];
    if (i < f->max)
        f->out[i] = v;
}

uint32_t timeline_links(const struct timeline *t, uint32_t node, enum edge_kind kind, bool out,
                        uint32_t *nodes, uint32_t max)
{
    const struct graph *g = t->calls;
    const uint32_t *by = out ? t->by_from : t->by_to, *end = out ? g->edge_from : g->edge_to;
    const uint32_t *other = out ? g->edge_to : g->edge_from;
    struct linked_nodes f = {.g = g, .out = nodes, .max = max};
    uint32_t a = 0, b = t->nlinks;
    while (a < b) {
        uint32_t m = a + (b - a) / 2;
        if (end[by[m]] < node)
            a = m + 1;
        else
            b = m;
    }
    for (; a < t->nlinks && end[by[a]] == node; a++)
        if (g->edge_kind[by[a]] == kind)
            add_linked(&f, other[by[a]]);
    if (kind == EDGE_LAUNCHES && !out && g->parent[node] != GRAPH_NONE &&
        g->via[node] == EDGE_LAUNCHES)
        add_linked(&f, g->parent[node]);
    for (uint32_t c = g->first_child[node]; kind == EDGE_LAUNCHES && out && c != GRAPH_NONE;
         c = g->next_sibling[c])
        if (g->via[c] == EDGE_LAUNCHES)
            add_linked(&f, c);
    return f.total;
}
