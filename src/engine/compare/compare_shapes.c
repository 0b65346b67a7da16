/* Compares a kernel that has several launch shapes within each shape. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/compare/compare_impl.h"

struct shape_numbers {
    const struct run_number **list; /* one for each run that has the kernel; A's first */
    size_t n[2], all;
};

static void collect_numbers(struct shape_numbers *x, const char *id, const struct runs *const of[2])
{
    *x = (struct shape_numbers){.list = xcalloc(of[0]->n + of[1]->n + 1, sizeof *x->list)};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < of[side]->n; i++) {
            const struct run_number *number = run_find(&of[side]->list[i], id);
            if (!number)
                continue;
            x->list[x->all++] = number;
            x->n[side]++;
        }
}

static int shape_order(const void *x, const void *y)
{
    return strcmp(((const struct run_shape *)x)->shape, ((const struct run_shape *)y)->shape);
}

const struct run_shape *compare_shape(const struct run_number *x, const struct run_shape *s)
{
    return x->nshapes ? bsearch(s, x->shapes, x->nshapes, sizeof *x->shapes, shape_order) : NULL;
}

/* The calls of the shape in all runs together; 0 if a run has none. */
static double calls_of_shape(const struct shape_numbers *x, const struct run_shape *s)
{
    double calls = 0;
    for (size_t i = 0; i < x->all; i++) {
        const struct run_shape *found = compare_shape(x->list[i], s);
        if (!found)
            return 0;
        calls += (double)found->calls.n;
    }
    return calls;
}

/* The squared relative spread of calls within a shape, over the shapes with two calls or more. */
static double spread_within(const struct run_number *x)
{
    double squares = 0, freedom = 0;
    for (size_t i = 0; i < x->nshapes; i++) {
        const struct stats *s = &x->shapes[i].calls;
        if (s->n < 2 || !(s->mean > 0))
            continue;
        squares += (double)(s->n - 1) * s->sd * s->sd / (s->mean * s->mean);
        freedom += (double)(s->n - 1);
    }
    return freedom > 0 ? squares / freedom : 0;
}

/* The mean of a run if the share of its calls in each shape of `like` were weight[i], and its
 * squared standard error. */
static double mean_of_mix(const struct run_number *x, const struct run_number *like,
                          const double *weight, double *error)
{
    double mean = 0, pooled = spread_within(x);
    *error = 0;
    for (size_t i = 0; i < like->nshapes; i++) {
        if (weight[i] == 0)
            continue;
        const struct stats *s = &compare_shape(x, &like->shapes[i])->calls;
        double variance = s->n > 1 ? s->sd * s->sd : pooled * s->mean * s->mean;
        mean += weight[i] * s->mean;
        *error += weight[i] * weight[i] * variance / fmax(s->effective, 1);
    }
    return mean;
}

static bool has_mix(const struct shape_numbers *x)
{
    bool mix = false;
    if (!x->n[0] || !x->n[1])
        return false;
    for (size_t i = 0; i < x->all; i++) {
        if (!x->list[i]->nshapes)
            return false;
        mix |= x->list[i]->nshapes > 1 || !compare_shape(x->list[i], x->list[0]->shapes);
    }
    return mix;
}

static void take_side(struct compare_row *r, int side, const struct shape_numbers *x,
                      const double *weight)
{
    size_t from = side ? x->n[0] : 0, n = x->n[side];
    struct stats *s = side ? &r->b : &r->a;
    double *means = xcalloc(n, sizeof *means);
    for (size_t i = 0; i < n; i++)
        means[i] = mean_of_mix(x->list[from + i], x->list[0], weight, &r->error[side]);
    if (n == 1) {
        s->mean = means[0];
    } else {
        *s = stats_of(means, n);
        s->effective = (double)n;
    }
    free(means);
}

void compare_within_shapes(struct compare_row *r, const struct runs *const of[2])
{
    struct shape_numbers x;
    collect_numbers(&x, r->id, of);
    if (has_mix(&x)) {
        const struct run_number *like = x.list[0];
        double *weight = xcalloc(like->nshapes, sizeof *weight), all = 0;
        for (size_t i = 0; i < like->nshapes; i++)
            all += weight[i] = calls_of_shape(&x, &like->shapes[i]);
        for (size_t i = 0; i < like->nshapes; i++) {
            r->shapes += weight[i] > 0;
            weight[i] /= all > 0 ? all : 1;
        }
        r->unlike = all == 0;
        for (int side = 0; side < 2 && all > 0; side++)
            take_side(r, side, &x, weight);
        free(weight);
    }
    free(x.list);
}
