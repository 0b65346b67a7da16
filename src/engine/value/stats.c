#include "engine/value/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"

/* Reduces a long run to the means of equal batches; their mean varies as the run's mean does. */
static size_t reduce_to_batch_means(double *v, size_t n)
{
    enum { BATCHES = 4096 };
    size_t size = (n + BATCHES - 1) / BATCHES, batches = size ? n / size : 0;
    for (size_t i = 0; size > 1 && i < batches; i++) {
        double sum = 0;
        for (size_t k = 0; k < size; k++)
            sum += v[i * size + k];
        v[i] = sum / (double)size;
    }
    return batches;
}

/*
 * Integrated autocorrelation time: sums over pairs of lags, as long as they are positive (C. J.
 * Geyer, Statistical Science 7, 1992, section 3.3). 1 for independent samples, more for correlated
 * ones.
 */
static double correlation_time(const double *v, size_t n)
{
    double tau = 1, mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += (v[i] - v[0]) / (double)n; /* exactly 0 if all values are equal */
    mean += v[0];
    for (size_t i = 0; i < n; i++)
        variance += (v[i] - mean) * (v[i] - mean) / (double)n;
    if (!(variance > 0))
        return 1;
    for (size_t lag = 1; lag + 1 < n / 2; lag += 2) {
        double sum = 0;
        for (size_t i = 0; i + lag < n; i++)
            sum += (v[i] - mean) * (v[i + lag] - mean);
        for (size_t i = 0; i + lag + 1 < n; i++)
            sum += (v[i] - mean) * (v[i + lag + 1] - mean);
        sum /= (double)n * variance;
        if (sum <= 0)
            break;
        tau += 2 * sum;
    }
    return tau;
}

struct stats stats_of(const double *v, size_t n)
{
    struct stats s = {0};
    double *kept = xcalloc(n ? n : 1, sizeof *kept), sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(v[i])) {
            kept[s.n++] = v[i];
            sum += v[i];
        }
    if (s.n == 0) {
        free(kept);
        return s;
    }
    s.mean = sum / (double)s.n;
    for (size_t i = 0; i < s.n; i++)
        squares += (kept[i] - s.mean) * (kept[i] - s.mean);
    s.sd = s.n > 1 ? sqrt(squares / (double)(s.n - 1)) : 0;
    double *sorted = xcalloc(s.n, sizeof *sorted);
    memcpy(sorted, kept, s.n * sizeof *sorted);
    qsort(sorted, s.n, sizeof *sorted, order_doubles);
    s.min = sorted[0];
    s.max = sorted[s.n - 1];
    s.median = s.n % 2 ? sorted[s.n / 2] : (sorted[s.n / 2 - 1] + sorted[s.n / 2]) / 2;
    free(sorted);
    size_t batches = reduce_to_batch_means(kept, s.n);
    double per_batch = (double)s.n / (double)batches; /* sd is of samples, not of batches */
    double batch_variance = 0;
    for (size_t i = 0; i < batches; i++)
        batch_variance += (kept[i] - s.mean) * (kept[i] - s.mean) / (double)batches;
    double independent = (double)batches / correlation_time(kept, batches);
    /* variance of the mean = batch_variance / independent = sd^2 / effective */
    s.effective = per_batch > 1 && batch_variance > 0 ? s.sd * s.sd * independent / batch_variance
                                                      : independent;
    if (s.effective < 1)
        s.effective = 1;
    else if (s.effective > (double)s.n)
        s.effective = (double)s.n;
    free(kept);
    return s;
}

/*
 * Regularised incomplete beta function by its continued fraction (NIST DLMF 8.17.22), evaluated
 * from the front by the modified Lentz method (W. H. Press et al., Numerical Recipes, section 5.2).
 */
static double beta_fraction(double x, double a, double b)
{
    enum { STEPS = 500 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (int k = 0; k < 2; k++) {
            double term = k == 0 ? even : odd;
            d = 1 + term * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            f *= change;
        }
        if (fabs(change - 1) < 1e-15)
            break;
    }
    return f;
}

static double incomplete_beta_ratio(double x, double a, double b)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    /* the fraction converges fast on this side of the mean only (DLMF 8.17.4 gives the other) */
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                     : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double stats_t_p(double t, double df)
{
    if (isinf(t))
        return 0;
    return df > 0 ? incomplete_beta_ratio(df / (df + t * t), df / 2, 0.5) : 1;
}

double stats_t_95(double df)
{
    double lo = 0, hi = 1e6;
    if (!(df > 0))
        return INFINITY;
    for (int i = 0; i < 200 && hi - lo > 1e-12 * hi; i++) {
        double mid = (lo + hi) / 2;
        if (stats_t_p(mid, df) > 0.05)
            lo = mid;
        else
            hi = mid;
    }
    return (lo + hi) / 2;
}

struct stats_difference stats_compare(const struct stats *a, const struct stats *b)
{
    struct stats_difference d = {.difference = b->mean - a->mean, .low = 1, .high = -1, .p = 1};
    if (a->effective < STATS_LEAST || b->effective < STATS_LEAST)
        return d;
    double va = a->sd * a->sd / a->effective, vb = b->sd * b->sd / b->effective;
    double se = sqrt(va + vb);
    if (!(se > 0)) { /* both constant */
        d.low = d.high = d.difference;
        d.p = d.difference == 0 ? 1 : 0;
        return d;
    }
    double df =
        (va + vb) * (va + vb) / (va * va / (a->effective - 1) + vb * vb / (b->effective - 1));
    double half = stats_t_95(df) * se;
    d.low = d.difference - half;
    d.high = d.difference + half;
    d.p = stats_t_p(d.difference / se, df);
    return d;
}

static const double normal_95 = 1.959963984540054; /* the normal distribution's 97.5 % */

/* The result for a difference with its standard error, degrees of freedom, and the standard
 * deviation `beside`. The half widths of both intervals add in quadrature, as errors do; p is 0.05
 * exactly if 0 is at an end of the interval. */
static struct stats_difference by_t(double difference, double se, double df, double beside)
{
    struct stats_difference d = {.difference = difference};
    double t = stats_t_95(df), half = hypot(t * se, normal_95 * beside);
    d.low = difference - half;
    d.high = difference + half;
    if (difference == 0)
        d.p = 1;
    else
        d.p = half > 0 ? stats_t_p(t * difference / half, df) : 0;
    return d;
}

/* Variance of one run. */
static double run_variance(const struct stats *s, double least)
{
    double sd = fmax(s->sd, least * fabs(s->mean));
    return sd * sd;
}

struct stats_difference stats_compare_runs(const struct stats *a, const struct stats *b,
                                           double least, double beside)
{
    double na = (double)a->n, nb = (double)b->n;
    double va = run_variance(a, least) / na, vb = run_variance(b, least) / nb, sum = va + vb;
    double df = sum > 0 ? sum * sum / (va * va / (na - 1) + vb * vb / (nb - 1)) : na + nb - 2;
    return by_t(b->mean - a->mean, sqrt(sum), df, beside);
}

struct stats_difference stats_compare_one(const struct stats *a, const struct stats *b,
                                          double least, double beside)
{
    const struct stats *many = a->n > b->n ? a : b;
    double n = (double)many->n, se = sqrt(run_variance(many, least) * (1 + 1 / n));
    return by_t(b->mean - a->mean, se, n - 1, beside);
}

struct stats_difference stats_compare_known(double difference, double se)
{
    struct stats_difference d = {.difference = difference, .low = difference, .high = difference};
    d.p = difference == 0 ? 1 : 0;
    if (se > 0) {
        d.low = difference - normal_95 * se;
        d.high = difference + normal_95 * se;
        d.p = erfc(fabs(difference) / se * M_SQRT1_2);
    }
    return d;
}

struct percentile_rank {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct percentile_rank *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

void stats_adjust(double *p, size_t n)
{
    struct percentile_rank *r = xcalloc(n ? n : 1, sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (struct percentile_rank){p[i], i};
    qsort(r, n, sizeof *r, by_p);
    double least = 1;
    for (size_t i = n; i-- > 0;) {
        double q = r[i].p * (double)n / (double)(i + 1);
        least = q < least ? q : least;
        p[r[i].at] = least;
    }
    free(r);
}
