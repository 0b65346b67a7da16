#include "engine/graph/graph_counters.h"
#include "engine/roofline/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "engine/roofline/roofline_cpu.h"

/* The roofline that is filled, with tables that find its roofs and points: there may be many. */
struct filling {
    struct roofline *out;
    const struct graph *g;
    const struct cpu_roofs *cpu;
    struct roofline_surroundings around;
    struct hash_table told, named, points; /* roofs by their peaks; roofs by name; points */
};

double roofline_bound(const struct roof *r, double intensity)
{
    double memory = intensity * r->bytes;
    if (r->flops <= 0)
        return r->bytes > 0 ? memory : 0;
    return r->bytes > 0 && memory < r->flops ? memory : r->flops;
}

static double spread_share(uint32_t per_mille)
{
    return per_mille ? per_mille / 1e3 : NAN;
}

static uint64_t hash_roof(const struct roof *r)
{
    uint64_t h = hash_number(0, (uintptr_t)r->name); /* a graph holds each text once */
    h = hash_bytes(h, &r->flops, sizeof r->flops);
    return hash_bytes(h, &r->bytes, sizeof r->bytes);
}

/* The index of a backend's roof, which is added if its name and peaks are new. node: the backend,
 * or GRAPH_NONE. */
static uint32_t told_roof(struct filling *f, uint32_t node)
{
    const struct graph *g = f->g;
    struct roofline *out = f->out;
    if (node == GRAPH_NONE || g->detail[node] == GRAPH_NONE)
        return GRAPH_NONE;
    const struct graph_detail *d = &g->details[g->detail[node]];
    if (d->backend.peak_flops <= 0 && d->backend.peak_bytes <= 0)
        return GRAPH_NONE;
    struct roof r = {.name = graph_name(g, node),
                     .how = d->backend.how == GRAPH_NONE ? "" : graph_text(g, d->backend.how),
                     .flops = d->backend.peak_flops,
                     .bytes = d->backend.peak_bytes,
                     .flops_spread = spread_share(d->backend.spread_flops),
                     .bytes_spread = spread_share(d->backend.spread_bytes)};
    uint64_t hash = hash_roof(&r);
    HASH_EACH (&f->told, hash, i)
        if (out->roofs[i].name == r.name && out->roofs[i].flops == r.flops &&
            out->roofs[i].bytes == r.bytes)
            return i;
    hash_table_add(&f->told, hash, out->nroofs);
    out->roofs[out->nroofs] = r;
    return out->nroofs++;
}

/* The roof with the peaks of the nearest backend; without peaks, a placeholder for the measured
 * roof of its CPU until all points are known; else none. */
static uint32_t roof_of(struct filling *f, uint32_t node)
{
    struct roofline *out = f->out;
    uint32_t told = told_roof(f, f->around.backend[node]);
    const char *name =
        told == GRAPH_NONE && f->cpu ? roofline_cpu_name(f->g, &f->around, node) : NULL;
    if (!name)
        return told;
    if (f->cpu->cpus == 0) {
        out->unmeasured = f->cpu->none;
        return GRAPH_NONE;
    }
    uint64_t hash = hash_text(0, name);
    HASH_EACH (&f->named, hash, i)
        if (strcmp(out->roofs[i].name, name) == 0)
            return i;
    hash_table_add(&f->named, hash, out->nroofs);
    out->roofs[out->nroofs] = (struct roof){.name = name};
    return out->nroofs++;
}

static int compare_roof_points(const void *a, const void *b)
{
    const struct roof_point *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int c = x->work && y->work ? strcmp(x->name, y->name) : 0; /* whatever the file's order */
    if (c != 0)
        return c;
    return x->node < y->node ? -1 : x->node > y->node;
}

static bool has_point(const struct graph *g, uint32_t i)
{
    const struct graph_work *w = graph_work_of(g, i);
    return (g->kind[i] == NODE_BRICK || g->kind[i] == NODE_KERNEL) && w && w->total > 0 &&
           (graph_extra_of(g, i)->flops > 0 || graph_extra_of(g, i)->bytes > 0);
}

static struct roof_point *point_of(struct filling *f, uint32_t node)
{
    const struct graph *g = f->g;
    struct roofline *out = f->out;
    uint32_t roof = roof_of(f, node);
    uint64_t hash = hash_number(hash_number((uintptr_t)graph_name(g, node), roof), g->kind[node]);
    HASH_EACH (&f->points, hash, i) {
        struct roof_point *p = &out->points[i];
        if (p->name == graph_name(g, node) && p->roof == roof && g->kind[p->node] == g->kind[node])
            return p;
    }
    hash_table_add(&f->points, hash, out->npoints);
    struct roof_point *p = &out->points[out->npoints++];
    *p = (struct roof_point){.node = node,
                             .name = graph_name(g, node),
                             .roof = roof,
                             .limit = GRAPH_NONE,
                             .now_rate = NAN,
                             .distance = NAN,
                             .declared = true};
    return p;
}

static void add_node_to_point(struct roof_point *p, const struct graph *g, uint32_t node)
{
    const struct graph_extra *x = graph_extra_of(g, node);
    p->places++;
    p->total += graph_work_of(g, node)->total;
    p->calls += graph_work_of(g, node)->count;
    p->all_flops += x->flops;
    p->all_bytes += x->bytes;
    p->busiest += x->busiest;
    p->any += x->any;
    p->of_total += x->any_total;
    p->any_flops += x->any_flops;
    p->any_bytes += x->any_bytes;
    p->now_total += x->recent_total;
    p->now_flops += x->recent_flops;
    p->now_bytes += x->recent_bytes;
}

static void add_counts_to_point(struct roof_point *p, struct arena *memory, const struct graph *g,
                                uint32_t node)
{
    const struct graph_counts *more = graph_counts_of(g, node);
    p->counters = g->counters;
    if (!more)
        return;
    if (!p->counts) {
        p->counts = arena_alloc(memory, sizeof *p->counts);
        graph_counts_clear(p->counts);
    }
    graph_counts_add(p->counts, more);
}

/* Chooses the calls and the time that the rates are computed from. */
static void choose_time(struct roof_point *p)
{
    /* busiest 0: threads unknown */
    bool several = p->busiest > 0 && p->busiest < p->total;
    bool spans = several && p->any > 0 && (p->any_flops > 0 || p->any_bytes > 0);
    p->over = several ? OVER_BUSIEST : OVER_CALLS;
    p->elapsed = several ? p->busiest : p->total;
    if (spans) {
        p->over = OVER_SPANS;
        p->elapsed = p->any;
    }
    if (!spans) {
        p->of_total = p->total;
        p->any_flops = p->all_flops;
        p->any_bytes = p->all_bytes;
    }
    /* the mean number of threads that ran it at once; a fraction of a thread counts as one */
    double threads = ceil((double)p->of_total / (double)p->elapsed - 0.05);
    p->threads = (uint32_t)fmin(fmax(1, threads), UINT32_MAX);
}

/* Places a point that has only FLOPs or only bytes under the matching peak of its roof. */
static void roofline_without_intensity(struct roof_point *p, const struct roof *r)
{
    const double peak = isnan(p->flops) ? r->bytes : r->flops;
    p->memory_bound = isnan(p->flops);
    p->bound = p->memory_bound ? 0 : r->flops;
    const double rate = p->memory_bound ? p->bytes : p->flops;
    p->distance = peak > 0 ? 1 - rate / peak : NAN;
}

static double divide_known_amount(uint64_t amount, double of)
{
    return amount ? (double)amount / of : NAN;
}

static void finish_point(const struct roofline *out, struct roof_point *p)
{
    choose_time(p);
    /* if all calls ended in the last interval, the rates of that interval are these rates */
    bool now = p->over == OVER_CALLS && p->now_total && p->now_total < p->total && p->now_flops &&
               p->now_bytes;
    p->now_rate = now ? (double)p->now_flops * 1e9 / (double)p->now_total : NAN;
    p->now_intensity = now ? (double)p->now_flops / (double)p->now_bytes : NAN;
    p->flops = divide_known_amount(p->any_flops, (double)p->elapsed / 1e9);
    p->bytes = divide_known_amount(p->any_bytes, (double)p->elapsed / 1e9);
    p->intensity = p->any_bytes ? divide_known_amount(p->any_flops, (double)p->any_bytes) : NAN;
    if (p->roof == GRAPH_NONE || roofline_cpu_unplaced(&out->roofs[p->roof]))
        return;
    const struct roof *r = &out->roofs[p->roof];
    if (isnan(p->intensity)) {
        roofline_without_intensity(p, r);
        return;
    }
    p->bound = roofline_bound(r, p->intensity);
    p->memory_bound = r->bytes > 0 && (r->flops <= 0 || p->intensity * r->bytes < r->flops);
    p->distance = 1 - p->flops / p->bound;
}

void roofline_sort(struct roofline *r)
{
    if (r->npoints)
        qsort(r->points, r->npoints, sizeof *r->points, compare_roof_points);
}

uint64_t roofline_whole(const struct roofline *r, const struct graph *g)
{
    uint64_t total = 0;
    bool counters = false;
    for (uint32_t i = 0; i < r->npoints; i++)
        if (r->points[i].work) {
            counters = true;
            total += r->points[i].total;
        }
    for (uint32_t i = g->first_root; i != GRAPH_NONE && !counters; i = g->next_sibling[i])
        total += g->duration[i] == GRAPH_UNKNOWN ? 0 : g->duration[i];
    return total;
}

void roofline_fill(struct roofline *out, struct arena *memory, const struct graph *g,
                   const struct cpu_roofs *cpu)
{
    uint32_t points = 0, roofs = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        points += has_point(g, i);
        roofs += g->kind[i] == NODE_BACKEND;
    }
    *out = (struct roofline){.roofs = arena_alloc(memory, (roofs + 2u) * sizeof *out->roofs),
                             .points = arena_alloc(memory, (points + 1u) * sizeof *out->points),
                             .cpu = cpu};
    uint32_t *point = xcalloc(g->nnodes + 1u, sizeof *point);
    struct filling f = {.out = out, .g = g, .cpu = cpu, .around = roofline_surroundings(g)};
    for (uint32_t i = 0; i < g->nnodes; i++) {
        point[i] = GRAPH_NONE;
        if (!has_point(g, i))
            continue;
        struct roof_point *p = point_of(&f, i);
        point[i] = (uint32_t)(p - out->points);
        add_node_to_point(p, g, i);
        add_counts_to_point(p, memory, g, i);
    }
    for (uint32_t i = 0; i < out->npoints; i++)
        finish_point(out, &out->points[i]);
    if (cpu && cpu->cpus)
        roofline_cpu_place(out, memory, g, cpu, point);
    free(point);
    roofline_surroundings_free(&f.around);
    hash_table_free(&f.told);
    hash_table_free(&f.named);
    hash_table_free(&f.points);
    roofline_sort(out);
}
