#include "engine/compare/run_profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/bricks/brick_report.h"
#include "engine/code/kernel_name.h"
#include "engine/compare/run_gather.h"
#include "engine/kernels/kernel_parts.h"

enum { NAME_BYTES = 1 << 16 };

/* --- bricks, from sums over their calls --- */

static void add_brick_to_run(struct run *out, const struct brick_row *r, char *id)
{
    snprintf(id, NAME_BYTES, "%c:%s", r->kind == NODE_BRICK ? 'b' : 'k', r->name);
    struct run_number *x = run_add(out, r->kind == NODE_BRICK ? RUN_BRICK : RUN_KERNEL, id, r->name,
                                   UNIT_SECONDS, r->mean / 1e9);
    x->within.n = (size_t)r->sum.count;
    x->within.sd = isnan(r->deviation) ? 0 : r->deviation / 1e9;
    x->within.median = isnan(r->p50) ? r->mean / 1e9 : r->p50 / 1e9;
    x->within.min = r->sum.min == GRAPH_UNKNOWN ? NAN : (double)r->sum.min / 1e9;
    x->within.max = r->sum.max == GRAPH_UNKNOWN ? NAN : (double)r->sum.max / 1e9;
    x->within.effective = (double)r->sum.count;
    x->total = (double)r->sum.total / 1e9;
    x->rate = r->elements_per_s;
    x->host = true;
}

void run_add_bricks(struct run *out, const struct graph *sums, bool kernels)
{
    struct arena memory = {0};
    struct brick_report report;
    char *id = xcalloc(NAME_BYTES, 1);
    brick_report_make(&report, &memory, sums, false);
    uint64_t inside = 0;
    for (int c = 0; c < CATEGORIES; c++)
        inside += report.category[c];
    if (inside)
        run_add(out, out->n ? RUN_WORK : RUN_TIME, "bricks", "in bricks, all threads", UNIT_SECONDS,
                (double)inside / 1e9)
            ->host = true;
    for (uint32_t i = 0; i < report.nrows; i++)
        if (report.rows[i].sum.count && (kernels || report.rows[i].kind == NODE_BRICK))
            add_brick_to_run(out, &report.rows[i], id);
    free(id);
    arena_free(&memory);
}

/* --- kernels and copies, call by call --- */

struct part_name {
    char *name; /* owned */
    uint32_t part;
    uint8_t kind;
};

static int name_order(const void *x, const void *y)
{
    const struct part_name *a = x, *b = y;
    int c = a->kind - b->kind;
    c = c ? c : strcmp(a->name, b->name);
    return c ? c : (a->part > b->part) - (a->part < b->part);
}

static char *kernel_row_name(const struct graph *g, const struct kernel_part *p,
                             enum kernels_group group)
{
    char buffer[KERNEL_NAME_BYTES], shape[LAUNCH_TEXT];
    const char *raw = graph_text(g, p->name);
    if (p->kind == NODE_TRANSFER)
        return xstrdup(raw);
    if (group == KERNELS_BY_BASE)
        return xstrdup(kernel_base_name(raw, buffer, sizeof buffer));
    const char *name = kernel_full_name(raw, buffer, sizeof buffer);
    if (group != KERNELS_BY_SHAPE || !*kernel_shape_text(&p->shape, shape))
        return xstrdup(name);
    size_t n = strlen(name) + strlen(shape) + 4;
    char *both = xcalloc(n, 1);
    snprintf(both, n, "%s [%s]", name, shape);
    return both;
}

struct kernel_call {
    uint32_t row, shape; /* shape: index into the sorted texts of shapes */
    uint64_t start, ns;
};

static int call_order(const void *x, const void *y)
{
    const struct kernel_call *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int shape_then_time(const void *x, const void *y)
{
    const struct kernel_call *a = x, *b = y;
    if (a->shape != b->shape)
        return a->shape < b->shape ? -1 : 1;
    return call_order(x, y);
}

/* What distinguishes the launches of a row: the whole name, grid, block, registers and memory. */
static char *shape_text(const struct graph *g, const struct kernel_part *p)
{
    const struct kernel_shape *s = &p->shape;
    char *text = NULL;
    if (asprintf(&text, "%s %u,%u,%u %u,%u,%u %u %u %u %u %u", graph_text(g, p->name), s->grid[0],
                 s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2], s->vgprs,
                 s->accum_vgprs, s->sgprs, s->lds_bytes, s->scratch_bytes) < 0)
        abort();
    return text;
}

static int text_order(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* The texts of the shapes of all parts, sorted, each once; *n: how many. of[part]: its index. */
static char **shape_texts(const struct graph *g, const struct kernel_parts *p, uint32_t *of,
                          uint32_t *n)
{
    char **all = xcalloc(p->n + 1u, sizeof *all), **texts = xcalloc(p->n + 1u, sizeof *texts);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        all[i] = texts[i] = shape_text(g, &p->list[i]);
    qsort(texts, p->n, sizeof *texts, text_order);
    for (uint32_t i = 0; i < p->n; i++)
        if (*n == 0 || strcmp(texts[*n - 1], texts[i]) != 0)
            texts[(*n)++] = texts[i];
    for (uint32_t i = 0; i < p->n; i++) {
        char **at = bsearch(&all[i], texts, *n, sizeof *texts, text_order);
        of[i] = (uint32_t)(at - texts);
    }
    for (uint32_t i = 0; i < p->n; i++)
        if (texts[of[i]] != all[i])
            free(all[i]);
    free(all);
    return texts;
}

/* Adds the shapes of a row's calls, which it sorts. v: room for n numbers. */
static void add_shapes(struct run_number *x, struct kernel_call *calls, size_t n,
                       char *const *texts, double *v)
{
    size_t cap = 0;
    qsort(calls, n, sizeof *calls, shape_then_time);
    for (size_t i = 0, first = 0; i < n; i++) {
        v[i] = (double)calls[i].ns / 1e9;
        if (i + 1 < n && calls[i + 1].shape == calls[i].shape)
            continue;
        LIST_ROOM(x->shapes, x->nshapes, cap);
        x->shapes[x->nshapes++] =
            (struct run_shape){xstrdup(texts[calls[i].shape]), stats_of(v + first, i + 1 - first)};
        first = i + 1;
    }
}

/* Adds each row's calls in the order of time. The spread is computed over effective samples
 * (stats.h), because neighbouring calls are alike. */
static void add_kernel_calls_to_run(struct run *out, struct kernel_call *calls, size_t n,
                                    char *const *ids, char *const *texts)
{
    double *v = xcalloc(n + 1, sizeof *v);
    for (size_t i = 0, first = 0; i < n; i++) {
        v[i] = (double)calls[i].ns / 1e9;
        if (i + 1 < n && calls[i + 1].row == calls[i].row)
            continue;
        const char *id = ids[calls[i].row];
        struct stats s = stats_of(v + first, i + 1 - first);
        struct run_number *x =
            run_add(out, RUN_KERNEL, id, strchr(id, ':') + 1, UNIT_SECONDS, s.mean);
        x->within = s;
        x->total = s.mean * (double)s.n;
        if (x->id) /* false if the run has too many numbers */
            add_shapes(x, calls + first, i + 1 - first, texts, v + first);
        first = i + 1;
    }
    free(v);
}

static void add_kernels(struct run *out, const struct trace *t, enum kernels_group group)
{
    struct kernel_parts p = {.n = 0};
    const struct graph *g = t->calls;
    kernel_parts_make(&p, t);
    struct part_name *names = xcalloc(p.n + 1u, sizeof *names);
    uint32_t *row = xcalloc(p.n + 1u, sizeof *row), rows = 0, ntexts;
    uint32_t *shape = xcalloc(p.n + 1u, sizeof *shape);
    char **texts = shape_texts(g, &p, shape, &ntexts);
    char **ids = xcalloc(p.n + 1u, sizeof *ids);
    for (uint32_t i = 0; i < p.n; i++)
        names[i] = (struct part_name){kernel_row_name(g, &p.list[i], group), i, p.list[i].kind};
    qsort(names, p.n, sizeof *names, name_order);
    for (uint32_t i = 0; i < p.n; i++) {
        if (i == 0 || names[i].kind != names[i - 1].kind ||
            strcmp(names[i].name, names[i - 1].name) != 0) {
            size_t size = strlen(names[i].name) + 3;
            ids[rows] = xcalloc(size, 1);
            snprintf(ids[rows++], size, "%c:%s", names[i].kind == NODE_KERNEL ? 'k' : 't',
                     names[i].name);
        }
        row[names[i].part] = rows - 1;
    }
    struct kernel_call *calls = xcalloc(g->nnodes + 1u, sizeof *calls);
    size_t n = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (kernel_part_at(&p, i) != GRAPH_NONE && g->duration[i] != GRAPH_UNKNOWN)
            calls[n++] =
                (struct kernel_call){row[kernel_part_at(&p, i)], shape[kernel_part_at(&p, i)],
                                     g->start[i], g->duration[i]};
    qsort(calls, n, sizeof *calls, call_order);
    add_kernel_calls_to_run(out, calls, n, ids, texts);
    for (uint32_t i = 0; i < p.n; i++)
        free(names[i].name);
    for (uint32_t i = 0; i < rows; i++)
        free(ids[i]);
    for (uint32_t i = 0; i < ntexts; i++)
        free(texts[i]);
    free(texts);
    free(shape);
    free(calls);
    free(ids);
    free(row);
    free(names);
    kernel_parts_free(&p);
}

/* --- the whole profile --- */

/* Seconds from the begin of the first span to the end of the last. */
static double wall_of(const struct graph *g)
{
    uint64_t begin = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->start[i] == GRAPH_UNKNOWN || g->duration[i] == GRAPH_UNKNOWN)
            continue;
        begin = g->start[i] < begin ? g->start[i] : begin;
        end = g->start[i] + g->duration[i] > end ? g->start[i] + g->duration[i] : end;
    }
    return end > begin ? (double)(end - begin) / 1e9 : NAN;
}

static void add_time_to_run(struct run *out, enum run_group group, const char *id,
                            const char *label, uint64_t ns)
{
    if (ns)
        run_add(out, group, id, label, UNIT_SECONDS, (double)ns / 1e9);
}

void run_of_profile(struct run *out, const struct analysis *a, enum kernels_group group, bool part)
{
    const struct kernels_total *t = &a->kernels.total;
    double wall = t->device ? (double)t->wall / 1e9 : NAN;
    if (!part)
        wall = wall_of(a->trace.calls);
    out->others = NAN;
    out->exact = true;
    if (!isnan(wall) && wall > 0 && a->trace.lost == 0)
        run_add(out, RUN_TIME, "wall", "recorded, first to last", UNIT_SECONDS, wall);
    if (t->device) {
        add_time_to_run(out, RUN_TIME, "device", "kernels, all of them", t->kernels);
        add_time_to_run(out, RUN_USED, "busy", "a device busy", t->busy);
        add_time_to_run(out, RUN_USED, "copies", "copies, all of them", t->copies);
    }
    if (a->trace.lost == 0)
        add_time_to_run(out, RUN_USED, "path", "critical path", a->path.length);
    add_kernels(out, &a->trace, group);
    bool kernels = false; /* whether kernels were added call by call */
    for (size_t i = 0; i < out->n; i++) {
        out->numbers[i].host |= !t->device;
        kernels |= strncmp(out->numbers[i].id, "k:", 2) == 0;
    }
    run_add_bricks(out, a->trace.sums, !kernels);
}
