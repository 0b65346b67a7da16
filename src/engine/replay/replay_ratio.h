/*
 * Compares the times of two builds of a kernel: the ratio of the geometric means of their launches,
 * with Welch's test on logarithms (engine/value/stats.h). `replay compare` and `replay edit` show
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct replay_ratio {
    double ratio;     /* time of the other build divided by that of the first; below 1: the other is
                         faster */
    double low, high; /* 95 % interval of the ratio; low > high: too few launches */
    double p; /* p value of "there is no difference"; may be adjusted (stats_adjust) before the
                 verdict */
};

/* Both lists are times of launches in microseconds; times that are not above 0 are left out. */
struct replay_ratio replay_ratio_of(const double *first, size_t nfirst, const double *other,
                                    size_t nother);
bool replay_ratio_tested(const struct replay_ratio *r); /* whether there were enough launches */
/* "faster", "slower", "same" or "too few". */
const char *replay_ratio_verdict(const struct replay_ratio *r);
