#include "engine/bricks/brick_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/stats.h"

struct report_making {
    const struct graph *g;
    struct brick_row *rows;
    struct histogram **histograms; /* beside rows */
    uint32_t n, cap;
    bool split, by_program;
};

static bool is_counted_in_report(const struct graph *g, uint32_t node)
{
    const struct graph_work *w = graph_work_of(g, node);
    return (g->kind[node] == NODE_BRICK || g->kind[node] == NODE_KERNEL) && w && w->count > 0;
}

/* by_program: the program that a node is of, else its backend. */
static const char *find_brick_variant(const struct graph *g, uint32_t node, bool split,
                                      bool by_program)
{
    uint8_t wanted = by_program ? NODE_PROGRAM : NODE_BACKEND;
    for (uint32_t i = node; split && i != GRAPH_NONE; i = g->parent[i])
        if (g->kind[i] == wanted)
            return graph_name(g, i);
    return "";
}

uint32_t brick_report_row(const struct brick_report *r, const struct graph *g, uint32_t node)
{
    const char *name = graph_name(g, node),
               *of = find_brick_variant(g, node, r->split, r->by_program);
    for (uint32_t i = 0; i < r->nrows; i++)
        if (r->rows[i].kind == g->kind[node] && r->rows[i].category == g->category[node] &&
            strcmp(r->rows[i].name, name) == 0 && strcmp(r->rows[i].variant, of) == 0)
            return i;
    return GRAPH_NONE;
}

static uint32_t brick_row_of(struct report_making *m, uint32_t node)
{
    const struct graph *g = m->g;
    const char *name = graph_name(g, node),
               *of = find_brick_variant(g, node, m->split, m->by_program);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->rows[i].name == name && m->rows[i].kind == g->kind[node] &&
            m->rows[i].category == g->category[node] && m->rows[i].variant == of)
            return i;
    if (m->n == m->cap) {
        m->cap = m->cap ? m->cap * 2 : 32;
        m->rows = xrealloc(m->rows, m->cap, sizeof *m->rows);
        m->histograms = xrealloc(m->histograms, m->cap, sizeof *m->histograms);
    }
    m->histograms[m->n] = NULL;
    m->rows[m->n] = (struct brick_row){.name = name,
                                       .kind = g->kind[node],
                                       .category = g->category[node],
                                       .variant = of,
                                       .sum = {.min = GRAPH_UNKNOWN},
                                       .counters = g->counters};
    graph_counts_clear(&m->rows[m->n].counts);
    return m->n++;
}

static void add_node_to_report(struct report_making *m, uint32_t node)
{
    const struct graph_work *w = graph_work_of(m->g, node);
    uint32_t at = brick_row_of(m, node);
    const struct graph_extra *own = graph_extra_of(m->g, node);
    struct graph_work *s = &m->rows[at].sum;
    struct graph_extra *x = &m->rows[at].extra;
    s->count += w->count;
    s->total += w->total;
    s->min = w->min < s->min ? w->min : s->min;
    s->max = w->max != GRAPH_UNKNOWN && w->max > s->max ? w->max : s->max;
    s->sum_squares += w->sum_squares;
    x->elements += own->elements;
    x->bytes += own->bytes;
    x->flops += own->flops;
    x->budget = own->budget > x->budget ? own->budget : x->budget;
    const struct graph_counts *counts = graph_counts_of(m->g, node);
    if (counts)
        graph_counts_add(&m->rows[at].counts, counts);
    bool one = w->count == 1 && w->min != GRAPH_UNKNOWN; /* then there need not be a histogram */
    if (w->histogram == GRAPH_NONE && !one)
        return;
    if (!m->histograms[at])
        m->histograms[at] = xcalloc(1, sizeof **m->histograms);
    if (w->histogram != GRAPH_NONE)
        histogram_add(m->histograms[at], m->g->histograms[w->histogram]);
    else
        histogram_count(m->histograms[at], w->min);
}

static bool is_listed_in_report(const struct graph *g, uint32_t node, bool kernels)
{
    return g->kind[node] == NODE_BRICK || (kernels && g->kind[node] == NODE_KERNEL);
}

static uint64_t known_node_time(const struct graph *g, uint32_t node)
{
    return g->duration[node] == GRAPH_UNKNOWN ? 0 : g->duration[node];
}

/* Each node's time without the bricks (or the bricks and kernels) directly inside it. */
static uint64_t *times_without(const struct graph *g, bool kernels)
{
    uint64_t *own = xcalloc(g->nnodes + 1u, sizeof *own);
    for (uint32_t i = g->nnodes; i-- > 0;) {
        if (!is_listed_in_report(g, i, kernels))
            continue;
        own[i] += known_node_time(g, i); /* what is inside took was subtracted below: modulo 2^64 */
        uint32_t p = g->parent[i];
        while (p != GRAPH_NONE && !is_listed_in_report(g, p, kernels))
            p = g->parent[p];
        if (p != GRAPH_NONE)
            own[p] -= known_node_time(g, i);
    }
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (own[i] > known_node_time(g, i)) /* launched work may end after it */
            own[i] = 0;
    return own;
}

static double find_row_quantile(const struct report_making *m, uint32_t i, double q)
{
    const struct graph_work *s = &m->rows[i].sum;
    if (!m->histograms[i])
        return NAN;
    return histogram_quantile_within(m->histograms[i], q, (double)s->min, (double)s->max);
}

static void finish_row(struct report_making *m, uint32_t i)
{
    struct brick_row *r = &m->rows[i];
    double n = (double)r->sum.count, total = (double)r->sum.total;
    r->timed = r->sum.total > 0;
    r->mean = r->timed ? total / n : NAN;
    double square = n > 1 ? (r->sum.sum_squares - n * r->mean * r->mean) / (n - 1) : NAN;
    r->deviation = isnan(square) ? NAN : sqrt(fmax(square, 0));
    r->p50 = r->timed ? find_row_quantile(m, i, 0.5) : NAN;
    r->p95 = r->timed ? find_row_quantile(m, i, 0.95) : NAN;
    r->p99 = r->timed ? find_row_quantile(m, i, 0.99) : NAN;
    r->elements_per_s =
        r->extra.elements && r->sum.total ? (double)r->extra.elements * 1e9 / total : NAN;
    r->over_budget = r->extra.budget && r->mean > (double)r->extra.budget;
    if (m->histograms[i])
        histogram_free(m->histograms[i]);
    free(m->histograms[i]);
}

static int compare_rows_by_total(const void *a, const void *b)
{
    const struct brick_row *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind == NODE_BRICK ? -1 : 1;
    if (x->sum.total != y->sum.total)
        return x->sum.total > y->sum.total ? -1 : 1;
    int c = strcmp(x->name, y->name);
    return c ? c : strcmp(x->variant, y->variant);
}

void brick_report_make(struct brick_report *out, struct arena *memory, const struct graph *g,
                       bool split)
{
    uint32_t programs = 0;
    for (uint32_t i = 0; i < g->nnodes; i++)
        programs += g->kind[i] == NODE_PROGRAM;
    struct report_making m = {.g = g, .split = split, .by_program = programs > 1};
    uint64_t *own = times_without(g, false), *self = times_without(g, true), in_bricks = 0;
    *out = (struct brick_report){.by_program = m.by_program, .split = split};
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->parent[i] == GRAPH_NONE)
            out->total += known_node_time(g, i);
        if (!is_counted_in_report(g, i))
            continue;
        add_node_to_report(&m, i);
        m.rows[brick_row_of(&m, i)].own += own[i];
        m.rows[brick_row_of(&m, i)].self += self[i];
        if (g->kind[i] == NODE_BRICK) {
            out->category[g->category[i]] += own[i];
            in_bricks += own[i];
            out->samples[g->category[i]] += known_node_time(g, i) ? graph_work_of(g, i)->count : 0;
        }
    }
    out->between = out->total > in_bricks ? out->total - in_bricks : 0;
    for (uint32_t i = 0; i < m.n; i++)
        finish_row(&m, i);
    if (m.n)
        qsort(m.rows, m.n, sizeof *m.rows, compare_rows_by_total);
    out->rows = arena_alloc(memory, (m.n + 1u) * sizeof *out->rows);
    if (m.n)
        memcpy(out->rows, m.rows, m.n * sizeof *out->rows);
    out->nrows = m.n;
    free(m.rows);
    free(m.histograms);
    free(own);
    free(self);
}

struct brick_difference brick_compare(const struct brick_row *a, const struct brick_row *b)
{
    struct stats x = {.n = a->sum.count, .mean = a->mean, .sd = a->deviation};
    struct stats y = {.n = b->sum.count, .mean = b->mean, .sd = b->deviation};
    x.effective = (double)x.n;
    y.effective = (double)y.n;
    struct brick_difference d = {a->mean > 0 ? b->mean / a->mean : NAN, 1};
    if (!isnan(x.sd) && !isnan(y.sd))
        d.p = stats_compare(&x, &y).p;
    return d;
}
