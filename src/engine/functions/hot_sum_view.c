/* Makes a profile from the sum of the window: sorted, without rows that have no samples. */
#include <stdlib.h>
#include <string.h>

#include "engine/functions/hot_sum_impl.h"

static int compare_hot_places(const void *a, const void *b)
{
    const struct hot_place *p = a, *q = b;
    if (p->symbol != q->symbol)
        return p->symbol < q->symbol ? -1 : 1;
    if (p->address != q->address)
        return p->address < q->address ? -1 : 1;
    int d = strcmp(p->file, q->file);
    return d ? d : (p->line > q->line) - (p->line < q->line);
}

static uint64_t shown_count(const struct hot_sum *ps, const struct sum_count *c)
{
    return c->window + (ps->window_s > 0 ? 0 : c->past);
}

static uint32_t clamp_sample_count(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* live: per node, whether there are samples in it or below. used: per symbol. */
static size_t mark_live(const struct hot_sum *ps, bool *live, uint32_t *used)
{
    size_t n = 0;
    for (size_t i = ps->nnodes; i-- > 1;) {
        live[i] = live[i] || shown_count(ps, &ps->nodes[i].count) > 0;
        if (!live[i])
            continue;
        live[ps->nodes[i].parent] = true;
        used[ps->nodes[i].symbol] = 1;
        n++;
    }
    for (size_t i = 0; i < ps->nplaces; i++)
        if (shown_count(ps, &ps->places[i].count) > 0)
            used[ps->places[i].symbol] = 1;
    return n;
}

/* Fills the sorted symbols; used becomes the number of each in them. */
static void view_symbols(struct hot_sum *ps, uint32_t *used)
{
    size_t n = 0;
    sum_sort_symbols(ps);
    ps->view_symbols = xrealloc(ps->view_symbols, ps->nsymbols, sizeof *ps->view_symbols);
    for (size_t i = 0; i < ps->nsymbols; i++) {
        uint32_t id = ps->order[i];
        if (!used[id])
            continue;
        used[id] = (uint32_t)n;
        ps->view_symbols[n++] = ps->symbols[id];
    }
    ps->view.nsymbols = n;
}

/* Walks the tree in order: a child, then its siblings, then the siblings of its callers. */
static void view_nodes(struct hot_sum *ps, const bool *live, const uint32_t *rank, size_t n)
{
    int32_t *number = xcalloc(ps->nnodes, sizeof *number);
    size_t out = 0;
    number[0] = -1;
    ps->view_nodes = xrealloc(ps->view_nodes, n, sizeof *ps->view_nodes);
    for (uint32_t at = ps->nodes[0].first_child; at;) {
        const struct sum_node *s = &ps->nodes[at];
        if (live[at]) {
            number[at] = (int32_t)out;
            ps->view_nodes[out++] =
                (struct hot_node){.parent = number[s->parent],
                                  .symbol = rank[s->symbol],
                                  .self = clamp_sample_count(shown_count(ps, &s->count))};
        }
        if (live[at] && s->first_child) {
            at = s->first_child;
            continue;
        }
        while (at && !ps->nodes[at].sibling)
            at = ps->nodes[at].parent;
        at = at ? ps->nodes[at].sibling : 0;
    }
    ps->view.nnodes = out;
    free(number);
}

static void view_places(struct hot_sum *ps, const uint32_t *rank)
{
    size_t n = 0;
    ps->view_places = xrealloc(ps->view_places, ps->nplaces, sizeof *ps->view_places);
    for (size_t i = 0; i < ps->nplaces; i++) {
        const struct sum_place *p = &ps->places[i];
        uint64_t samples = shown_count(ps, &p->count);
        if (samples)
            ps->view_places[n++] = (struct hot_place){.symbol = rank[p->symbol],
                                                      .samples = clamp_sample_count(samples),
                                                      .address = p->address,
                                                      .file = p->file,
                                                      .line = p->line};
    }
    if (n)
        qsort(ps->view_places, n, sizeof *ps->view_places, compare_hot_places);
    ps->view.nplaces = n;
}

static void sum_view_totals(struct hot_sum *ps)
{
    bool all = ps->window_s <= 0;
    struct hot_stacks *v = &ps->view;
    v->samples = ps->window.samples + (all ? ps->past.samples : 0);
    v->lost = ps->window.lost + (all ? ps->past.lost : 0);
    v->throttled = ps->window.throttled + (all ? ps->past.throttled : 0);
    v->seconds = all ? ps->past.seconds : 0; /* added up anew: no rounding of what came and went */
    for (size_t i = ps->window_from; i < ps->nintervals; i++)
        v->seconds += ps->intervals[i].seconds;
}

const struct hot_stacks *hot_sum_view(struct hot_sum *ps)
{
    if (!ps->any)
        return NULL;
    if (!ps->stale)
        return &ps->view;
    bool *live = xcalloc(ps->nnodes, sizeof *live);
    uint32_t *rank = xcalloc(ps->nsymbols, sizeof *rank);
    ps->view = ps->last;
    sum_sort_nodes(ps);
    size_t n = mark_live(ps, live, rank);
    view_symbols(ps, rank);
    view_nodes(ps, live, rank, n);
    view_places(ps, rank);
    sum_view_totals(ps);
    ps->view.symbols = ps->view_symbols;
    ps->view.nodes = ps->view_nodes;
    ps->view.places = ps->view_places;
    ps->stale = false;
    free(live);
    free(rank);
    return &ps->view;
}
