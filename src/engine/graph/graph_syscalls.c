#include "engine/graph/graph_syscalls.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

void call_count_add(struct call_count *to, const struct call_count *n)
{
    to->calls += n->calls;
    to->errors += n->errors;
    to->ns += n->ns;
    to->read += n->read;
    to->written += n->written;
}

static int compare_call_parts(const void *a, const void *b)
{
    const struct call_part *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->all.ns != y->all.ns)
        return x->all.ns > y->all.ns ? -1 : 1;
    if (x->all.calls != y->all.calls)
        return x->all.calls > y->all.calls ? -1 : 1;
    return strcmp(x->name, y->name);
}

struct graph_syscalls *graph_syscalls_new(uint32_t nnodes, struct call_part *parts, uint32_t nparts)
{
    struct graph_syscalls *s = xcalloc(1, sizeof *s);
    s->nnodes = nnodes;
    s->parts = parts;
    s->nparts = nparts;
    s->first = xcalloc(nnodes + (size_t)1, sizeof *s->first);
    s->sums = xcalloc(nparts + (size_t)1, sizeof *s->sums);
    if (nparts)
        qsort(parts, nparts, sizeof *parts, compare_call_parts);
    for (uint32_t node = 0, i = 0; node <= nnodes; node++) {
        s->first[node] = i;
        struct call_sum *sum = &s->sums[i];
        for (; i < nparts && parts[i].node == node; i++) {
            call_count_add(&sum->n, &parts[i].all);
            if (parts[i].all.ns > sum->most_ns) {
                sum->most_ns = parts[i].all.ns;
                sum->most_in = parts[i].name;
            }
        }
    }
    return s;
}

void graph_syscalls_free(struct graph_syscalls *s)
{
    if (!s)
        return;
    free(s->first);
    free(s->parts);
    free(s->sums);
    free(s);
}

void graph_set_syscalls(struct graph *g, struct graph_syscalls *s)
{
    graph_syscalls_free(g->syscalls);
    g->syscalls = s;
}

const struct call_sum *graph_syscalls_of(const struct graph *g, uint32_t node)
{
    static const struct call_sum none = {.most_in = NULL};
    const struct graph_syscalls *s = g->syscalls;
    if (!s)
        return NULL;
    return node < s->nnodes && s->first[node] < s->first[node + 1] ? &s->sums[s->first[node]]
                                                                   : &none;
}

uint32_t graph_syscalls_parts(const struct graph *g, uint32_t node, const struct call_part **out)
{
    const struct graph_syscalls *s = g->syscalls;
    if (!s || node >= s->nnodes)
        return 0;
    *out = &s->parts[s->first[node]];
    return s->first[node + 1] - s->first[node];
}
