#include "engine/compare/compare_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "engine/code/kernel_brief.h"

const double compare_alpha = 0.05;
static const double least_spread = 0.001;
enum { DERIVED_BYTES = 1 << 16 };

/* --- rows: one for each number that a side has --- */

struct comparison_making {
    struct comparison *c;
    size_t cap;
    struct hash_table by_id;
};

static struct compare_row *number_row(struct comparison_making *m, const struct run_number *x)
{
    struct comparison *c = m->c;
    uint64_t hash = hash_text(0, x->id);
    HASH_EACH (&m->by_id, hash, i)
        if (strcmp(c->rows[i].id, x->id) == 0)
            return &c->rows[i];
    hash_table_add(&m->by_id, hash, c->n);
    LIST_ROOM(c->rows, c->n, m->cap);
    struct compare_row *r = &c->rows[c->n++];
    *r = (struct compare_row){.id = xstrdup(x->id),
                              .label = xstrdup(x->label),
                              .group = (enum run_group)x->group,
                              .unit = (enum unit)x->unit,
                              .total = {NAN, NAN}};
    return r;
}

/* --- values: one for each run --- */

static struct stats *side_of(struct compare_row *r, int side)
{
    return side ? &r->b : &r->a;
}

static double square_number(double x)
{
    return x * x;
}

/* The squared standard error of a single run's mean, from the spread of its calls. */
static double mean_error(const struct stats *s)
{
    return s->n > 1 && s->effective > 0 ? square_number(s->sd) / s->effective : 0;
}

/* Adds a run's number of calls and total time to their means over the runs. They are shown but not
 * tested. */
static void add_calls_to_means(struct compare_row *r, int side, const struct run_number *x)
{
    double n = (double)++r->runs[side];
    r->host |= x->host;
    if (isnan(x->total))
        return;
    double before = isnan(r->total[side]) ? 0 : r->total[side];
    r->calls[side] += ((double)x->within.n - r->calls[side]) / n;
    r->total[side] = before + (x->total - before) / n;
}

static void fill_side(struct comparison_making *m, int side, const struct runs *all)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->list[i].n; k++)
            add_calls_to_means(number_row(m, &all->list[i].numbers[k]), side,
                               &all->list[i].numbers[k]);
    double **v = xcalloc(m->c->n + 1, sizeof *v);
    size_t *n = xcalloc(m->c->n + 1, sizeof *n);
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = 0; k < all->list[i].n; k++) {
            const struct run_number *x = &all->list[i].numbers[k];
            size_t row = (size_t)(number_row(m, x) - m->c->rows);
            struct compare_row *r = &m->c->rows[row];
            if (r->runs[side] == 1) {
                *side_of(r, side) = x->within;
                r->error[side] = mean_error(&x->within);
                continue;
            }
            if (!v[row])
                v[row] = xcalloc(r->runs[side], sizeof **v);
            if (n[row] < r->runs[side])
                v[row][n[row]++] = x->within.mean;
        }
    for (size_t i = 0; i < m->c->n; i++)
        if (v[i]) {
            *side_of(&m->c->rows[i], side) = stats_of(v[i], n[i]);
            side_of(&m->c->rows[i], side)->effective = (double)n[i];
            free(v[i]);
        }
    free(v);
    free(n);
}

/* --- judging --- */

/* Whether the side is a single run with too few calls or samples to know even that run's mean. */
static bool too_few(const struct compare_row *r, int side)
{
    const struct stats *s = side ? &r->b : &r->a;
    return r->runs[side] == 1 && !isnan(r->total[side]) && s->effective < STATS_LEAST;
}

/* Compares the samples of one recording with those of the other. */
static void differ_samples(struct compare_row *r)
{
    /* a number that never changed in either recording: its spread is unknown, not 0 */
    bool constant = r->a.sd == 0 && r->b.sd == 0;
    r->basis = COMPARE_BY_SAMPLES;
    if (!constant || r->d.difference == 0)
        r->d = stats_compare(&r->a, &r->b);
}

/* The part of the difference that different loads by other processes may explain. */
static double find_uneven_part(const struct compare_row *r, const struct compare_side side[2])
{
    const double loads[2] = {side[0].load, side[1].load};
    return compare_uneven(r->id, loads, fmax(fabs(r->a.mean), fabs(r->b.mean)));
}

static void differ_assumed(struct compare_row *r, const struct compare_side side[2])
{
    double sa = compare_spread(r->id, side[0].others, r->a.mean);
    double sb = compare_spread(r->id, side[1].others, r->b.mean);
    r->basis = COMPARE_BY_ASSUMED;
    r->assumed = fmax(sa, sb);
    if (too_few(r, 0) || too_few(r, 1))
        return;
    if (r->host) {
        if (r->a.n > 1 && r->b.n > 1 && r->runs[0] == 1 && r->runs[1] == 1)
            r->within = stats_compare(&r->a, &r->b);
        return;
    }
    double variance =
        square_number(sa) / (double)r->runs[0] + square_number(sb) / (double)r->runs[1];
    variance += square_number(find_uneven_part(r, side));
    for (int side = 0; side < 2; side++)
        variance += r->runs[side] == 1 ? r->error[side] : 0;
    r->d = stats_compare_known(r->b.mean - r->a.mean, sqrt(variance));
}

/* Returns how far the load of other processes may have moved the means of the sides. */
static double load_effect(const struct compare_row *r, const struct comparison *c)
{
    if (r->group == RUN_MACHINE) /* these numbers measure that load itself */
        return 0;
    if (c->turns)
        return find_uneven_part(r, c->side);
    double a = compare_load(r->id, c->side[0].others, r->a.mean);
    double b = compare_load(r->id, c->side[1].others, r->b.mean);
    return hypot(hypot(a, b), find_uneven_part(r, c->side));
}

static void compare_row_sides(struct compare_row *r, const struct comparison *c)
{
    bool samples = isnan(r->total[0]) && (r->a.n > 1 || r->b.n > 1);
    r->d = (struct stats_difference){r->b.mean - r->a.mean, 1, -1, 1};
    r->within = r->d; /* not known */
    if (r->runs[0] == 0 || r->runs[1] == 0 || r->unlike)
        return;
    if (r->runs[0] > 1 && r->runs[1] > 1) {
        r->basis = COMPARE_BY_RUNS;
        r->d = stats_compare_runs(&r->a, &r->b, least_spread, load_effect(r, c));
    } else if (r->runs[0] > 2 || r->runs[1] > 2) {
        r->basis = COMPARE_BY_ONE;
        if (r->host)
            return;
        *(r->runs[0] == 1 ? &r->a.n : &r->b.n) = 1;
        r->d = stats_compare_one(&r->a, &r->b, least_spread, load_effect(r, c));
    } else if (r->group == RUN_MACHINE || (r->group == RUN_WORK && samples)) {
        differ_samples(r);
    } else {
        differ_assumed(r, c->side);
    }
}

static enum compare_verdict judge_row(const struct compare_row *r)
{
    if (r->runs[0] == 0)
        return COMPARE_ONLY_B;
    if (r->runs[1] == 0)
        return COMPARE_ONLY_A;
    if (r->unlike)
        return COMPARE_UNLIKE;
    if (r->d.low > r->d.high)
        return COMPARE_TOO_FEW;
    if (!(r->d.p < compare_alpha))
        return COMPARE_SAME;
    return r->d.difference > 0 ? COMPARE_MORE : COMPARE_LESS;
}

/* Adjusts p within a group of numbers. Rows that could not be tested do not count as tests. */
static void adjust_group_p(struct comparison *c, enum run_group group)
{
    double *p = xcalloc(c->n + 1, sizeof *p);
    struct compare_row **of = xcalloc(c->n + 1, sizeof *of);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].group == group && c->rows[i].d.low <= c->rows[i].d.high) {
            of[n] = &c->rows[i];
            p[n++] = c->rows[i].d.p;
        }
    stats_adjust(p, n);
    for (size_t i = 0; i < n; i++)
        of[i]->d.p = p[i];
    free(p);
    free(of);
}

static int rank_verdict(const struct compare_row *r)
{
    static const int of[] = {
        [COMPARE_MORE] = 0, [COMPARE_LESS] = 0,    [COMPARE_ONLY_A] = 1, [COMPARE_ONLY_B] = 1,
        [COMPARE_SAME] = 2, [COMPARE_TOO_FEW] = 3, [COMPARE_UNLIKE] = 4,
    };
    return of[r->verdict];
}

/* How important a row is: for calls the change of their total time, otherwise the relative
 * change. */
static double measure_row_effect(const struct compare_row *r)
{
    double a = isnan(r->total[0]) ? 0 : r->total[0];
    double b = isnan(r->total[1]) ? 0 : r->total[1];
    if (!isnan(r->total[0]) || !isnan(r->total[1]))
        return fabs(b - a);
    return isnan(r->change) ? INFINITY : fabs(r->change);
}

static int time_rank(const char *id)
{
    static const char *const ids[] = {"elapsed", "wall", "cpu", "device"};
    int i = 0;
    while (i < 4 && strncmp(ids[i], id, strlen(ids[i])) != 0)
        i++;
    return i;
}

static int compare_result_rows(const void *x, const void *y)
{
    const struct compare_row *a = x, *b = y;
    double ea = measure_row_effect(a), eb = measure_row_effect(b);
    if (a->group != b->group)
        return (int)a->group - (int)b->group;
    if (a->group == RUN_TIME) /* elapsed time first, whether it differs or not */
        return time_rank(a->id) - time_rank(b->id);
    if (rank_verdict(a) != rank_verdict(b))
        return rank_verdict(a) - rank_verdict(b);
    if (rank_verdict(a) < 2 && ea != eb)
        return ea > eb ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* --- the answer --- */

static bool is_row_decided(const struct compare_row *r)
{
    return r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
}

/* Chooses the row that answers "is B slower?": elapsed time if it differs significantly; otherwise
 * CPU time, which other processes disturb less. */
static void choose_answer(struct comparison *c)
{
    const struct compare_row *closest = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_row *r = &c->rows[i];
        if (r->group != RUN_TIME || r->d.low > r->d.high)
            continue;
        if (is_row_decided(r)) {
            c->by = r;
            c->answer = r->verdict == COMPARE_MORE ? ANSWER_SLOWER : ANSWER_FASTER;
            return;
        }
        if (!closest || compare_margin(r) < compare_margin(closest))
            closest = r;
    }
    c->by = closest;
    c->answer = closest ? ANSWER_SAME : ANSWER_NONE;
}

bool compare_slower(const struct comparison *c, double percent)
{
    return c->answer == ANSWER_SLOWER && !(c->by->change < percent);
}

double compare_margin(const struct compare_row *r)
{
    return r->a.mean != 0 && r->d.low <= r->d.high ? 50 * (r->d.high - r->d.low) / fabs(r->a.mean)
                                                   : NAN;
}

static void note_side(struct compare_side *to, const struct runs *from)
{
    to->runs = from->n;
    to->others = NAN;
    const struct run *first = from->n ? from->list : NULL;
    to->command = xstrdup(first && first->command ? first->command : "");
    to->hostname = xstrdup(first && first->hostname ? first->hostname : "");
    to->wall_ns = first ? first->wall_ns : 0;
    double sum = 0, n = 0;
    for (size_t i = 0; first && i < from->n; i++) {
        double others = from->list[i].others;
        to->others = fmax(to->others, others); /* fmax returns the other value if one is NAN */
        sum += isnan(others) ? 0 : others;
        n += !isnan(others);
    }
    to->load = n > 0 ? sum / n : NAN;
}

static void name_kernels(struct comparison *c)
{
    const char **names = xcalloc(c->n + 1, sizeof *names);
    uint32_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].group == RUN_KERNEL)
            names[n++] = c->rows[i].label;
    c->briefs = briefs_new(names, n);
    free(names);
}

/* A number that cannot be negative cannot fall by more than its value: cuts the interval there. */
static void bound_interval(struct compare_row *r)
{
    bool positive = !(r->a.min < 0) && !(r->b.min < 0) && r->a.mean > 0;
    if (positive && r->d.low <= r->d.high && r->d.low < -r->a.mean)
        r->d.low = -r->a.mean;
}

static void judge_rows(struct comparison *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct compare_row *r = &c->rows[i];
        compare_row_sides(r, c);
        bound_interval(r);
        if (r->d.difference == 0)
            r->change = 0;
        else
            r->change = r->a.mean != 0 ? 100 * r->d.difference / fabs(r->a.mean) : NAN;
    }
    for (int g = 0; g < RUN_GROUPS; g++)
        adjust_group_p(c, (enum run_group)g);
    for (size_t i = 0; i < c->n; i++)
        c->rows[i].verdict = judge_row(&c->rows[i]);
}

/* --- rows that are computed from other numbers --- */

/* A number of calls has a row only if it differs. */
static void drop_equal_calls(struct comparison *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct compare_row *r = &c->rows[i];
        if (strncmp(r->id, "n:", 2) == 0 && r->verdict != COMPARE_MORE &&
            r->verdict != COMPARE_LESS) {
            free(r->id);
            free(r->label);
        } else {
            c->rows[kept++] = *r;
        }
    }
    c->n = kept;
}

/* Derives numbers for each run of a side: the calls of bricks and kernels and the times, scaled to
 * as much work as A did. units: work of each run; NULL if it is the same or unknown. */
static struct runs derive_runs(const struct runs *from, const double *units, bool by_calls)
{
    static const char *const times[] = {"elapsed", "wall", "cpu", "device"};
    struct runs out = {.n = 0};
    char *id = xcalloc(1, DERIVED_BYTES), *label = xcalloc(1, DERIVED_BYTES);
    for (size_t i = 0; i < from->n; i++) {
        const struct run *run = &from->list[i];
        struct run *to = runs_add(&out);
        double unit = units ? units[i] : 1;
        for (size_t k = 0; k < run->n; k++) {
            const struct run_number *x = &run->numbers[k];
            if (isnan(x->total) || (x->group != RUN_BRICK && x->group != RUN_KERNEL))
                continue;
            snprintf(id, DERIVED_BYTES, "n:%s", x->id);
            snprintf(label, DERIVED_BYTES, "calls of %s", x->label);
            run_add(to, RUN_WORK, id, label, UNIT_COUNT, (double)x->within.n / unit);
        }
        if (units && by_calls)
            run_add(to, RUN_WORK, "work", "work, by calls", UNIT_COUNT, unit);
        for (size_t t = 0; units && t < sizeof times / sizeof *times; t++) {
            const struct run_number *x = run_find(run, times[t]);
            if (!x)
                continue;
            snprintf(id, DERIVED_BYTES, "%s_for_work", x->id);
            snprintf(label, DERIVED_BYTES, "%s, for A's work", x->label);
            run_add(to, RUN_TIME, id, label, UNIT_SECONDS, x->within.mean / unit);
        }
    }
    free(id);
    free(label);
    return out;
}

static void add_derived(struct comparison_making *m, const struct runs *const of[2],
                        const struct compare_units *u)
{
    bool unlike = compare_work_unlike(&m->c->work);
    size_t before = m->c->n;
    for (int side = 0; side < 2; side++) {
        struct runs derived = derive_runs(of[side], unlike ? u->of[side] : NULL,
                                          m->c->work.by && strcmp(m->c->work.by, "calls") == 0);
        fill_side(m, side, &derived);
        runs_free(&derived);
    }
    for (size_t i = before; unlike && i < m->c->n; i++) {
        struct compare_row *r = &m->c->rows[i];
        r->unlike |= strcmp(r->id, "work") == 0;
        for (int side = 0; side < 2; side++) /* a run may end in the middle of a unit of work */
            r->error[side] = square_number(side_of(r, side)->mean / fmax(u->least, 1));
    }
}

struct comparison *compare_runs(const struct runs *a, const struct runs *b)
{
    struct comparison *c = xcalloc(1, sizeof *c);
    struct comparison_making m = {.c = c};
    struct compare_units units;
    const struct runs *const of[2] = {a, b};
    note_side(&c->side[0], a);
    note_side(&c->side[1], b);
    c->turns = compare_turns(a, b);
    fill_side(&m, 0, a);
    fill_side(&m, 1, b);
    compare_work_find(&c->work, &units, of);
    for (size_t i = 0; i < c->n; i++) {
        if (c->rows[i].group == RUN_KERNEL)
            compare_within_shapes(&c->rows[i], of);
        c->rows[i].unlike |= compare_work_unlike(&c->work) && compare_is_total(&c->rows[i]);
    }
    add_derived(&m, of, &units);
    compare_units_free(&units);
    hash_table_free(&m.by_id);
    judge_rows(c);
    drop_equal_calls(c);
    if (c->n)
        qsort(c->rows, c->n, sizeof *c->rows, compare_result_rows);
    choose_answer(c);
    name_kernels(c);
    return c;
}

const char *compare_label(const struct comparison *c, const struct compare_row *r, int cells,
                          bool ascii, char *out, size_t size)
{
    if (r->group == RUN_KERNEL)
        return briefs_fit(c->briefs, r->label, cells, ascii, out, size);
    snprintf(out, size, "%s", r->label);
    return out;
}

void comparison_free(struct comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n; i++) {
        free(c->rows[i].id);
        free(c->rows[i].label);
    }
    for (size_t i = 0; i < 2; i++) {
        free(c->side[i].command);
        free(c->side[i].hostname);
    }
    briefs_free(c->briefs);
    free(c->rows);
    free(c);
}

const struct compare_row *compare_find(const struct comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->rows[i].id, id) == 0)
            return &c->rows[i];
    return NULL;
}

const char *compare_verdict_name(enum compare_verdict v)
{
    static const char *const names[] = {"same",       "less",   "more",  "too few",
                                        "other work", "only a", "only b"};
    return names[v];
}

const char *compare_answer_name(enum compare_answer a)
{
    static const char *const names[] = {"none", "same", "faster", "slower"};
    return names[a];
}

const char *compare_basis_name(enum compare_basis b)
{
    static const char *const names[] = {"runs", "one run against several", "assumed", "samples"};
    return names[b];
}
