#include "engine/roofline/roofline_share.h"

#include <stdlib.h>

#include "base/arena.h"

/* A node, with the name, backend and kind that its group has in common. */
struct member {
    uint32_t name, backend, node;
    uint8_t kind;
};
struct sharing {
    const struct graph *g;
    struct member *members; /* those of one group together */
    uint32_t n;
    uint32_t *group; /* of each node: 1 + the index of its group's first member; 0: none */
    uint64_t *any;   /* of each group, at the index of its first member */
    uint64_t *until; /* the latest end so far */
    uint64_t *taken; /* of each node, ns of these spans */
};

static bool tells_work(const struct graph *g, uint32_t node)
{
    const struct graph_extra *x = graph_extra_of(g, node);
    return (g->kind[node] == NODE_BRICK || g->kind[node] == NODE_KERNEL) &&
           (x->flops > 0 || x->bytes > 0);
}

static int compare_sharing_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->backend != y->backend)
        return x->backend < y->backend ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool is_same_sharing_group(const struct member *x, const struct member *y)
{
    return x->name == y->name && x->backend == y->backend && x->kind == y->kind;
}

/* Backends of one name with equal peaks count as one (roofline.c): returns the first of them. */
static uint32_t first_like(const struct graph *g, const uint32_t *backends, uint32_t n,
                           uint32_t node)
{
    const struct graph_detail *d =
        g->detail[node] == GRAPH_NONE ? NULL : &g->details[g->detail[node]];
    for (uint32_t i = 0; d && i < n; i++) {
        const struct graph_detail *x = &g->details[g->detail[backends[i]]];
        if (g->name[backends[i]] == g->name[node] &&
            x->backend.peak_flops == d->backend.peak_flops &&
            x->backend.peak_bytes == d->backend.peak_bytes)
            return backends[i];
    }
    return node;
}

/* The nearest backend of every node, or GRAPH_NONE. Parents have the lower index. */
static uint32_t *find_backends(const struct graph *g)
{
    uint32_t *of = xcalloc(g->nnodes + 1u, sizeof *of), *known = NULL, n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        n += g->kind[i] == NODE_BACKEND;
    known = xcalloc(n + 1u, sizeof *known);
    n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        of[i] = g->parent[i] == GRAPH_NONE ? GRAPH_NONE : of[g->parent[i]];
        if (g->kind[i] != NODE_BACKEND)
            continue;
        of[i] = first_like(g, known, n, i);
        if (of[i] == i && g->detail[i] != GRAPH_NONE)
            known[n++] = i;
    }
    free(known);
    return of;
}

/* Whether several threads ran the members from first to end. */
static bool ran_on_several_threads(const struct sharing *s, uint32_t first, uint32_t end)
{
    uint64_t busiest = 0, total = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t node = s->members[i].node;
        busiest += graph_extra_of(s->g, node)->busiest;
        total += graph_work_of(s->g, node)->total;
    }
    return busiest > 0 && busiest < total; /* busiest 0: the threads are unknown */
}

static uint32_t group_end(const struct sharing *s, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < s->n && is_same_sharing_group(&s->members[first], &s->members[end]))
        end++;
    return end;
}

static bool find_sharing_groups(struct sharing *s)
{
    const struct graph *g = s->g;
    uint32_t *backend = find_backends(g);
    bool any = false;
    s->members = xcalloc(g->nnodes + 1u, sizeof *s->members);
    s->group = xcalloc(g->nnodes + 1u, sizeof *s->group);
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (tells_work(g, i))
            s->members[s->n++] = (struct member){g->name[i], backend[i], i, g->kind[i]};
    free(backend);
    if (s->n)
        qsort(s->members, s->n, sizeof *s->members, compare_sharing_members);
    for (uint32_t i = 0, end; i < s->n; i = end) {
        end = group_end(s, i);
        bool shared = ran_on_several_threads(s, i, end);
        for (uint32_t k = i; k < end && shared; k++)
            s->group[s->members[k].node] = 1 + i;
        any |= shared;
    }
    return any;
}

static void forget_share(struct sharing *s)
{
    free(s->members);
    free(s->group);
    free(s->any);
    free(s->until);
    free(s->taken);
}

bool *roofline_shared(const struct graph *g)
{
    struct sharing s = {.g = g};
    bool *shared = find_sharing_groups(&s) ? xcalloc(g->nnodes + 1u, sizeof *shared) : NULL;
    for (uint32_t i = 0; shared && i < g->nnodes; i++)
        shared[i] = s.group[i] != 0;
    forget_share(&s);
    return shared;
}

static int compare_roofline_spans(const void *a, const void *b)
{
    const struct roofline_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void add_shared_span(struct sharing *s, struct graph *g, const struct roofline_span *span)
{
    uint32_t at = span->node < g->nnodes ? s->group[span->node] : 0;
    if (at == 0 || span->end < span->start)
        return;
    uint64_t *until = &s->until[at - 1], from = span->start > *until ? span->start : *until;
    struct graph_extra *x = graph_extra(g, span->node);
    if (span->end > from) {
        s->any[at - 1] += span->end - from;
        *until = span->end;
    }
    s->taken[span->node] += span->end - span->start;
    x->any_total += span->end - span->start;
    x->any_bytes += span->bytes;
    x->any_flops += span->flops;
}

/* Divides a group's time among its places, in proportion to the time of their calls; the parts sum
 * to the whole exactly. */
static void give_parts(const struct sharing *s, struct graph *g, uint32_t first, uint32_t end)
{
    uint64_t total = 0, given = 0;
    double before = 0;
    for (uint32_t i = first; i < end; i++)
        total += s->taken[s->members[i].node];
    for (uint32_t i = first; i < end && total; i++) {
        uint32_t node = s->members[i].node;
        before += (double)s->taken[node];
        uint64_t upto = i + 1 == end ? s->any[first]
                                     : (uint64_t)((double)s->any[first] * before / (double)total);
        graph_extra(g, node)->any += upto > given ? upto - given : 0;
        given = upto;
    }
}

void roofline_share(struct graph *g, struct roofline_span *spans, size_t n)
{
    struct sharing s = {.g = g};
    if (n && find_sharing_groups(&s)) {
        s.any = xcalloc(s.n + 1u, sizeof *s.any);
        s.until = xcalloc(s.n + 1u, sizeof *s.until);
        s.taken = xcalloc(g->nnodes + 1u, sizeof *s.taken);
        qsort(spans, n, sizeof *spans, compare_roofline_spans);
        for (size_t i = 0; i < n; i++)
            add_shared_span(&s, g, &spans[i]);
        for (uint32_t i = 0; i < s.n; i = group_end(&s, i))
            give_parts(&s, g, i, group_end(&s, i));
    }
    forget_share(&s);
}
