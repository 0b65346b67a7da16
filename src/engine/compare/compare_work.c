/* How much work the runs of two sides did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/compare/compare_impl.h"

/* Relative differences that count as none. Threads that poll change the calls a little. */
static const double tokens_equal = 0.001, calls_equal = 0.01, calls_near = 0.1;

static bool is_work(const struct run_number *x)
{
    return (x->group == RUN_BRICK || x->group == RUN_KERNEL) && !isnan(x->total) &&
           strncmp(x->id, "t:", 2) != 0 && x->within.n > 0;
}

static const struct run *run_at(const struct runs *const of[2], size_t i)
{
    return i < of[0]->n ? &of[0]->list[i] : &of[1]->list[i - of[0]->n];
}

/* The amount of a number in a run, or of one of its launch shapes. 0: the run has none. */
static double amount_in(const struct run *r, const char *id, bool calls,
                        const struct run_shape *shape)
{
    const struct run_number *x = run_find(r, id);
    const struct stats *s = x ? &x->within : NULL;
    if (x && shape) {
        const struct run_shape *found = compare_shape(x, shape);
        s = found ? &found->calls : NULL;
    }
    if (!s)
        return 0;
    return calls ? (double)s->n : s->mean;
}

/* The amounts of one number in all runs, divided by the mean of A's runs. false: a run lacks it. */
static bool find_relative_amounts(const char *id, bool calls, const struct run_shape *shape,
                                  const struct runs *const of[2], double *out, double *least)
{
    size_t all = of[0]->n + of[1]->n;
    double mean = 0;
    *least = INFINITY;
    for (size_t i = 0; i < all; i++) {
        out[i] = amount_in(run_at(of, i), id, calls, shape);
        if (!(out[i] > 0))
            return false;
        *least = fmin(*least, out[i]);
        mean += i < of[0]->n ? out[i] / (double)of[0]->n : 0;
    }
    for (size_t i = 0; i < all; i++)
        out[i] /= mean;
    return true;
}

/* How often each brick and kernel, or each launch shape of it, was called in each run. */
struct call_counts {
    const struct runs *const *of;
    double *ratios; /* those of run i begin at i * cap */
    double *leasts;
    size_t n, cap;
};

static bool add_calls_of(struct call_counts *c, const char *id, const struct run_shape *shape)
{
    size_t all = c->of[0]->n + c->of[1]->n;
    double *one = xcalloc(all, sizeof *one);
    const bool has = find_relative_amounts(id, true, shape, c->of, one, &c->leasts[c->n]);
    for (size_t i = 0; has && i < all; i++)
        c->ratios[i * c->cap + c->n] = one[i];
    c->n += has;
    free(one);
    return has;
}

/* Adds the counts of each launch shape. If a run lacks a shape, the change may be in the choice of
 * shapes: then counts all calls of the name. */
static void add_call_counts_of(struct call_counts *c, const struct run_number *x)
{
    size_t before = c->n, shapes = 0;
    while (shapes < x->nshapes && add_calls_of(c, x->id, &x->shapes[shapes]))
        shapes++;
    if (shapes == x->nshapes && shapes > 0)
        return;
    c->n = before;
    add_calls_of(c, x->id, NULL);
}

/* Whether more than half of the counts of a run are near their median. */
static bool counts_agree(const double *ratios, size_t n, double median)
{
    size_t near = 0;
    for (size_t i = 0; i < n; i++)
        near += fabs(ratios[i] - median) <= calls_near * median;
    return 2 * near > n;
}

/* The median over all bricks and kernels of how often they were called. A change of a few of them
 * is a change of the program, not of its work. *agree: most of them changed by the same factor. */
static bool calls_of_all(const struct runs *const of[2], double *out, double *least, bool *agree)
{
    const struct run *first = run_at(of, 0);
    size_t all = of[0]->n + of[1]->n, cap = 1;
    for (size_t k = 0; k < first->n; k++)
        cap += 1 + first->numbers[k].nshapes;
    struct call_counts c = {.of = of,
                            .ratios = xcalloc(all * cap, sizeof *c.ratios),
                            .leasts = xcalloc(cap, sizeof *c.leasts),
                            .cap = cap};
    for (size_t k = 0; k < first->n; k++)
        if (is_work(&first->numbers[k]))
            add_call_counts_of(&c, &first->numbers[k]);
    for (size_t i = 0; i < all && c.n; i++) {
        out[i] = stats_of(&c.ratios[i * cap], c.n).median;
        *agree &= counts_agree(&c.ratios[i * cap], c.n, out[i]);
    }
    *least = c.n ? stats_of(c.leasts, c.n).median : 0;
    free(c.leasts);
    free(c.ratios);
    return c.n > 0;
}

static void note_ends(struct compare_work *w, const struct runs *const of[2])
{
    int status = of[0]->list[0].status;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side]->n; i++) {
            w->stopped[side] |= of[side]->list[i].stopped;
            w->ends_differ |= of[side]->list[i].status != status;
        }
}

void compare_work_find(struct compare_work *w, struct compare_units *u,
                       const struct runs *const of[2])
{
    *w = (struct compare_work){.ratio = NAN};
    *u = (struct compare_units){.least = 0};
    if (!of[0]->n || !of[1]->n)
        return;
    size_t na = of[0]->n, nb = of[1]->n;
    double *v = xcalloc(na + nb, sizeof *v), equal = tokens_equal;
    note_ends(w, of);
    bool agree = true;
    if (find_relative_amounts("tokens", false, NULL, of, v, &u->least)) {
        w->by = "tokens";
    } else if (calls_of_all(of, v, &u->least, &agree)) {
        w->by = agree ? "calls" : NULL;
        w->differs = !agree;
        equal = calls_equal;
    }
    if (w->by) {
        w->ratio = 0;
        for (size_t i = 0; i < na + nb; i++) {
            w->differs |= fabs(v[i] - 1) > equal;
            w->ratio += i >= na ? v[i] / (double)nb : 0;
        }
        for (int side = 0; side < 2; side++) {
            u->of[side] = xcalloc(side ? nb : na, sizeof **u->of);
            memcpy(u->of[side], v + (side ? na : 0), (side ? nb : na) * sizeof *v);
        }
    }
    free(v);
}

void compare_units_free(struct compare_units *u)
{
    free(u->of[0]);
    free(u->of[1]);
    *u = (struct compare_units){.least = 0};
}

bool compare_is_total(const struct compare_row *r)
{
    if (r->group == RUN_TIME)
        return true;
    if (r->group == RUN_USED)
        return strncmp(r->id, "rss", 3) != 0;
    return r->group == RUN_WORK && (strncmp(r->id, "c:", 2) == 0 || strcmp(r->id, "bricks") == 0 ||
                                    strcmp(r->id, "tokens") == 0 || strcmp(r->id, "work") == 0);
}

bool compare_work_unlike(const struct compare_work *w)
{
    return w->differs || w->stopped[0] || w->stopped[1] || w->ends_differ;
}

bool compare_work_text(const struct comparison *k, char *out, size_t size)
{
    const struct compare_work *w = &k->work;
    char why[160] = "", done[160] = "how much each did is not known";
    *out = '\0';
    if (!compare_work_unlike(w))
        return false;
    static const char *const stopped[2][2] = {{"", "B"}, {"A", "both"}};
    if (w->stopped[0] || w->stopped[1])
        snprintf(why, sizeof why, "--for or a signal ended %s; ",
                 stopped[w->stopped[0]][w->stopped[1]]);
    else if (w->ends_differ)
        snprintf(why, sizeof why, "not all runs ended with one status; ");
    if (w->by)
        snprintf(done, sizeof done,
                 "B did %.4g times A's work (by %s): only time for the same work is compared",
                 w->ratio, w->by);
    snprintf(out, size, "%s%s", why, done);
    return true;
}
