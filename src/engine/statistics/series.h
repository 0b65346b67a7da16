/* How much each value of a series depends on the previous one. */
#pragma once

#include <stddef.h>

/* The correlation of neighbours, by normal scores of ranks, which spikes do not disturb (J. Hajek,
 * Z. Sidak, "Theory of Rank Tests", 1967). 0 of fewer than eight values. */
double series_correlation(const double *v, size_t n);

/*
 * The same from 0 to 0.95, never too small: noise of n independent values has an estimate of about
 * 0 +- 1 / sqrt(n), so one below 0.8 / sqrt(n) is 0, and to a larger one its error is added.
 */
double series_memory(const double *v, size_t n);
