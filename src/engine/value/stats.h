/*
 * Statistics of samples taken over time. Samples of one run are not independent (a busy second
 * often follows a busy one), so the tests use the number of effective samples.
 */
#pragma once

#include <stddef.h>

struct stats {
    size_t n;        /* values; NaN were left out */
    double mean, sd; /* sd: sample standard deviation (n - 1); 0 for n < 2 */
    double min, max, median;
    double effective; /* number of independent samples that would fix the mean as well: 1 .. n */
};
/* Statistics of v[0..n), which stays unchanged. All 0 if there are no values. */
struct stats stats_of(const double *v, size_t n);

/* Difference of two means, b - a. */
struct stats_difference {
    double difference, low, high; /* 95 % confidence interval; low > high = too few samples */
    double p;                     /* two-sided, of "no difference"; 1 = too few samples */
};
/*
 * Welch's t-test over effective samples (B. L. Welch, Biometrika 34, 1947): degrees of freedom by
 * Welch-Satterthwaite. With fewer than STATS_LEAST effective samples on a side there is no result:
 * p is 1 and low > high.
 */
enum { STATS_LEAST = 4 };
struct stats_difference stats_compare(const struct stats *a, const struct stats *b);

/*
 * The same test for independent runs: at least two values on each side, not correlated in time.
 * least: the smallest spread to assume, as a share of the mean, because quantised values (pages,
 * ticks) may be equal by chance. beside: a standard deviation of the difference that more runs do
 * not reduce (other load during one side); 0 for none.
 */
struct stats_difference stats_compare_runs(const struct stats *a, const struct stats *b,
                                           double least, double beside);
/*
 * Compares one run with several (n >= 2). The single run is assumed to vary as the others do
 * (Student's t for a new observation, df = n - 1).
 */
struct stats_difference stats_compare_one(const struct stats *a, const struct stats *b,
                                          double least, double beside);
/* A difference whose standard error se is known or assumed; uses the normal distribution. */
struct stats_difference stats_compare_known(double difference, double se);

/* Two-sided p of Student's t with df degrees of freedom, and the t of the 95 % interval. */
double stats_t_p(double t, double df);
double stats_t_95(double df);

/*
 * Adjusts p[0..n) in place for the false discovery rate: if all p below q are called differences, a
 * share q of them is wrong on average (Y. Benjamini, Y. Hochberg, J. R. Stat. Soc. B 57, 1995).
 */
void stats_adjust(double *p, size_t n);
