#include "engine/roofline/roofline_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "engine/roofline/gpu_peaks.h"
#include "engine/roofline/roofline.h"

enum { NUMBERS = WORK_UNITS * WORK_TYPES + WORK_LEVELS, MISSING_NAMED = 24 };

/* Sums over the dispatches of one kernel under one roof. */
struct kernel_group {
    uint32_t name, roof, node, agent;
    uint32_t dispatches, counted;
    uint64_t total, counted_ns;
    struct gpu_counters set;
    uint8_t derived;
    double sum[NUMBERS], ns[NUMBERS];
    uint32_t n[NUMBERS]; /* dispatches that counted it */
};
struct groups {
    struct kernel_group *list;
    uint32_t n, cap;
    struct hash_table by_content;
    uint32_t *of; /* of each dispatch; GRAPH_NONE: it has no counters; NULL: none has */
};

/* --- roofs --- */

static bool is_same_gpu_model(const struct trace_agent *a, const struct trace_agent *b)
{
    return a->gpu && a->name == b->name && a->model == b->model && a->units == b->units &&
           a->clock_mhz == b->clock_mhz;
}

static const char *text_of_agent_name(const struct trace *t, uint32_t name)
{
    return name == GRAPH_NONE ? "" : graph_text(t->calls, name);
}

static bool has_several_gpus(const struct trace *t)
{
    uint32_t gpus = 0;
    for (uint32_t i = 0; i < t->nagents; i++)
        gpus += t->agents[i].gpu;
    return gpus > 1;
}

static bool make_gpu_roof(struct roof *out, struct arena *memory, const struct trace *t,
                          const struct trace_agent *a, uint32_t gpu, const struct roofs_csv *csv)
{
    const char *arch = text_of_agent_name(t, a->name), *model = text_of_agent_name(t, a->model);
    if (!csv || csv->nrows == 0)
        return gpu_peaks(out, memory, arch, model, a->units, a->clock_mhz);
    const struct roofs_row *row = &csv->rows[0];
    for (uint32_t i = 0; i < csv->nrows; i++)
        if (csv->rows[i].device == gpu)
            row = &csv->rows[i];
    const char *name = *arch ? arch : "GPU";
    *out = (struct roof){
        .name = has_several_gpus(t) ? arena_printf(memory, "%s #%u", name, gpu) : name,
        .how = arena_printf(memory, "rocprof-compute roofline.csv, device %u", row->device),
        .ceilings = row->ceilings,
        .nceilings = row->nceilings};
    gpu_peaks_sum(out);
    return true;
}

/* The roof of every agent: an index into r->roofs, GRAPH_NONE if it has none. */
static uint32_t *find_roofs(struct roofline *r, struct arena *memory, const struct trace *t,
                            const struct roofs_csv *csv)
{
    uint32_t *of = xcalloc(t->nagents + 1u, sizeof *of), gpus = 0;
    struct roof *roofs = arena_alloc(memory, (r->nroofs + t->nagents + 1u) * sizeof *roofs);
    if (r->nroofs)
        memcpy(roofs, r->roofs, r->nroofs * sizeof *roofs);
    r->roofs = roofs;
    of[t->nagents] = GRAPH_NONE;
    for (uint32_t i = 0; i < t->nagents; i++) {
        uint32_t like = i;
        of[i] = GRAPH_NONE;
        if (!t->agents[i].gpu)
            continue;
        for (uint32_t k = 0; k < i && like == i && !csv; k++)
            if (is_same_gpu_model(&t->agents[k], &t->agents[i]))
                like = k;
        if (like != i)
            of[i] = of[like];
        else if (make_gpu_roof(&roofs[r->nroofs], memory, t, &t->agents[i], gpus, csv))
            of[i] = r->nroofs++;
        gpus++;
    }
    return of;
}

/* --- kernels --- */

static struct kernel_group *find_or_add_kernel_group(struct groups *gs, uint32_t name,
                                                     uint32_t roof)
{
    uint64_t hash = hash_number(roof, name);
    HASH_EACH (&gs->by_content, hash, i)
        if (gs->list && gs->list[i].name == name && gs->list[i].roof == roof)
            return &gs->list[i];
    hash_table_add(&gs->by_content, hash, gs->n);
    LIST_ROOM(gs->list, gs->n, gs->cap);
    gs->list[gs->n] = (struct kernel_group){.name = name, .roof = roof, .node = GRAPH_NONE};
    return &gs->list[gs->n++];
}

static void add_number_to_group(struct kernel_group *g, uint32_t i, double value, uint64_t ns)
{
    if (isnan(value))
        return;
    g->sum[i] += value;
    g->ns[i] += (double)ns;
    g->n[i]++;
}

static void add_dispatch_work(struct kernel_group *g, const struct trace *t, uint32_t dispatch,
                              uint64_t ns)
{
    struct gpu_work w;
    gpu_work_count(&w, t, dispatch, &g->set);
    g->derived |= w.derived;
    for (uint32_t i = 0; i < WORK_UNITS * WORK_TYPES; i++)
        add_number_to_group(g, i, w.ops[i / WORK_TYPES][i % WORK_TYPES], ns);
    for (uint32_t l = 0; l < WORK_LEVELS; l++)
        add_number_to_group(g, WORK_UNITS * WORK_TYPES + l, w.bytes[l], ns);
    g->counted++;
    g->counted_ns += ns;
}

static void collect_groups(struct groups *gs, const struct trace *t, const uint32_t *roof)
{
    const struct graph *c = t->calls;
    uint32_t counter = 0, last = GRAPH_NONE, agent = t->nagents;
    for (uint32_t i = 0; i < t->ndispatches; i++) {
        uint32_t node = trace_dispatch_node(t, i), launch = trace_dispatch_launch(t, i);
        uint64_t ns = c->duration[node];
        if (gs->of)
            gs->of[i] = GRAPH_NONE;
        if (ns == GRAPH_UNKNOWN)
            continue;
        if (launch != last) { /* dispatches of one launch have one agent */
            uint32_t own = trace_dispatch_at(t, i).agent;
            agent = own < t->nagents ? own : t->nagents;
            last = launch;
        }
        struct kernel_group *g = find_or_add_kernel_group(gs, c->name[node], roof[agent]);
        if (g->node == GRAPH_NONE) {
            g->node = t->place[node];
            g->agent = agent;
        }
        g->dispatches++;
        g->total += ns;
        while (counter < t->ncounters && t->counters[counter].node < node)
            counter++;
        if (!gs->of || counter >= t->ncounters || t->counters[counter].node != node || ns == 0)
            continue;
        add_dispatch_work(g, t, i, ns);
        gs->of[i] = (uint32_t)(g - gs->list);
    }
}

/* --- points --- */

double roofline_use(const struct ceiling *c, const struct roof_work *w)
{
    return (c->memory ? w->bytes_s[c->level] : w->ops_s[c->unit][c->type]) / c->peak;
}

/* A unit does one data type at a time, so the shares of its types add up. The ceiling is that of
 * the type with the largest share. */
static void bind_unit(const struct roof *r, struct roof_work *w, int unit, double *best)
{
    double sum = 0, most = 0;
    uint32_t at = GRAPH_NONE;
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        double use = c->memory || c->extra || c->unit != unit ? NAN : roofline_use(c, w);
        if (!(use > 0))
            continue;
        sum += use;
        if (use > most) {
            most = use;
            at = i;
        }
    }
    if (sum > *best) {
        *best = sum;
        w->limit = at;
    }
}

/* The share of the binding ceiling; 0 if no counted number has a ceiling. */
static double find_binding_ceiling(const struct roof *r, struct roof_work *w)
{
    double best = 0;
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        double use = c->memory && !c->extra ? roofline_use(c, w) : NAN;
        if (use > best) {
            best = use;
            w->limit = i;
        }
    }
    for (int u = 0; u < WORK_UNITS; u++)
        bind_unit(r, w, u, &best);
    return best;
}

static uint64_t count_from_double(double v)
{
    return v > 0 && v < 0x1p63 ? (uint64_t)v : 0;
}

static void place_kernel(struct roof_point *p, struct roof_work *w, const struct roofline *r)
{
    double all = 0;
    p->work = w;
    p->flops = NAN;
    for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++) {
        double rate = w->ops_s[i / WORK_TYPES][i % WORK_TYPES];
        if (isnan(rate))
            continue;
        p->flops = isnan(p->flops) ? rate : p->flops + rate;
        all += w->ops[i / WORK_TYPES][i % WORK_TYPES];
    }
    for (int l = 0; l < WORK_LEVELS; l++)
        w->intensity[l] = w->bytes_s[l] > 0 ? p->flops / w->bytes_s[l] : NAN;
    p->bytes = w->bytes_s[LEVEL_HBM];
    p->intensity = w->intensity[LEVEL_HBM];
    p->all_flops = count_from_double(all);
    p->all_bytes = count_from_double(w->bytes[LEVEL_HBM]);
    p->distance = p->bound = NAN;
    w->limit = GRAPH_NONE;
    if (p->roof == GRAPH_NONE)
        return;
    double use = find_binding_ceiling(&r->roofs[p->roof], w);
    if (w->limit == GRAPH_NONE)
        return;
    p->memory_bound = r->roofs[p->roof].ceilings[w->limit].memory;
    p->distance = 1 - use;
    p->bound = p->flops > 0 ? p->flops / use : NAN;
}

static void fill_work(struct roof_work *w, const struct kernel_group *g)
{
    for (int i = 0; i < NUMBERS; i++) {
        double sum = g->n[i] ? g->sum[i] : NAN;
        double rate = g->n[i] ? sum * 1e9 / g->ns[i] : NAN;
        int level = i - WORK_UNITS * WORK_TYPES;
        if (level >= 0) {
            w->bytes[level] = sum;
            w->bytes_s[level] = rate;
        } else {
            w->ops[i / WORK_TYPES][i % WORK_TYPES] = sum;
            w->ops_s[i / WORK_TYPES][i % WORK_TYPES] = rate;
        }
        w->mixed |= g->n[i] && g->n[i] != g->counted;
    }
    w->derived = g->derived;
    w->dispatches = g->dispatches;
    w->counted = g->counted;
    w->counted_ns = g->counted_ns;
    w->dispatch = GRAPH_NONE;
}

static void name_missing(struct roof_work *w, struct arena *memory, const char *arch,
                         const struct gpu_counters *set)
{
    struct gpu_work known = {.missing = 0};
    const char **names = arena_alloc(memory, MISSING_NAMED * sizeof *names);
    memcpy(known.ops, w->ops, sizeof known.ops);
    memcpy(known.bytes, w->bytes, sizeof known.bytes);
    w->nmissing = gpu_work_missing(arch, &known, set, names, MISSING_NAMED);
    w->nnamed = w->nmissing < MISSING_NAMED ? w->nmissing : MISSING_NAMED;
    w->missing = names;
}

static void add_kernel_point(struct roofline *r, struct arena *memory, const struct trace *t,
                             const struct kernel_group *g, uint32_t first)
{
    struct roof_work *w = arena_alloc(memory, sizeof *w);
    struct roof_point *p = &r->points[r->npoints++];
    fill_work(w, g);
    w->first = first;
    name_missing(w, memory,
                 g->agent < t->nagents ? text_of_agent_name(t, t->agents[g->agent].name) : "",
                 &g->set);
    *p = (struct roof_point){.node = g->node,
                             .places = 1,
                             .threads = 1,
                             .limit = GRAPH_NONE,
                             .now_rate = NAN,
                             .now_intensity = NAN,
                             .name = graph_text(t->calls, g->name),
                             .roof = g->roof,
                             .total = g->total,
                             .elapsed = g->counted_ns};
    place_kernel(p, w, r);
}

static int compare_dispatch_starts(const void *a, const void *b, void *trace)
{
    const struct trace *t = trace;
    const struct trace_dispatch x_own = trace_dispatch_at(t, *(const uint32_t *)a), *x = &x_own;
    const struct trace_dispatch y_own = trace_dispatch_at(t, *(const uint32_t *)b), *y = &y_own;
    uint64_t sx = t->calls->start[x->node], sy = t->calls->start[y->node];
    if (sx != sy)
        return sx < sy ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Sorts by start, so that the order of the file does not matter. Most lists are sorted already. */
static void sort_dispatches(uint32_t *of, uint32_t n, const struct trace *t)
{
    for (uint32_t i = 1; i < n; i++)
        if (compare_dispatch_starts(&of[i - 1], &of[i], (void *)t) > 0) {
            qsort_r(of, n, sizeof *of, compare_dispatch_starts, (void *)t);
            return;
        }
}

/* Lists the dispatches with counters by kernel, those of one kernel by start. */
static void add_points(struct roofline *r, struct arena *memory, const struct trace *t,
                       const struct groups *gs)
{
    uint32_t counted = 0, kernels = 0;
    for (uint32_t i = 0; i < gs->n; i++) {
        counted += gs->list[i].counted;
        kernels += gs->list[i].counted > 0;
    }
    struct roof_point *points = arena_alloc(memory, (r->npoints + kernels + 1u) * sizeof *points);
    uint32_t *of = arena_alloc(memory, (counted + 1u) * sizeof *of);
    uint32_t *next = xcalloc(gs->n + 1u, sizeof *next);
    if (r->npoints)
        memcpy(points, r->points, r->npoints * sizeof *points);
    r->points = points;
    r->of = of;
    counted = 0;
    for (uint32_t i = 0; i < gs->n; i++) {
        next[i] = counted;
        if (gs->list[i].counted && gs->list[i].node != GRAPH_NONE)
            add_kernel_point(r, memory, t, &gs->list[i], counted);
        else
            r->uncounted++;
        counted += gs->list[i].counted;
    }
    for (uint32_t i = 0; gs->of && i < t->ndispatches; i++)
        if (gs->of[i] != GRAPH_NONE)
            of[next[gs->of[i]]++] = i;
    for (uint32_t i = 0; i < gs->n; i++)
        if (gs->list[i].counted)
            sort_dispatches(&of[next[i] - gs->list[i].counted], gs->list[i].counted, t);
    free(next);
}

void roofline_gpu_add(struct roofline *r, struct arena *memory, const struct trace *t,
                      const struct roofs_csv *roofs)
{
    if (t->ndispatches == 0)
        return;
    struct groups gs = {.of = t->ncounters ? xcalloc(t->ndispatches, sizeof *gs.of) : NULL};
    uint32_t *roof = find_roofs(r, memory, t, roofs);
    collect_groups(&gs, t, roof);
    add_points(r, memory, t, &gs);
    roofline_sort(r);
    free(roof);
    free(gs.of);
    hash_table_free(&gs.by_content);
    free(gs.list);
}

int roofline_gpu_open(struct roofline *r, struct arena *memory, const struct trace *t,
                      const char *roofs, struct error *err)
{
    struct roofs_csv csv;
    roofs = roofs ? roofs : t->roofs;
    int rc = roofs ? roofs_csv_read(&csv, memory, roofs, err) : 0;
    if (rc == 0)
        roofline_gpu_add(r, memory, t, roofs ? &csv : NULL);
    return rc;
}

bool roofline_gpu_dispatch(struct roof_point *p, struct roof_work *w, const struct roofline *r,
                           const struct trace *t, const struct roof_point *kernel, uint32_t i)
{
    struct kernel_group g = {.dispatches = 1};
    if (!kernel->work || kernel->work->dispatch != GRAPH_NONE || i >= kernel->work->counted)
        return false;
    uint32_t dispatch = r->of[kernel->work->first + i];
    uint64_t ns = t->calls->duration[trace_dispatch_at(t, dispatch).node];
    *w = (struct roof_work){.missing = NULL};
    *p = *kernel;
    add_dispatch_work(&g, t, dispatch, ns);
    fill_work(w, &g);
    w->dispatch = dispatch;
    struct gpu_work known;
    gpu_work_of(&known, t, dispatch);
    w->nmissing = known.missing;
    p->total = p->elapsed = ns;
    place_kernel(p, w, r);
    return true;
}

static const char *find_roof_mark(const struct roof_point *p)
{
    if (roofline_above(p))
        return "!";
    if (roofline_incomplete(p))
        return "?";
    return p->over == OVER_BUSIEST ? "~" : "";
}

const char *roofline_reached(const struct roof_point *p, int decimals, char out[24])
{
    const double share = 100 * (1 - p->distance);
    const bool nothing = share < 0.5 * pow(10, -decimals) && roofline_incomplete(p);
    if (isnan(p->distance) || nothing)
        snprintf(out, 24, "n/a");
    else
        snprintf(out, 24, "%.*f %%%s", decimals, share, find_roof_mark(p));
    return out;
}

const char *roofline_bound_name(const struct roofline *r, const struct roof_point *p)
{
    if (p->roof == GRAPH_NONE || isnan(p->distance))
        return "n/a";
    if (p->work)
        return r->roofs[p->roof].ceilings[p->work->limit].name;
    if (p->limit != GRAPH_NONE)
        return r->roofs[p->roof].ceilings[p->limit].name;
    return p->memory_bound ? "memory" : "compute";
}
