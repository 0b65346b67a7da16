#include "engine/statistics/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "engine/statistics/ranks.h"
#include "engine/statistics/series.h"

/* --- the median of one series --- */

/* The logarithm of the e-value against a median for which `below` of n independent signs are
 * minus. */
static double sign_evidence(double below, double n)
{
    return lgamma(below + 0.5) + lgamma(n - below + 0.5) - lgamma(n + 1) - log(M_PI) + n * M_LN2;
}

struct interval interval_of_median(const double *v, size_t n, double alpha)
{
    struct interval i = {median_of(v, n), -INFINITY, INFINITY};
    if (n == 0)
        return i;
    struct ranked r = {0};
    for (size_t k = 0; k < n; k++)
        ranked_add(&r, v[k]);
    double memory = series_memory(v, n), share = (1 - memory) / (1 + memory);
    double effective = (double)n * share;
    /* The k-th smallest value is a bound where k values below the median are refuted. */
    for (size_t k = 0; k < (n + 1) / 2; k++) {
        if (sign_evidence((double)k * share, effective) < log(1 / alpha))
            break;
        i.low = r.v[k];
        i.high = r.v[n - 1 - k];
    }
    ranked_free(&r);
    return i;
}

/* --- pairs --- */

/* Betting fractions of the e-process, per unit of score; the best one is the shift in standard
 * deviations. */
static const double fractions[PAIR_FRACTIONS] = {0.1, 0.2, 0.4, 0.8, 1.6, 4};

/* Adds a pair's difference from the shift that is tested. */
static void e_process_add(struct e_process *p, double x)
{
    const double score = normal_quantile((1 + ranked_add(&p->sizes, fabs(x))) / 2);
    for (int b = 0; b < PAIR_FRACTIONS && x != 0; b++) {
        const double e = fractions[b] * score, fair = log(cosh(e));
        p->log[0][b] += (x > 0 ? e : -e) - fair;
        p->log[1][b] += (x < 0 ? e : -e) - fair;
    }
}

/* The logarithm of the e-value against the hypothesis that the shift is at most (down 0) or at
 * least (down 1) the tested one. */
static double e_process_log(const struct e_process *p, int down)
{
    double most = -INFINITY, sum = 0;
    for (int b = 0; b < PAIR_FRACTIONS; b++)
        most = fmax(most, p->log[down][b]);
    for (int b = 0; b < PAIR_FRACTIONS; b++)
        sum += exp(p->log[down][b] - most);
    return most + log(sum / PAIR_FRACTIONS);
}

/* The logarithm of the e-value of n pairs; side 1: against the hypothesis that the shift is at most
 * `shift`, -1: at least. */
static double pair_evidence(const double *d, size_t n, double shift, int side)
{
    struct e_process p = {.log = {{0}}};
    for (size_t i = 0; i < n; i++)
        e_process_add(&p, d[i] - shift);
    ranked_free(&p.sizes);
    return e_process_log(&p, side < 0);
}

/* The bound of the interval on one side (1: the lower one), between the middle and `far`, which
 * is beyond all values. */
static double pair_bound(const double *d, size_t n, double middle, double far, int side,
                         double limit)
{
    if (pair_evidence(d, n, far, side) < limit)
        return -side * INFINITY;
    for (int i = 0; i < 24; i++) {
        double x = (middle + far) / 2;
        if (pair_evidence(d, n, x, side) < limit)
            middle = x;
        else
            far = x;
    }
    return far;
}

/* The shift against which both sides have the same e-value. */
static double pair_middle(const double *d, size_t n, double low, double high)
{
    for (int i = 0; i < 24; i++) {
        double x = (low + high) / 2;
        if (pair_evidence(d, n, x, 1) > pair_evidence(d, n, x, -1))
            low = x;
        else
            high = x;
    }
    return (low + high) / 2;
}

struct interval interval_of_pairs(const double *d, size_t n, double alpha)
{
    struct interval i = {NAN, -INFINITY, INFINITY};
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        least = fmin(least, d[k]);
        most = fmax(most, d[k]);
    }
    if (n == 0)
        return i;
    double beyond = fmax(most - least, 1e-12) * 1e-3;
    i.estimate = pair_middle(d, n, least, most);
    i.low = pair_bound(d, n, i.estimate, least - beyond, 1, log(2 / alpha));
    i.high = pair_bound(d, n, i.estimate, most + beyond, -1, log(2 / alpha));
    return i;
}

void pair_watch_start(struct pair_watch *w, double alpha, double margin)
{
    const double least = log1p(margin);
    *w = (struct pair_watch){.limit = log(2 / alpha), .shift = {0, -least, least}};
}

void pair_watch_add(struct pair_watch *w, double d)
{
    for (int s = 0; s < PAIR_SHIFTS; s++)
        e_process_add(&w->against[s], d - w->shift[s]);
}

bool pair_watch_decides(const struct pair_watch *w)
{
    return e_process_log(&w->against[0], 0) >= w->limit ||
           e_process_log(&w->against[0], 1) >= w->limit ||
           (e_process_log(&w->against[1], 0) >= w->limit &&
            e_process_log(&w->against[2], 1) >= w->limit);
}

void pair_watch_end(struct pair_watch *w)
{
    for (int s = 0; s < PAIR_SHIFTS; s++)
        ranked_free(&w->against[s].sizes);
}

/* --- two sets --- */

enum { SET_MOST = 400 };

/* Copies at most SET_MOST values, evenly spread. Returns how many. */
static size_t spread_values(double out[SET_MOST], const double *v, size_t n)
{
    size_t kept = n < SET_MOST ? n : SET_MOST;
    for (size_t i = 0; i < kept; i++)
        out[i] = v[i * n / kept];
    return kept;
}

struct interval interval_of_sets(const double *first, size_t n, const double *second, size_t m,
                                 double alpha)
{
    double a[SET_MOST], b[SET_MOST];
    struct interval i = {NAN, -INFINITY, INFINITY};
    n = spread_values(a, first, n);
    m = spread_values(b, second, m);
    if (n == 0 || m == 0)
        return i;
    size_t all = n * m;
    double memory = fmax(series_memory(a, n), series_memory(b, m));
    double *d = xcalloc(all, sizeof *d);
    for (size_t k = 0; k < all; k++)
        d[k] = b[k % m] - a[k / m];
    qsort(d, all, sizeof *d, order_doubles);
    i.estimate = (d[(all - 1) / 2] + d[all / 2]) / 2;
    double deviation = sqrt((double)all * (double)(n + m + 1) / 12 * (1 + memory) / (1 - memory));
    double k = (double)all / 2 - normal_quantile(1 - alpha / 2) * deviation;
    if (k >= 0) {
        i.low = d[(size_t)k];
        i.high = d[all - 1 - (size_t)k];
    }
    free(d);
    return i;
}

/* --- verdicts --- */

enum ratio_verdict verdict_of(const struct interval *i, double margin)
{
    if (i->low > -log1p(margin) && i->high < log1p(margin))
        return VERDICT_EQUIVALENT;
    if (i->low > 0)
        return VERDICT_SLOWER;
    return i->high < 0 ? VERDICT_FASTER : VERDICT_NOT_DECIDED;
}

const char *verdict_name(enum ratio_verdict v)
{
    static const char *const names[] = {"not decided", "faster", "slower", "equivalent"};
    return names[v];
}
