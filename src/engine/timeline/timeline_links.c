/* Finds the edges other than the order in a lane: launches and waits. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/search.h"
#include "engine/timeline/timeline_impl.h"

static bool is_link(uint8_t kind)
{
    return kind != EDGE_SEQUENCE && kind != EDGE_CONTAINS;
}

/* Sorts edges by one of their ends, by counting. */
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

/* The nodes found so far, the earliest first. */
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
    const uint32_t *by = out ? t->by_from : t->by_to;
    const uint32_t *end = out ? g->edge_from : g->edge_to;
    const uint32_t *other = out ? g->edge_to : g->edge_from;
    struct linked_nodes f = {.g = g, .out = nodes, .max = max};
    uint32_t a = 0;
    SEARCH_FIRST(a, t->nlinks, end[by[a]] < node);
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

static const enum edge_kind arrow_kinds[] = {EDGE_LAUNCHES, EDGE_DEPENDS, EDGE_JOINS,
                                             EDGE_INFERRED};
enum { ARROW_KINDS = sizeof arrow_kinds / sizeof *arrow_kinds, AT_ONCE = 64 };

static struct timeline_arrow arrow_between(const struct graph *g, uint32_t from, uint32_t to,
                                           enum edge_kind kind)
{
    return (struct timeline_arrow){
        .from = from,
        .to = to,
        .kind = (uint8_t)kind,
        .leaves = kind == EDGE_LAUNCHES ? g->start[from] : timeline_end(g, from),
        .arrives = kind == EDGE_JOINS ? timeline_end(g, to) : g->start[to],
    };
}

uint32_t timeline_arrows(const struct timeline *t, uint32_t node, bool out,
                         struct timeline_arrow *arrows, uint32_t max)
{
    uint32_t other[AT_ONCE], n = 0;
    for (int k = 0; k < ARROW_KINDS; k++) {
        uint32_t found = timeline_links(t, node, arrow_kinds[k], out, other, AT_ONCE);
        for (uint32_t i = 0; i < found && i < AT_ONCE && n < max; i++)
            if (t->row_of[other[i]] != GRAPH_NONE)
                arrows[n++] = arrow_between(t->calls, out ? node : other[i], out ? other[i] : node,
                                            arrow_kinds[k]);
    }
    return n;
}

uint32_t timeline_cause(const struct timeline *t, uint32_t node, bool out)
{
    struct timeline_arrow first;
    if (timeline_arrows(t, node, out, &first, 1) == 0)
        return GRAPH_NONE;
    return out ? first.to : first.from;
}
