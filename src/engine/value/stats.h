/*
 * Statistics of samples taken in time. Samples of one run are not independent (a busy second
 * follows a busy one), so tests count effective samples, not samples.
 */
#ifndef ROOFTOP_ENGINE_VALUE_STATS_H
#define ROOFTOP_ENGINE_VALUE_STATS_H

#include <stddef.h>

struct stats {
    size_t n;        /* values; NaN were left out */
    double mean, sd; /* sd: of the sample, n - 1 below; 0 for n < 2 */
    double min, max, median;
    double effective; /* independent samples that tell as much about the mean: 1 .. n */
};
/* Of v[0..n); sorts nothing, allocates n doubles for a moment. All 0 for no values. */
struct stats stats_of(const double *v, size_t n);

/* Difference of two means, b - a. */
struct stats_difference {
    double difference, low, high; /* 95 % confidence interval; low > high = too few samples */
    double p;                     /* of no difference, two-sided; 1 = nothing can be said */
};
/*
 * Welch's t-test over effective samples (B. L. Welch, Biometrika 34, 1947): degrees of freedom by
 * Welch-Satterthwaite. Fewer than STATS_LEAST effective samples on a side: nothing can be said.
 */
enum { STATS_LEAST = 4 };
struct stats_difference stats_compare(const struct stats *a, const struct stats *b);

/*
 * The same of runs that are independent of each other: n values a side, at least two, no
 * correlation in time. A spread of less than `least` of the mean is taken as that: what is
 * quantised (pages, ticks) may agree by chance. beside: a standard deviation of the difference that
 * more runs do not reduce (what else went on during one side), 0 for none.
 */
struct stats_difference stats_compare_runs(const struct stats *a, const struct stats *b,
                                           double least, double beside);
/*
 * One run against several: the spread of those is that of the one (Student's t for a new
 * observation, df = n - 1). The other side has n >= 2.
 */
struct stats_difference stats_compare_one(const struct stats *a, const struct stats *b,
                                          double least, double beside);
/* A difference whose standard error is known, or taken as known: the normal distribution. */
struct stats_difference stats_compare_known(double difference, double se);

/* Two-sided p of Student's t with df degrees of freedom, and its inverse for 95 %. */
double stats_t_p(double t, double df);
double stats_t_95(double df);

/*
 * Raises p[0..n) so that marking all below q as differences leaves q of the marks wrong on average
 * (Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57, 1995). In place, in the order given.
 */
void stats_adjust(double *p, size_t n);

#endif
