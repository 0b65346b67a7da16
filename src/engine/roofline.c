#include "engine/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double roofline_bound(const struct roof *r, double intensity)
{
    double memory = intensity * r->bytes;
    if (r->flops <= 0)
        return r->bytes > 0 ? memory : 0;
    return r->bytes > 0 && memory < r->flops ? memory : r->flops;
}

/* The index of a backend's roof, added where it is new: the same backend of two programs, or
 * measured anew, is one roof each time its peaks differ. */
static uint32_t roof_of(struct roofline *out, const struct graph *g, uint32_t node)
{
    while (node != GRAPH_NONE && g->kind[node] != NODE_BACKEND)
        node = g->parent[node];
    if (node == GRAPH_NONE || g->detail[node] == GRAPH_NONE)
        return GRAPH_NONE;
    const struct graph_detail *d = &g->details[g->detail[node]];
    if (d->backend.peak_flops <= 0 && d->backend.peak_bytes <= 0)
        return GRAPH_NONE;
    struct roof r = {.name = graph_name(g, node),
                     .how = d->backend.how == GRAPH_NONE ? "" : graph_text(g, d->backend.how),
                     .flops = d->backend.peak_flops,
                     .bytes = d->backend.peak_bytes};
    for (uint32_t i = 0; i < out->nroofs; i++)
        if (out->roofs[i].name == r.name && out->roofs[i].flops == r.flops &&
            out->roofs[i].bytes == r.bytes)
            return i;
    out->roofs[out->nroofs] = r;
    return out->nroofs++;
}

static int by_total(const void *a, const void *b)
{
    const struct roof_point *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int c = x->work && y->work ? strcmp(x->name, y->name) : 0; /* whatever the order of the file */
    if (c != 0)
        return c;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool has_point(const struct graph *g, uint32_t i)
{
    const struct graph_work *w = graph_work_of(g, i);
    return (g->kind[i] == NODE_BRICK || g->kind[i] == NODE_KERNEL) && w && w->total > 0 &&
           w->flops > 0 && w->bytes > 0;
}

static void add_place(struct roofline *out, const struct graph *g, uint32_t node)
{
    const struct graph_work *w = graph_work_of(g, node);
    uint32_t roof = roof_of(out, g, node), i = 0;
    for (; i < out->npoints; i++)
        if (out->points[i].name == graph_name(g, node) && out->points[i].roof == roof &&
            g->kind[out->points[i].node] == g->kind[node])
            break;
    if (i == out->npoints)
        out->points[out->npoints++] = (struct roof_point){.node = node,
                                                          .name = graph_name(g, node),
                                                          .roof = roof,
                                                          .distance = NAN,
                                                          .declared = true};
    out->points[i].places++;
    out->points[i].total += w->total;
    out->points[i].elapsed += w->busiest;
    out->points[i].all_flops += w->flops;
    out->points[i].all_bytes += w->bytes;
}

static void finish(const struct roofline *out, struct roof_point *p)
{
    if (p->elapsed == 0) /* nobody said which thread */
        p->elapsed = p->total;
    p->flops = (double)p->all_flops * 1e9 / (double)p->elapsed;
    p->bytes = (double)p->all_bytes * 1e9 / (double)p->elapsed;
    p->intensity = (double)p->all_flops / (double)p->all_bytes;
    if (p->roof == GRAPH_NONE)
        return;
    const struct roof *r = &out->roofs[p->roof];
    p->bound = roofline_bound(r, p->intensity);
    p->memory_bound = r->bytes > 0 && (r->flops <= 0 || p->intensity * r->bytes < r->flops);
    double reached = p->flops / p->bound;
    p->distance = reached < 1 ? 1 - reached : 0;
}

void roofline_sort(struct roofline *r)
{
    if (r->npoints)
        qsort(r->points, r->npoints, sizeof *r->points, by_total);
}

void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *g)
{
    uint32_t points = 0, roofs = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        points += has_point(g, i);
        roofs += g->kind[i] == NODE_BACKEND;
    }
    *out = (struct roofline){.roofs = arena_alloc(memory, (roofs + 1u) * sizeof *out->roofs),
                             .points = arena_alloc(memory, (points + 1u) * sizeof *out->points)};
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (has_point(g, i))
            add_place(out, g, i);
    for (uint32_t i = 0; i < out->npoints; i++)
        finish(out, &out->points[i]);
    roofline_sort(out);
}
