#include "engine/kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "engine/code/kernel_name.h"
#include "engine/kernels/kernel_parts.h"
#include "engine/kernels/kernel_peaks.h"
#include "engine/trace/collective.h"
#include "engine/trace/trace_window.h"

/* --- grouping --- */

/* A part and its name in this grouping. */
struct kernel_entry {
    const char *name;
    const struct kernel_part *part;
};

static int compare_kernel_entries(const struct kernel_entry *a, const struct kernel_entry *b,
                                  enum kernels_group group)
{
    int c = strcmp(a->name, b->name);
    if (c == 0)
        c = a->part->kind - b->part->kind;
    return c || group != KERNELS_BY_SHAPE ? c
                                          : kernel_shape_order(&a->part->shape, &b->part->shape);
}

static int entry_order(const void *x, const void *y, void *group)
{
    const struct kernel_entry *a = x, *b = y;
    int c = compare_kernel_entries(a, b, *(const enum kernels_group *)group);
    return c ? c : kernel_shape_order(&a->part->shape, &b->part->shape);
}

static int compare_kernel_rows(const void *x, const void *y)
{
    const struct kernel_row *a = x, *b = y;
    if (a->sum.total != b->sum.total)
        return a->sum.total > b->sum.total ? -1 : 1;
    int c = strcmp(a->name, b->name);
    if (c == 0)
        c = (int)a->kind - (int)b->kind;
    return c ? c : kernel_shape_order(&a->shape, &b->shape);
}

/* Names the parts for a grouping; makes the text of each name once. */
static struct kernel_entry *name_parts(const struct kernel_parts *p, const struct graph *g,
                                       enum kernels_group group, struct arena *memory)
{
    struct kernel_entry *e = xcalloc(p->n + 1u, sizeof *e);
    const char **text = xcalloc(2 * (size_t)g->nnames + 1, sizeof *text);
    char name[KERNEL_NAME_BYTES];
    for (uint32_t i = 0; i < p->n; i++) {
        const struct kernel_part *part = &p->list[i];
        bool copy = part->kind == NODE_TRANSFER;
        const char **of = &text[2 * (size_t)part->name + copy], *raw = graph_text(g, part->name);
        if (!*of && copy)
            *of = arena_strdup(memory, raw);
        else if (!*of)
            *of = arena_strdup(memory, group == KERNELS_BY_BASE
                                           ? kernel_base_name(raw, name, sizeof name)
                                           : kernel_full_name(raw, name, sizeof name));
        e[i] = (struct kernel_entry){*of, part};
    }
    free(text);
    return e;
}

/* --- rows --- */

static double find_time_deviation(const struct kernel_sum *s)
{
    if (s->timed < 2 || s->overflow || s->total == UINT64_MAX)
        return NAN;
    kernel_wide mean_square = (kernel_wide)s->total * s->total / s->timed;
    kernel_wide spread = s->squares > mean_square ? s->squares - mean_square : 0;
    return sqrt((double)spread / (double)(s->timed - 1));
}

static void describe_kernel_row(struct kernel_row *r, const struct trace *t,
                                const struct kernels_total *total, const struct kernel_peaks *peaks)
{
    const struct trace_agent *agent =
        r->shape.agent < t->nagents ? &t->agents[r->shape.agent] : NULL;
    const char *arch = agent && agent->name != GRAPH_NONE ? graph_text(t->calls, agent->name) : "";
    uint64_t block = (uint64_t)r->shape.block[0] * r->shape.block[1] * r->shape.block[2];
    const struct occupancy_use use = {block < UINT32_MAX ? (uint32_t)block : 0, r->shape.vgprs,
                                      r->shape.accum_vgprs, r->shape.lds_bytes};
    uint64_t all = total->kernels + total->copies;
    r->mean = kernel_ns(&r->sum, r->sum.total) / (double)r->sum.timed;
    r->sd = find_time_deviation(&r->sum);
    r->share = all ? kernel_ns(&r->sum, r->sum.total) / (double)all : NAN;
    r->criticality = total->path ? (double)r->sum.on_path / (double)total->path : NAN;
    r->arch = arch;
    r->words = trace_words(t, r->shape.agent);
    r->occupancy = occupancy_of(r->collective ? "" : arch, &use);
    kernel_facts_of(&r->facts, r, agent, peaks && agent ? &peaks[r->shape.agent] : NULL);
    if (r->collective)
        r->label = bottleneck_find(SCOPE_COLLECTIVE, &r->facts);
    else
        r->label = bottleneck_find(r->kind == NODE_KERNEL ? SCOPE_KERNEL : SCOPE_COPY, &r->facts);
}

/* Merges the entries e[0..n), in order of their shapes, into one row. */
static void merge_entries(struct kernel_row *r, const struct kernel_entry *e, uint32_t n,
                          const struct kernel_parts *p, const struct graph *g)
{
    const struct kernel_part *largest = e->part;
    struct kernel_counting counting = {.dispatches = 0};
    *r = (struct kernel_row){.name = e->name, .kind = e->part->kind, .node = e->part->node};
    for (uint32_t i = 0; i < n; i++) {
        const struct kernel_part *one = e[i].part;
        kernel_sum_merge(&r->sum, &one->sum);
        if (one->counted != UINT32_MAX)
            kernel_counting_merge(&counting, &p->counting[one->counted]);
        if (one->sum.total > largest->sum.total)
            largest = one;
        if (i == 0 || kernel_shape_order(&one->shape, &e[i - 1].part->shape) != 0)
            r->shapes++;
        if (kernel_longer(g, one->node, r->node))
            r->node = one->node;
    }
    r->shape = largest->shape;
    r->collective = g->flags[r->node] & NODE_COLLECTIVE;
    r->counts = kernel_counts_of(&counting);
}

static void make_table(struct kernel_table *out, const struct kernel_parts *p,
                       const struct trace *t, const struct kernels_total *total,
                       enum kernels_group group, const struct kernel_peaks *peaks,
                       struct arena *memory)
{
    struct kernel_entry *e = name_parts(p, t->calls, group, memory);
    out->briefs = t->briefs;
    qsort_r(e, p->n, sizeof *e, entry_order, &group);
    for (uint32_t i = 0; i < p->n; i++)
        out->n += i == 0 || compare_kernel_entries(&e[i - 1], &e[i], group) != 0;
    out->rows = xcalloc(out->n + 1u, sizeof *out->rows);
    struct kernel_row *r = out->rows;
    for (uint32_t i = 0, n; i < p->n; i += n, r++) {
        for (n = 1; i + n < p->n && compare_kernel_entries(&e[i], &e[i + n], group) == 0; n++) {
        }
        merge_entries(r, &e[i], n, p, t->calls);
        describe_kernel_row(r, t, total, peaks);
        if (r->kind == NODE_KERNEL)
            out->words = gpu_words_both(out->words, r->words);
    }
    qsort(out->rows, out->n, sizeof *out->rows, compare_kernel_rows);
    free(e);
}

/* --- the whole --- */

static void sum_path(struct kernels_total *out, const struct graph *g,
                     const struct critical_path *p)
{
    out->path = p->length;
    out->path_beside = p->host_busy;
    for (int k = 0; k < PATH_GAINS; k++)
        out->gain[k] = p->gain[k];
    for (uint32_t i = 0; i < p->nsteps; i++) {
        const struct critical_step *s = &p->steps[i];
        *(trace_is_outside(g, s->node) ? &out->path_outside : &out->on_path[s->part]) += s->length;
    }
}

static bool is_in_queue(const struct graph *g, uint32_t v)
{
    uint32_t up = g->parent[v];
    return up == GRAPH_NONE || g->kind[up] == NODE_QUEUE;
}

static void sum_all(struct kernels_total *out, const struct trace *t, const struct kernel_parts *p)
{
    const struct graph *g = t->calls;
    bool *seen = xcalloc(g->nnames + 1u, sizeof *seen);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct kernel_part *one = &p->list[i];
        bool kernel = one->kind == NODE_KERNEL;
        *(kernel ? &out->kernels : &out->copies) += one->sum.total;
        *(kernel ? &out->nkernels : &out->ncopies) += one->sum.calls;
        if (one->counted != UINT32_MAX)
            out->counted += p->counting[one->counted].dispatches;
    }
    for (uint32_t v = 0; v < g->nnodes; v++) {
        bool work = graph_is_work(g, v);
        out->shorts +=
            work && g->kind[v] == NODE_KERNEL && (double)g->duration[v] < 1e9 * bottleneck_short;
        out->device = out->device || (work && graph_on_device(g, v));
        out->host |= g->kind[v] == NODE_FUNCTION && g->duration[v] != GRAPH_UNKNOWN;
        out->launches |= work && !is_in_queue(g, v); /* it lies below the call that launched it */
    }
    for (uint32_t e = 0; e < g->nedges && !out->launches; e++)
        out->launches = g->edge_kind[e] == EDGE_LAUNCHES && graph_is_work(g, g->edge_to[e]);
    for (uint32_t i = 0; i < t->ncounters; i++) {
        out->counters += !seen[t->counters[i].name];
        seen[t->counters[i].name] = true;
    }
    free(seen);
}

struct kernels_begun {
    const struct trace *t;
    struct kernel_parts parts;
    struct kernels_total total;
};

struct kernels_begun *kernels_begin(const struct trace *t)
{
    struct kernels_begun *b = xcalloc(1, sizeof *b);
    b->t = t;
    kernel_parts_make(&b->parts, t);
    if (!watch_given_up())
        sum_all(&b->total, t, &b->parts);
    if (!watch_given_up())
        kernel_busy(&b->total, t);
    if (!watch_given_up())
        kernel_collectives(&b->parts, &b->total, t);
    return b;
}

void kernels_drop(struct kernels_begun *b)
{
    if (b)
        kernel_parts_free(&b->parts);
    free(b);
}

void kernels_end(struct kernels *out, struct kernels_begun *b, const struct critical_path *path,
                 const struct kernel_peaks *peaks)
{
    const struct trace *t = b->t;
    struct kernel_peaks *own = peaks ? NULL : kernel_peaks_of(t);
    peaks = peaks ? peaks : own;
    *out = (struct kernels){.total = b->total};
    kernel_parts_on_path(&b->parts, t->calls, path);
    sum_path(&out->total, t->calls, path);
    for (int i = 0; i < KERNELS_GROUPS; i++)
        make_table(&out->by[i], &b->parts, t, &out->total, (enum kernels_group)i, peaks,
                   &out->memory);
    kernel_facts_of_profile(&out->total.facts, &out->total);
    if (out->total.device)
        out->total.label = bottleneck_find(SCOPE_PROFILE, &out->total.facts);
    kernels_drop(b);
    free(own);
}

void kernels_make(struct kernels *out, const struct trace *t, const struct critical_path *path,
                  const struct kernel_peaks *peaks)
{
    kernels_end(out, kernels_begin(t), path, peaks);
}

void kernels_free(struct kernels *k)
{
    for (int i = 0; i < KERNELS_GROUPS; i++)
        free(k->by[i].rows);
    arena_free(&k->memory);
    *k = (struct kernels){.total = {0}};
}

/* --- texts --- */

const char *kernels_group_name(enum kernels_group g)
{
    static const char *const names[] = {"name", "base", "shape"};
    return names[g];
}

enum kernels_group kernels_group_named(const char *name)
{
    for (int g = 0; name && g < KERNELS_GROUPS; g++)
        if (strcmp(kernels_group_name((enum kernels_group)g), name) == 0)
            return (enum kernels_group)g;
    return KERNELS_BY_NAME;
}

double kernel_slack_least(const struct kernel_row *r)
{
    return r->sum.slack_calls ? (double)r->sum.slack_min : NAN;
}

double kernel_slack_most(const struct kernel_row *r)
{
    return r->sum.slack_calls ? (double)r->sum.slack_max : NAN;
}

double kernel_slack_mean(const struct kernel_row *r)
{
    uint64_t n = r->sum.slack_calls;
    return n ? (double)r->sum.slack_total / (double)n : NAN;
}

const char *kernel_kind_name(const struct kernel_row *r)
{
    if (r->collective)
        return "collective";
    return r->kind == NODE_KERNEL ? "kernel" : "copy";
}

double kernel_bus_bandwidth(const struct kernel_row *r)
{
    return r->sum.bus_ns ? (double)r->sum.bus / ((double)r->sum.bus_ns / 1e9) : NAN;
}

const char *kernel_operation(const struct kernel_row *r)
{
    enum collective_op op = r->sum.messages ? (enum collective_op)r->sum.op : COLLECTIVE_NONE;
    bool known = op != COLLECTIVE_NONE && op != COLLECTIVE_SOME;
    return collective_name(known ? op : collective_of(r->name));
}

const char *kernel_communication_text(const struct kernel_row *r, bool ascii, char *out,
                                      size_t size)
{
    char number[VALUE_TEXT_MAX], bus[32] = "", ranks[32] = "", each[48] = "";
    const struct kernel_sum *s = &r->sum;
    struct value bytes =
        value_ok(s->messages ? (double)s->bytes / (double)s->messages : 0, UNIT_BYTES);
    struct value rate = value_ok(kernel_bus_bandwidth(r), UNIT_BYTES_PER_S);
    if (s->messages && s->ranks != TRACE_UNKNOWN)
        snprintf(ranks, sizeof ranks, " of %u ranks", s->ranks);
    if (s->messages)
        snprintf(each, sizeof each, ", %s each", value_format(&bytes, ascii, number));
    if (s->bus_ns)
        snprintf(bus, sizeof bus, ", %s on the bus", value_format(&rate, ascii, number));
    snprintf(out, size, "%s%s%s%s; %.1f %% of it beside no kernel", kernel_operation(r), ranks,
             each, bus, s->total ? 100 * (double)s->exposed / (double)s->total : 0);
    return out;
}

const char *kernel_shape_text(const struct kernel_shape *s, char out[LAUNCH_TEXT])
{
    *out = '\0';
    if (s->grid[0] && s->block[0])
        value_launch(s->grid, s->block, out);
    return out;
}

const char *kernel_shape_sizes(const struct kernel_shape *s, char out[LAUNCH_TEXT])
{
    *out = '\0';
    if (s->grid[0] && s->block[0])
        value_launch_sizes(s->grid, s->block, out);
    return out;
}

const char *kernel_fit_text(const struct kernel_row *r, char *out, size_t size)
{
    const struct occupancy *o = &r->occupancy;
    bool limited = o->limit > OCCUPANCY_SLOTS;
    char text[128];
    *out = '\0';
    if (isnan(o->waves))
        return out;
    snprintf(text, sizeof text, "%s%.3g of %u waves a SIMD fit%s%s", o->complete ? "" : "at most ",
             o->waves, o->most, limited ? ", limited by " : "",
             limited ? occupancy_limit_name(o->limit) : "");
    snprintf(out, size, "%s", gpu_say(r->words, text, (char[192]){""}, 192));
    return out;
}
