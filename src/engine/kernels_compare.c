#include "engine/kernels_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "engine/export.h"
#include "engine/export_json_value.h"
#include "engine/kernel_name.h"
#include "engine/kernel_parts.h"
#include "engine/kernels_export.h"

/* --- series: what is one row, of both sides --- */

struct series {
    char *name; /* owned; becomes a label */
    uint8_t kind, side;
    uint32_t part; /* of its side */
};

static int series_order(const void *x, const void *y)
{
    const struct series *a = x, *b = y;
    int c = strcmp(a->name, b->name);
    return c ? c : a->kind - b->kind;
}

static char *name_of(const struct graph *g, const struct kernel_part *p, enum kernels_group group)
{
    char buffer[KERNEL_NAME_BYTES], shape[96];
    const char *raw = graph_text(g, p->name);
    if (p->kind == NODE_TRANSFER)
        return xstrdup(raw);
    if (group == KERNELS_BY_BASE)
        return xstrdup(kernel_base_name(raw, buffer, sizeof buffer));
    const char *name = kernel_full_name(raw, buffer, sizeof buffer);
    if (group != KERNELS_BY_SHAPE || !*kernel_shape_text(&p->shape, NULL, shape, sizeof shape))
        return xstrdup(name);
    size_t n = strlen(name) + strlen(shape) + 4;
    char *both = xcalloc(n, 1);
    snprintf(both, n, "%s [%s]", name, shape);
    return both;
}

static uint32_t add_series(struct series *list, uint32_t n, const struct kernel_parts *p,
                           const struct graph *g, uint8_t side, enum kernels_group group)
{
    for (uint32_t i = 0; i < p->n; i++)
        list[n++] = (struct series){name_of(g, &p->list[i], group), p->list[i].kind, side, i};
    return n;
}

/* --- values: calls of each row in the order of time --- */

struct call {
    uint32_t row;
    uint64_t start, ns;
};

static int call_order(const void *x, const void *y)
{
    const struct call *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* row: of each part of this side. */
static void fill_side(struct kernels_comparison *k, const struct graph *g,
                      const struct kernel_parts *p, const uint32_t *row, int side)
{
    size_t n = 0, first = 0;
    struct call *calls = xcalloc(g->nnodes + 1u, sizeof *calls);
    double *v = xcalloc(g->nnodes + 1u, sizeof *v);
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (kernel_part_at(p, i) != GRAPH_NONE && g->duration[i] != GRAPH_UNKNOWN)
            calls[n++] = (struct call){row[kernel_part_at(p, i)], g->start[i], g->duration[i]};
    qsort(calls, n, sizeof *calls, call_order);
    for (size_t i = 0; i < n; i++) {
        v[i] = (double)calls[i].ns / 1e9;
        k->changes[calls[i].row].calls[side]++;
        k->changes[calls[i].row].total[side] += calls[i].ns;
        if (i + 1 < n && calls[i + 1].row == calls[i].row)
            continue;
        struct compare_row *r = &k->c.rows[calls[i].row];
        *(side ? &r->b : &r->a) = stats_of(v + first, i + 1 - first);
        first = i + 1;
    }
    free(calls);
    free(v);
}

/* Rows in the order of names; frees the names that are not needed. */
static void make_rows(struct kernels_comparison *out, struct series *list, uint32_t n,
                      uint32_t *row[2])
{
    out->c.rows = xcalloc(n + 1u, sizeof *out->c.rows);
    out->changes = xcalloc(n + 1u, sizeof *out->changes);
    for (uint32_t i = 0; i < n; i++) {
        bool first = i == 0 || series_order(&list[i - 1], &list[i]) != 0;
        if (first) {
            struct compare_row *r = &out->c.rows[out->n];
            r->label = xstrdup(list[i].name);
            r->id = xstrdup(list[i].name);
            r->unit = UNIT_SECONDS;
            r->tag = out->n;
            out->changes[out->n++] = (struct kernel_change){.name = r->label, .kind = list[i].kind};
        }
        row[list[i].side][list[i].part] = out->n - 1;
    }
    out->c.n = out->n;
}

static int rank(enum compare_verdict v)
{
    return v == COMPARE_MORE || v == COMPARE_LESS       ? 0
           : v == COMPARE_ONLY_A || v == COMPARE_ONLY_B ? 1
           : v == COMPARE_SAME                          ? 2
                                                        : 3;
}

static uint64_t moved(const struct kernel_change *x)
{
    return x->total[0] > x->total[1] ? x->total[0] - x->total[1] : x->total[1] - x->total[0];
}

/* Differences first; by what they come to over all calls. */
static int by_effect(const void *x, const void *y, void *ctx)
{
    const struct compare_row *a = x, *b = y;
    const struct kernel_change *changes = ctx;
    uint64_t p = moved(&changes[a->tag]), q = moved(&changes[b->tag]);
    if (rank(a->verdict) != rank(b->verdict))
        return rank(a->verdict) - rank(b->verdict);
    return p != q ? (p > q ? -1 : 1) : (a->tag > b->tag) - (a->tag < b->tag);
}

static void note_side(struct compare_side *to, const struct analysis *from)
{
    const struct kernels_total *t = &from->kernels.total;
    to->frames = (size_t)(t->nkernels + t->ncopies);
    to->seconds = (double)t->wall / 1e9;
}

void kernels_compare(struct kernels_comparison *out, const struct analysis *a,
                     const struct analysis *b, enum kernels_group group)
{
    const struct analysis *side[2] = {a, b};
    struct kernel_parts p[2] = {{.n = 0}, {.n = 0}};
    uint32_t *row[2], n = 0;
    *out = (struct kernels_comparison){.n = 0};
    for (int i = 0; i < 2; i++) {
        kernel_parts_make(&p[i], &side[i]->trace);
        row[i] = xcalloc(p[i].n + 1u, sizeof *row[i]);
        out->total[i] = side[i]->kernels.total;
        note_side(i ? &out->c.b : &out->c.a, side[i]);
    }
    struct series *list = xcalloc((size_t)p[0].n + p[1].n + 1, sizeof *list);
    for (int i = 0; i < 2; i++)
        n = add_series(list, n, &p[i], side[i]->trace.calls, (uint8_t)i, group);
    qsort(list, n, sizeof *list, series_order);
    make_rows(out, list, n, row);
    for (int i = 0; i < 2; i++) {
        fill_side(out, side[i]->trace.calls, &p[i], row[i], i);
        kernel_parts_free(&p[i]);
        free(row[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        free(list[i].name);
    free(list);
    compare_settle(&out->c);
    qsort_r(out->c.rows, out->c.n, sizeof *out->c.rows, by_effect, out->changes);
}

void kernels_comparison_free(struct kernels_comparison *k)
{
    for (size_t i = 0; i < k->c.n; i++) {
        free(k->c.rows[i].id);
        free(k->c.rows[i].label);
    }
    free(k->c.rows);
    free(k->changes);
    *k = (struct kernels_comparison){.n = 0};
}

/* --- documents --- */

static bool tested(const struct compare_row *r)
{
    return r->d.low <= r->d.high;
}

void kernels_compare_csv(FILE *out, const struct kernels_comparison *k)
{
    fputs("name,kind,calls_a,calls_b,total_a_ns,total_b_ns,mean_a_ns,mean_b_ns,sd_a_ns,sd_b_ns,"
          "effective_a,effective_b,change_percent,low_ns,high_ns,p_adjusted,verdict\r\n",
          out);
    for (size_t i = 0; i < k->c.n; i++) {
        const struct compare_row *r = &k->c.rows[i];
        const struct kernel_change *x = &k->changes[r->tag];
        const double numbers[] = {(double)x->calls[0],
                                  (double)x->calls[1],
                                  (double)x->total[0],
                                  (double)x->total[1],
                                  r->a.n ? 1e9 * r->a.mean : NAN,
                                  r->b.n ? 1e9 * r->b.mean : NAN,
                                  r->a.n > 1 ? 1e9 * r->a.sd : NAN,
                                  r->b.n > 1 ? 1e9 * r->b.sd : NAN,
                                  r->a.effective,
                                  r->b.effective,
                                  r->a.n && r->b.n ? r->change : NAN,
                                  tested(r) ? 1e9 * r->d.low : NAN,
                                  tested(r) ? 1e9 * r->d.high : NAN,
                                  tested(r) ? r->d.p : NAN};
        print_csv_quoted(out, r->label);
        print_csv(out, ",%s", x->kind == NODE_KERNEL ? "kernel" : "copy");
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            export_csv_number(out, numbers[n]);
        print_csv(out, ",%s\r\n", compare_verdict_name(r->verdict));
    }
}

static cJSON *json_side(const char *file, const struct kernels_total *t)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "file", file);
    json_add_u64(j, "dispatches", t->nkernels);
    json_add_u64(j, "copies", t->ncopies);
    json_add_u64(j, "wall_ns", t->wall);
    json_add_u64(j, "busy_ns", t->busy);
    json_add_u64(j, "kernel_ns", t->kernels);
    json_add_u64(j, "copy_ns", t->copies);
    json_add_u64(j, "path_ns", t->path);
    cJSON_AddItemToObject(j, "bottleneck", kernels_json_label(&t->label, &t->facts));
    return j;
}

static cJSON *json_stats(const struct stats *s, uint64_t total)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "calls", (double)s->n);
    json_add_u64(j, "total_ns", total);
    json_add_number(j, "mean_ns", s->n ? 1e9 * s->mean : NAN);
    json_add_number(j, "sd_ns", s->n > 1 ? 1e9 * s->sd : NAN);
    json_add_number(j, "median_ns", s->n ? 1e9 * s->median : NAN);
    json_add_number(j, "effective_samples", s->n ? s->effective : NAN);
    return j;
}

void kernels_compare_json(FILE *out, const struct kernels_comparison *k, const char *a,
                          const char *b)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "schema", "rooftop.compare-kernels/1");
    cJSON_AddNumberToObject(doc, "false_discovery_rate", compare_alpha);
    cJSON_AddItemToObject(doc, "a", json_side(a, &k->total[0]));
    cJSON_AddItemToObject(doc, "b", json_side(b, &k->total[1]));
    cJSON *list = cJSON_AddArrayToObject(doc, "kernels");
    for (size_t i = 0; i < k->c.n; i++) {
        const struct compare_row *r = &k->c.rows[i];
        const struct kernel_change *x = &k->changes[r->tag];
        cJSON *j = cJSON_CreateObject();
        json_add_text(j, "name", r->label);
        cJSON_AddStringToObject(j, "kind", x->kind == NODE_KERNEL ? "kernel" : "copy");
        cJSON_AddItemToObject(j, "a", json_stats(&r->a, x->total[0]));
        cJSON_AddItemToObject(j, "b", json_stats(&r->b, x->total[1]));
        json_add_number(j, "change_percent", r->a.n && r->b.n ? r->change : NAN);
        json_add_number(j, "low_ns", tested(r) ? 1e9 * r->d.low : NAN);
        json_add_number(j, "high_ns", tested(r) ? 1e9 * r->d.high : NAN);
        json_add_number(j, "p_adjusted", tested(r) ? r->d.p : NAN);
        cJSON_AddStringToObject(j, "verdict", compare_verdict_name(r->verdict));
        cJSON_AddItemToArray(list, j);
    }
    json_write(out, doc, true);
    fputc('\n', out);
    cJSON_Delete(doc);
}
