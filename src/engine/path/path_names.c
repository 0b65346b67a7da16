/* The criticality of each name: its share of the path, independent of the file's order. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"
#include "engine/path/path_shares.h"

static _Thread_local const struct graph *sorting;

static int by_step_name(const void *a, const void *b)
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

static int by_ns(const void *a, const void *b)
{
    const struct path_name *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns > y->ns ? -1 : 1;
    int c = strcmp(graph_text(sorting, x->name), graph_text(sorting, y->name));
    if (c != 0)
        return c;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

struct name_rows {
    struct path_name *list;
    uint32_t n, cap;
    struct ids known; /* index by name, kind and part */
};

static struct path_name *find_or_add_path_name(struct name_rows *r, const struct path_name *wanted)
{
    uint64_t key = (uint64_t)wanted->name << 16 | (uint64_t)wanted->kind << 8 | wanted->part;
    uint32_t at = ids_get(&r->known, key);
    if (at != IDS_NONE)
        return &r->list[at];
    LIST_ROOM(r->list, r->n, r->cap);
    ids_add(&r->known, key, r->n);
    r->list[r->n] = *wanted;
    return &r->list[r->n++];
}

static void sum_steps(const struct graph *g, const struct critical_path *p, struct name_rows *out)
{
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        const struct path_name wanted = {
            .name = g->name[s->node], .kind = g->kind[s->node], .part = s->part, .node = s->node};
        struct path_name *row = find_or_add_path_name(out, &wanted);
        row->ns += s->length;
        row->steps++;
        row->inferred += s->inferred;
        row->node = s->node < row->node ? s->node : row->node;
    }
    ids_free(&out->known);
}

/* Adds the calls of each name; rows of one name are adjacent. */
static void add_calls_to_names(const struct graph *g, struct path_name *list, uint32_t n)
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

void path_names_find(const struct graph *g, const struct critical_path *p, struct path_shares *out)
{
    struct name_rows r = {.list = NULL};
    sum_steps(g, p, &r);
    r.list = xrealloc(r.list, r.n + 1u, sizeof *r.list);
    if (r.n)
        qsort(r.list, r.n, sizeof *r.list, by_step_name);
    add_calls_to_names(g, r.list, r.n);
    for (uint32_t i = 0; i < r.n; i++)
        r.list[i].weight = p->length ? (double)r.list[i].ns / (double)p->length : 0;
    sorting = g;
    if (r.n)
        qsort(r.list, r.n, sizeof *r.list, by_ns);
    out->names = r.list;
    out->nnames = r.n;
}
