#include "engine/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/metric.h"

const double compare_alpha = 0.05;
enum { SERIES_MAX = 4096 };

/* --- gathering: one column of values a series and side --- */

struct column {
    double *v;
    size_t n, cap;
};

struct series {
    char *id, *label;
    enum unit unit;
    struct column side[2];
};

struct gather {
    struct series *series;
    size_t n, cap, cursor;
    int side;
    struct compare_side *about;
    uint64_t first_ns;
};

static struct series *find(struct gather *g, const char *id, const char *label, enum unit unit)
{
    for (size_t k = 0; k < g->n; k++) { /* rows come in the same order in each frame */
        size_t i = (g->cursor + k) % g->n;
        if (strcmp(g->series[i].id, id) == 0) {
            g->cursor = i + 1;
            return &g->series[i];
        }
    }
    if (g->n == SERIES_MAX)
        return NULL;
    if (g->n == g->cap) {
        g->cap = g->cap ? g->cap * 2 : 128;
        g->series = xrealloc(g->series, g->cap, sizeof *g->series);
    }
    struct series *s = &g->series[g->n++];
    *s = (struct series){.id = xstrdup(id), .label = xstrdup(label), .unit = unit};
    g->cursor = g->n;
    return s;
}

static void add(struct gather *g, const char *id, const char *label, const struct value *v)
{
    if (v->validity != VALUE_OK)
        return;
    struct series *s = find(g, id, label, (enum unit)v->unit);
    if (!s)
        return;
    struct column *c = &s->side[g->side];
    if (c->n == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 256;
        c->v = xrealloc(c->v, c->cap, sizeof *c->v);
    }
    c->v[c->n++] = v->v;
}

static void note_side(struct gather *g, const struct snapshot *s)
{
    struct compare_side *x = g->about;
    if (x->frames++ == 0) {
        g->first_ns = s->time_ns;
        x->wall_ns = s->wall_ns;
        x->hostname = xstrdup(s->host ? s->host->hostname : "");
        x->cpu_model = xstrdup(s->host ? s->host->cpu_model : "");
    }
    free(x->target);
    x->target = xstrdup(s->target);
    x->seconds = (double)(s->time_ns - g->first_ns) / 1e9;
}

static bool visit(void *ctx, const struct snapshot *s)
{
    struct gather *g = ctx;
    char id[320], label[320];
    note_side(g, s);
    g->cursor = 0;
    add(g, "cpu.busy", "CPU busy", &s->total.busy);
    add(g, "cpu.system", "CPU in the kernel", &s->total.system);
    add(g, "cpu.iowait", "CPU waiting for I/O", &s->total.iowait);
    add(g, "mem.used", "memory used", &s->memory.used);
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric_def *d = s->metrics[i].def;
        if (!d->label || !d->label[0])
            continue;
        snprintf(id, sizeof id, "m:%s", d->id);
        add(g, id, d->label, &s->metrics[i].value);
    }
    for (size_t i = 0; i < s->ncounters; i++) {
        const struct counter *k = &s->counters[i];
        snprintf(id, sizeof id, "c:%.150s/%.150s", k->set, k->name);
        snprintf(label, sizeof label, "%.150s/%.150s", k->set, k->name);
        add(g, id, label, &k->rate);
    }
    return true;
}

/* --- judging --- */

static enum compare_verdict judge(const struct compare_row *r)
{
    if (r->a.n == 0)
        return COMPARE_ONLY_B;
    if (r->b.n == 0)
        return COMPARE_ONLY_A;
    if (r->d.low > r->d.high)
        return COMPARE_TOO_FEW;
    if (!(r->d.p < compare_alpha))
        return COMPARE_SAME;
    return r->d.difference > 0 ? COMPARE_MORE : COMPARE_LESS;
}

static int rank(const struct compare_row *r)
{
    static const int of[] = {
        [COMPARE_MORE] = 0,   [COMPARE_LESS] = 0, [COMPARE_ONLY_A] = 1,
        [COMPARE_ONLY_B] = 1, [COMPARE_SAME] = 2, [COMPARE_TOO_FEW] = 3,
    };
    return of[r->verdict];
}

static int order(const void *x, const void *y)
{
    const struct compare_row *a = x, *b = y;
    double ca = isnan(a->change) ? INFINITY : fabs(a->change);
    double cb = isnan(b->change) ? INFINITY : fabs(b->change);
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (rank(a) == 0 && ca != cb)
        return ca > cb ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* Only what could be tested counts among the tests. */
static void adjust(struct comparison *c)
{
    double *p = xcalloc(c->n ? c->n : 1, sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].d.low <= c->rows[i].d.high)
            p[n++] = c->rows[i].d.p;
    stats_adjust(p, n);
    n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].d.low <= c->rows[i].d.high)
            c->rows[i].d.p = p[n++];
    free(p);
}

void compare_settle(struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct compare_row *r = &c->rows[i];
        r->d = stats_compare(&r->a, &r->b);
        r->change = r->a.mean != 0 ? 100 * r->d.difference / fabs(r->a.mean) : NAN;
        if (r->d.difference == 0)
            r->change = 0;
    }
    adjust(c);
    for (size_t i = 0; i < c->n; i++)
        c->rows[i].verdict = judge(&c->rows[i]);
    if (c->n)
        qsort(c->rows, c->n, sizeof *c->rows, order);
}

static void fill(struct comparison *c, struct gather *g)
{
    c->rows = xcalloc(g->n ? g->n : 1, sizeof *c->rows);
    for (size_t i = 0; i < g->n; i++) {
        struct series *s = &g->series[i];
        struct compare_row *r = &c->rows[c->n++];
        *r = (struct compare_row){.id = s->id,
                                  .label = s->label,
                                  .unit = s->unit,
                                  .a = stats_of(s->side[0].v, s->side[0].n),
                                  .b = stats_of(s->side[1].v, s->side[1].n)};
        free(s->side[0].v);
        free(s->side[1].v);
    }
    free(g->series);
    compare_settle(c);
}

int compare_recordings(struct comparison **out, struct recording *a, struct recording *b,
                       struct error *err)
{
    struct comparison *c = xcalloc(1, sizeof *c);
    struct gather g = {.about = &c->a};
    int rc = recording_scan(a, 0, recording_count(a), RECORDING_NUMBERS, visit, &g, err);
    g.side = 1;
    g.about = &c->b;
    if (rc == 0)
        rc = recording_scan(b, 0, recording_count(b), RECORDING_NUMBERS, visit, &g, err);
    fill(c, &g);
    *out = rc == 0 ? c : NULL;
    if (rc != 0)
        comparison_free(c);
    return rc;
}

void comparison_free(struct comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        free(c->rows[i].id);
        free(c->rows[i].label);
    }
    struct compare_side *sides[] = {&c->a, &c->b};
    for (size_t i = 0; i < 2; i++) {
        free(sides[i]->target);
        free(sides[i]->hostname);
        free(sides[i]->cpu_model);
    }
    free(c->rows);
    free(c);
}

const char *compare_verdict_name(enum compare_verdict v)
{
    static const char *const names[] = {"same", "less", "more", "too few", "only a", "only b"};
    return names[v];
}
