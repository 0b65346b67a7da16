#include "engine/trace_dispatches.h"

#include <stdlib.h>

#include "base/arena.h"

static bool same(const struct trace_dispatch *a, const struct trace_dispatch *b)
{
    return a->agent == b->agent && a->vgprs == b->vgprs && a->accum_vgprs == b->accum_vgprs &&
           a->sgprs == b->sgprs && a->lds_bytes == b->lds_bytes &&
           a->scratch_bytes == b->scratch_bytes;
}

static uint64_t hash(const struct trace_dispatch *d)
{
    uint64_t h = ids_mix((uint64_t)d->agent << 32 | d->vgprs);
    h = ids_mix(h + ((uint64_t)d->accum_vgprs << 32 | d->sgprs));
    return ids_mix(h + ((uint64_t)d->lds_bytes << 32 | d->scratch_bytes));
}

static uint32_t launch_of(struct trace_dispatches *l, const struct trace_dispatch *d)
{
    if (l->nlaunches && same(&l->launches[l->last], d))
        return l->last;
    uint64_t key = hash(d);
    uint32_t at;
    while ((at = ids_get(&l->by_hash, key)) != IDS_NONE && !same(&l->launches[at], d))
        key++; /* two of one hash */
    if (at == IDS_NONE) {
        if (l->nlaunches == l->launches_cap) {
            l->launches_cap = l->launches_cap ? l->launches_cap * 2 : 64;
            l->launches = xrealloc(l->launches, l->launches_cap, sizeof *l->launches);
        }
        at = l->nlaunches++;
        l->launches[at] = *d;
        l->launches[at].node = 0;
        l->launches[at].id = 0;
        ids_add(&l->by_hash, key, at);
    }
    return l->last = at;
}

void trace_dispatches_add(struct trace_dispatches *l, const struct trace_dispatch *d)
{
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->node = xrealloc(l->node, l->cap, sizeof *l->node);
        l->launch = xrealloc(l->launch, l->cap, sizeof *l->launch);
        l->id = xrealloc(l->id, l->cap, sizeof *l->id);
        if (l->id_high)
            l->id_high = xrealloc(l->id_high, l->cap, sizeof *l->id_high);
    }
    if (d->id > UINT32_MAX && !l->id_high)
        l->id_high = xcalloc(l->cap, sizeof *l->id_high);
    l->node[l->n] = d->node;
    l->launch[l->n] = launch_of(l, d);
    l->id[l->n] = (uint32_t)d->id;
    if (l->id_high)
        l->id_high[l->n] = (uint32_t)(d->id >> 32);
    l->n++;
}

struct trace_dispatch trace_dispatches_at(const struct trace_dispatches *l, uint32_t i)
{
    struct trace_dispatch d = l->launches[l->launch[i]];
    d.node = l->node[i];
    d.id = l->id[i] | (l->id_high ? (uint64_t)l->id_high[i] << 32 : 0);
    return d;
}

static int by_node(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; /* node, index */
    return (*x > *y) - (*x < *y);
}

static uint32_t *put(uint32_t *list, const uint64_t *order, uint32_t n)
{
    uint32_t *out = list ? xcalloc(n, sizeof *out) : NULL;
    for (uint32_t i = 0; list && i < n; i++)
        out[i] = list[(uint32_t)order[i]];
    free(list);
    return out;
}

void trace_dispatches_sort(struct trace_dispatches *l)
{
    uint32_t i = 1;
    while (i < l->n && l->node[i - 1] <= l->node[i])
        i++;
    if (i >= l->n) /* readers mostly add them in order already */
        return;
    uint64_t *order = xcalloc(l->n, sizeof *order);
    for (i = 0; i < l->n; i++)
        order[i] = (uint64_t)l->node[i] << 32 | i;
    qsort(order, l->n, sizeof *order, by_node);
    l->node = put(l->node, order, l->n);
    l->launch = put(l->launch, order, l->n);
    l->id = put(l->id, order, l->n);
    l->id_high = put(l->id_high, order, l->n);
    l->cap = l->n;
    free(order);
}

void trace_dispatches_free(struct trace_dispatches *l)
{
    free(l->node);
    free(l->launch);
    free(l->id);
    free(l->id_high);
    free(l->launches);
    ids_free(&l->by_hash);
    *l = (struct trace_dispatches){0};
}
