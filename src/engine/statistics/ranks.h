/* Ranks: all tests of this room use them, because the size of a spike does not change a rank. */
#pragma once

#include <stddef.h>

/* The quantile z of the normal distribution for probability p, 0 < p < 1. */
double normal_quantile(double p);

/* Values in order of size. Zeroed = empty. */
struct ranked {
    double *v; /* owned */
    size_t n, cap;
};
/* Adds x, which must not be NaN. Returns the share of all values, x included, that are below it,
 * from 0 to 1 without both; equal values and x itself count half. */
double ranked_add(struct ranked *r, double x);
void ranked_drop(struct ranked *r, double x); /* x is one of them */
/* The share of the values that are below x; equal ones count half. */
double ranked_share(const struct ranked *r, double x);
double ranked_median(const struct ranked *r); /* NAN if empty */
void ranked_free(struct ranked *r);

double median_of(const double *v, size_t n); /* v stays as it is; NAN if n is 0 */
/* 1.48 times the median distance from the middle: the standard deviation of normal values, where
 * outliers are few. */
double mad_spread(const double *v, size_t n, double middle);
