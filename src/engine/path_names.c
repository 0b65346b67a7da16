/* The criticality of each name: which part of the path it is, whatever the order in the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/path_shares.h"

static const struct graph *sorting;

static int by_name(const void *a, const void *b)
{
    const struct path_name *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool same(const struct path_name *a, const struct path_name *b)
{
    return a->name == b->name && a->kind == b->kind && a->part == b->part;
}

static int by_ns(const void *a, const void *b)
{
    const struct path_name *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    int c = strcmp(graph_text(sorting, x->name), graph_text(sorting, y->name));
    if (c == 0)
        c = x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
                               : (x->part > y->part) - (x->part < y->part);
    return c;
}

static uint32_t sum_steps(const struct graph *g, const struct critical_path *p,
                          struct path_name *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        list[i] = (struct path_name){.name = g->name[s->node],
                                     .kind = g->kind[s->node],
                                     .part = (uint8_t)path_part_of(g, s),
                                     .steps = 1,
                                     .inferred = s->inferred,
                                     .ns = s->length,
                                     .node = s->node};
    }
    qsort(list, p->nsteps, sizeof *list, by_name);
    for (uint32_t i = 0; i < p->nsteps; i++) {
        if (n && same(&list[n - 1], &list[i])) {
            list[n - 1].ns += list[i].ns;
            list[n - 1].steps++;
            list[n - 1].inferred += list[i].inferred;
        } else {
            list[n++] = list[i];
        }
    }
    return n;
}

/* Rows of one name lie side by side. */
static void sum_calls(const struct graph *g, struct path_name *list, uint32_t n)
{
    uint32_t *first = xcalloc(g->nnames + (size_t)1, sizeof *first); /* 1 + index */
    for (uint32_t i = n; i-- > 0;)
        if (list[i].name < g->nnames)
            first[list[i].name] = i + 1;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint32_t i = g->name[v] < g->nnames ? first[g->name[v]] : 0;
        for (; i && i <= n && list[i - 1].name == g->name[v]; i++)
            if (list[i - 1].kind == g->kind[v]) {
                list[i - 1].calls++;
                list[i - 1].total += g->duration[v] == GRAPH_UNKNOWN ? 0 : g->duration[v];
            }
    }
    free(first);
}

int path_names_find(const struct graph *g, const struct critical_path *p, struct path_shares *out,
                    struct error *err)
{
    struct path_name *list = calloc(p->nsteps + (size_t)1, sizeof *list);
    if (!list)
        return error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it",
                         "sum up the critical path", "no memory for %u steps", p->nsteps);
    uint32_t n = sum_steps(g, p, list);
    sum_calls(g, list, n);
    for (uint32_t i = 0; i < n; i++)
        list[i].weight = p->length ? (double)list[i].ns / (double)p->length : 0;
    sorting = g;
    qsort(list, n, sizeof *list, by_ns);
    out->names = xrealloc(list, n + 1u, sizeof *list);
    out->nnames = n;
    return 0;
}
