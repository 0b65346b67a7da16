#include "engine/functions/hot_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/functions/hot_sum_impl.h"

/* --- intervals --- */

static void add_or_take_interval(struct sum_interval *sum, const struct sum_interval *i, bool plus)
{
    sum->samples += plus ? i->samples : -i->samples;
    sum->lost += plus ? i->lost : -i->lost;
    sum->throttled += plus ? i->throttled : -i->throttled;
    sum->seconds += plus ? i->seconds : -i->seconds;
}

/* Adds an interval to the window, or takes it out. */
static void count_interval(struct hot_sum *ps, const struct sum_interval *v, bool plus)
{
    for (uint32_t k = 0; k < v->nnodes + v->nplaces; k++) {
        const struct sample_tally *t = &v->tallies[k];
        struct sum_count *c = k < v->nnodes ? &ps->nodes[t->id].count : &ps->places[t->id].count;
        c->window += plus ? t->samples : -(uint64_t)t->samples;
    }
    add_or_take_interval(&ps->window, v, plus);
    ps->stale = true;
}

/* Drops the oldest interval; its samples stay in the sum of all. */
static void forget_oldest_interval(struct hot_sum *ps)
{
    struct sum_interval *v = &ps->intervals[ps->head];
    if (ps->window_from <= ps->head) {
        count_interval(ps, v, false);
        ps->window_from = ps->head + 1;
    }
    for (uint32_t k = 0; k < v->nnodes + v->nplaces; k++) {
        const struct sample_tally *t = &v->tallies[k];
        struct sum_count *c = k < v->nnodes ? &ps->nodes[t->id].count : &ps->places[t->id].count;
        c->past += t->samples;
    }
    add_or_take_interval(&ps->past, v, true);
    free(v->tallies);
    ps->ntallies -= v->nnodes + v->nplaces;
    ps->head++;
    if (ps->head < 64 || ps->head < ps->nintervals / 2)
        return;
    memmove(ps->intervals, ps->intervals + ps->head,
            (ps->nintervals - ps->head) * sizeof *ps->intervals);
    ps->nintervals -= ps->head;
    ps->window_from -= ps->head;
    ps->head = 0;
}

/* Whether an interval is in the window: its middle decides, because timers are not exact. */
static bool is_in_window(const struct hot_sum *ps, size_t i, double seconds)
{
    const struct sum_interval *v = &ps->intervals[i];
    return (double)(ps->newest_ns - v->time_ns) / 1e9 + v->seconds / 2 < seconds;
}

static void settle_window_of_sum(struct hot_sum *ps)
{
    while (ps->nintervals > ps->head + 1 &&
           (ps->ntallies > HOT_SUM_TALLIES || !is_in_window(ps, ps->head, HOT_SUM_KEEP_S)))
        forget_oldest_interval(ps);
    size_t from = ps->head;
    while (ps->window_s > 0 && from + 1 < ps->nintervals && !is_in_window(ps, from, ps->window_s))
        from++;
    while (ps->window_from < from)
        count_interval(ps, &ps->intervals[ps->window_from++], false);
    while (ps->window_from > from)
        count_interval(ps, &ps->intervals[--ps->window_from], true);
}

void sum_keep_last(struct hot_sum *ps, const struct hot_stacks *p)
{
    const char *event = ps->last.event, *why = ps->last.why;
    ps->last = *p;
    ps->last.event = sum_keep(ps, p->event ? p->event : "", event);
    ps->last.why = p->why ? sum_keep(ps, p->why, why) : NULL;
}

/* --- the interface --- */

struct hot_sum *hot_sum_new(size_t limit)
{
    struct hot_sum *ps = xcalloc(1, sizeof *ps);
    ps->limit = limit ? limit : HOT_SUM_LIMIT;
    sum_add_node(ps, 0, 0);
    return ps;
}

static void free_all(struct hot_sum *ps)
{
    for (size_t i = ps->head; i < ps->nintervals; i++)
        free(ps->intervals[i].tallies);
    free(ps->intervals);
    sum_free_rows(ps);
    free(ps->view_symbols);
    free(ps->view_nodes);
    free(ps->view_places);
}

void hot_sum_free(struct hot_sum *ps)
{
    if (!ps)
        return;
    free_all(ps);
    free(ps);
}

size_t hot_sum_memory(const struct hot_sum *ps)
{
    const size_t rounding = 8; /* of each text, on average */
    return ps->text_bytes + (ps->nsymbols * 2 + ps->nplaces) * rounding +
           ps->symbols_cap * sizeof *ps->symbols + ps->nodes_cap * sizeof *ps->nodes +
           ps->places_cap * sizeof *ps->places + ps->order_cap * sizeof *ps->order +
           hash_table_memory(&ps->symbol_table) + hash_table_memory(&ps->node_table) +
           hash_table_memory(&ps->place_table) + ps->intervals_cap * sizeof *ps->intervals +
           ps->ntallies * sizeof(struct sample_tally) +
           ps->view.nsymbols * sizeof *ps->view_symbols + ps->view.nnodes * sizeof *ps->view_nodes +
           ps->view.nplaces * sizeof *ps->view_places;
}

void hot_sum_reset(struct hot_sum *ps)
{
    size_t limit = ps->limit;
    double window_s = ps->window_s;
    free_all(ps);
    *ps = (struct hot_sum){.limit = limit, .window_s = window_s};
    sum_add_node(ps, 0, 0);
}

void hot_sum_set_window(struct hot_sum *ps, double seconds)
{
    ps->window_s = seconds > HOT_SUM_KEEP_S ? HOT_SUM_KEEP_S : seconds;
    ps->stale = true;
    settle_window_of_sum(ps);
}

/* The nodes and places of p as tallies, in memory of the right size. */
static void tally_profile(struct hot_sum *ps, const struct hot_stacks *p, struct sum_interval *v)
{
    uint32_t *symbol = xcalloc(p->nsymbols, sizeof *symbol);
    uint32_t *node = xcalloc(p->nnodes, sizeof *node);
    v->tallies = xcalloc(p->nnodes + p->nplaces, sizeof *v->tallies);
    for (size_t i = 0; i < p->nsymbols; i++)
        symbol[i] = sum_symbol(ps, &p->symbols[i]);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *n = &p->nodes[i];
        if (n->symbol >= p->nsymbols || n->parent >= (int32_t)i)
            continue;
        node[i] = sum_node_of(ps, n->parent < 0 ? 0 : node[n->parent], symbol[n->symbol]);
        if (n->self)
            v->tallies[v->nnodes++] = (struct sample_tally){node[i], (uint32_t)n->self};
    }
    for (size_t i = 0; i < p->nplaces; i++) {
        const struct hot_place *q = &p->places[i];
        uint32_t id = q->symbol < p->nsymbols && q->samples ? sum_place_of(ps, symbol[q->symbol], q)
                                                            : UINT32_MAX;
        if (id != UINT32_MAX)
            v->tallies[v->nnodes + v->nplaces++] = (struct sample_tally){id, q->samples};
    }
    v->tallies = xrealloc(v->tallies, v->nnodes + v->nplaces, sizeof *v->tallies);
    free(symbol);
    free(node);
}

/* Compacting is not tried at each interval: if everything is new each time, it frees nothing. */
static bool worth_compacting(const struct hot_sum *ps)
{
    uint64_t pause = HOT_SUM_KEEP_S / 2 * 1000000000u;
    bool full = ps->nnodes > ps->limit || ps->text_bytes >= HOT_SUM_TEXTS ||
                ps->nsymbols >= ps->limit || ps->nplaces >= ps->limit;
    return full && (!ps->compacted_ns || ps->newest_ns - ps->compacted_ns >= pause);
}

void hot_sum_add(struct hot_sum *ps, const struct hot_stacks *p, uint64_t time_ns)
{
    if (time_ns < ps->newest_ns)
        hot_sum_reset(ps);
    ps->newest_ns = time_ns;
    if (worth_compacting(ps))
        sum_compact(ps);
    struct sum_interval v = {.time_ns = time_ns,
                             .samples = p->samples,
                             .lost = p->lost,
                             .throttled = p->throttled,
                             .seconds = p->seconds};
    sum_keep_last(ps, p);
    tally_profile(ps, p, &v);
    LIST_ADD(ps->intervals, ps->nintervals, ps->intervals_cap, v);
    ps->ntallies += v.nnodes + v.nplaces;
    count_interval(ps, &v, true);
    ps->any = true;
    settle_window_of_sum(ps);
}
