#include "engine/statistics/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "base/search.h"

/* Begins with Tukey's lambda approximation (J. W. Tukey, 1960), which is within 0.01 in the range
 * that ranks need, and improves it by Newton's method. */
double normal_quantile(double p)
{
    double z = 4.91 * (pow(p, 0.14) - pow(1 - p, 0.14));
    double step = 1;
    for (int i = 0; i < 9 && fabs(step) > 1e-6; i++) {
        double newton = (0.5 * erfc(-z / M_SQRT2) - p) * sqrt(2 * M_PI) * exp(z * z / 2);
        step = newton / (1 + z * newton / 2);
        z -= step;
    }
    return z;
}

/* The number of values below x, or not above it. */
static size_t count_below(const struct ranked *r, double x, int equal_too)
{
    size_t low = 0;
    SEARCH_FIRST(low, r->n, r->v[low] < x || (equal_too && r->v[low] == x));
    return low;
}

double ranked_add(struct ranked *r, double x)
{
    size_t below = count_below(r, x, 0), at = count_below(r, x, 1);
    LIST_ROOM(r->v, r->n, r->cap);
    memmove(r->v + at + 1, r->v + at, (r->n - at) * sizeof *r->v);
    r->v[at] = x;
    r->n++;
    return ((double)below + (double)(at + 1 - below) / 2) / (double)r->n;
}

void ranked_drop(struct ranked *r, double x)
{
    size_t at = count_below(r, x, 0);
    r->n--;
    memmove(r->v + at, r->v + at + 1, (r->n - at) * sizeof *r->v);
}

double ranked_share(const struct ranked *r, double x)
{
    size_t below = count_below(r, x, 0), equal = 0;
    if (below < r->n && r->v[below] == x) /* rare: a search is spared */
        equal = count_below(r, x, 1) - below;
    return ((double)below + (double)equal / 2) / (double)r->n;
}

double ranked_median(const struct ranked *r)
{
    return r->n ? (r->v[(r->n - 1) / 2] + r->v[r->n / 2]) / 2 : NAN;
}

void ranked_free(struct ranked *r)
{
    free(r->v);
    *r = (struct ranked){0};
}

double median_of(const double *v, size_t n)
{
    if (n == 0)
        return NAN;
    struct ranked r = {.v = xcalloc(n, sizeof *v), .n = n, .cap = n};
    memcpy(r.v, v, n * sizeof *v);
    qsort(r.v, n, sizeof *v, order_doubles);
    double m = ranked_median(&r);
    ranked_free(&r);
    return m;
}

double mad_spread(const double *v, size_t n, double middle)
{
    double *away = xcalloc(n + 1, sizeof *away);
    for (size_t i = 0; i < n; i++)
        away[i] = fabs(v[i] - middle);
    const double m = median_of(away, n);
    free(away);
    return 1.4826 * m;
}
