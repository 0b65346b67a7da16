#include "engine/trace/trace_dispatches.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/search.h"

static bool is_same_dispatch(const struct trace_dispatch *a, const struct trace_dispatch *b)
{
    return a->agent == b->agent && a->vgprs == b->vgprs && a->accum_vgprs == b->accum_vgprs &&
           a->sgprs == b->sgprs && a->lds_bytes == b->lds_bytes &&
           a->scratch_bytes == b->scratch_bytes;
}

static uint64_t hash_dispatch_shape(const struct trace_dispatch *d)
{
    uint64_t h = hash_number(0, (uint64_t)d->agent << 32 | d->vgprs);
    h = hash_number(h, (uint64_t)d->accum_vgprs << 32 | d->sgprs);
    return hash_number(h, (uint64_t)d->lds_bytes << 32 | d->scratch_bytes);
}

uint32_t trace_dispatches_launch(struct trace_dispatches *l, const struct trace_dispatch *d)
{
    if (l->nlaunches && is_same_dispatch(&l->launches[l->last], d))
        return l->last;
    uint64_t hash = hash_dispatch_shape(d);
    HASH_EACH (&l->by_content, hash, i)
        if (is_same_dispatch(&l->launches[i], d))
            return l->last = i;
    hash_table_add(&l->by_content, hash, l->nlaunches);
    LIST_ROOM(l->launches, l->nlaunches, l->launches_cap);
    l->launches[l->nlaunches] = *d;
    l->launches[l->nlaunches].node = 0;
    l->launches[l->nlaunches].id = 0;
    return l->last = l->nlaunches++;
}

/* --- series --- */

static void make_series_plain(struct trace_series *s, uint32_t n, uint32_t cap)
{
    s->plain_cap = cap;
    s->plain = xrealloc(NULL, cap, sizeof *s->plain);
    for (uint32_t r = 0; r < s->nruns; r++) {
        uint32_t end = r + 1 < s->nruns ? s->runs[r + 1].from : n;
        for (uint32_t i = s->runs[r].from; i < end; i++)
            s->plain[i] = s->runs[r].value + (i - s->runs[r].from);
    }
    free(s->runs);
    s->runs = NULL;
    s->nruns = s->runs_cap = 0;
}

/* Adds the i-th number, after all before it. */
static void add_to_trace_series(struct trace_series *s, uint32_t i, uint32_t value)
{
    enum { FEW = 64, EACH = 4 /* a run needs the memory of two plain numbers */ };
    if (s->plain) {
        if (i == s->plain_cap) {
            s->plain_cap *= 2;
            s->plain = xrealloc(s->plain, s->plain_cap, sizeof *s->plain);
        }
        s->plain[i] = value;
        return;
    }
    const struct trace_run *last = s->nruns ? &s->runs[s->nruns - 1] : NULL;
    if (last && value == last->value + (i - last->from))
        return;
    LIST_ADD(s->runs, s->nruns, s->runs_cap, (struct trace_run){i, value});
    if (s->nruns > FEW && s->nruns > i / EACH)
        make_series_plain(s, i + 1, 2 * (i + 1));
}

static uint32_t series_at(const struct trace_series *s, uint32_t i)
{
    if (s->plain)
        return s->plain[i];
    uint32_t next = 1;
    SEARCH_FIRST(next, s->nruns, s->runs[next].from <= i);
    return s->runs[next - 1].value + (i - s->runs[next - 1].from);
}

static void free_trace_series(struct trace_series *s)
{
    free(s->runs);
    free(s->plain);
}

/* --- dispatches --- */

void trace_dispatches_add(struct trace_dispatches *l, uint32_t node, uint64_t id, uint32_t launch)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->launch = xrealloc(l->launch, l->cap, sizeof *l->launch);
        if (l->launch_high)
            l->launch_high = xrealloc(l->launch_high, l->cap, sizeof *l->launch_high);
        if (l->id_high)
            l->id_high = xrealloc(l->id_high, l->cap, sizeof *l->id_high);
    }
    if (launch > UINT16_MAX && !l->launch_high)
        l->launch_high = xcalloc(l->cap, sizeof *l->launch_high);
    if (id > UINT32_MAX && !l->id_high)
        l->id_high = xcalloc(l->cap, sizeof *l->id_high);
    add_to_trace_series(&l->node, l->n, node);
    add_to_trace_series(&l->id, l->n, (uint32_t)id);
    l->launch[l->n] = (uint16_t)launch;
    if (l->launch_high)
        l->launch_high[l->n] = (uint16_t)(launch >> 16);
    if (l->id_high)
        l->id_high[l->n] = (uint32_t)(id >> 32);
    l->n++;
}

uint32_t trace_dispatches_node(const struct trace_dispatches *l, uint32_t i)
{
    return series_at(&l->node, i);
}

struct trace_dispatch trace_dispatches_at(const struct trace_dispatches *l, uint32_t i)
{
    struct trace_dispatch d = l->launches[trace_dispatches_launch_of(l, i)];
    d.node = series_at(&l->node, i);
    d.id = series_at(&l->id, i) | (l->id_high ? (uint64_t)l->id_high[i] << 32 : 0);
    return d;
}

struct sorted_dispatch {
    uint32_t node, index;
};

static int compare_dispatch_nodes(const void *a, const void *b)
{
    const struct sorted_dispatch *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool are_dispatches_in_order(const struct trace_dispatches *l)
{
    const struct trace_series *s = &l->node;
    for (uint32_t r = 1; r < s->nruns; r++)
        if (s->runs[r - 1].value + (s->runs[r].from - s->runs[r - 1].from - 1) > s->runs[r].value)
            return false;
    for (uint32_t i = 1; s->plain && i < l->n; i++)
        if (s->plain[i - 1] > s->plain[i])
            return false;
    return true;
}

void trace_dispatches_sort(struct trace_dispatches *l)
{
    if (are_dispatches_in_order(l)) /* most readers add them in order */
        return;
    struct trace_dispatches old = *l;
    struct sorted_dispatch *order = xcalloc(l->n, sizeof *order);
    for (uint32_t i = 0; i < l->n; i++)
        order[i] = (struct sorted_dispatch){series_at(&l->node, i), i};
    qsort(order, l->n, sizeof *order, compare_dispatch_nodes);
    *l = (struct trace_dispatches){0};
    for (uint32_t i = 0; i < old.n; i++) {
        struct trace_dispatch d = trace_dispatches_at(&old, order[i].index);
        trace_dispatches_add(l, d.node, d.id, trace_dispatches_launch(l, &d));
    }
    free(order);
    trace_dispatches_free(&old);
}

void trace_dispatches_free(struct trace_dispatches *l)
{
    free_trace_series(&l->node);
    free_trace_series(&l->id);
    free(l->launch);
    free(l->launch_high);
    free(l->id_high);
    free(l->launches);
    hash_table_free(&l->by_content);
    *l = (struct trace_dispatches){0};
}
