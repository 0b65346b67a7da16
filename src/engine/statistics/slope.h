/*
 * How fast a series rises or falls: the median of the slopes between all pairs of its points (H.
 * Theil, Proc. Kon. Ned. Akad. Wet. 53, 1950; P. Sen, J. Am. Stat. Assoc. 63, 1968). Points that
 * are far off, up to 29 % of them, do not move it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SLOPE_POINTS_MAX = 64 };

struct slope {
    double per_x; /* NAN: no two points differ in x */
    /*
     * It rises or falls beyond chance: the test of signs of M. Kendall (Biometrika 30, 1938), as a
     * normal score of at least SLOPE_SCORE_LEAST. Equal values count for neither side.
     */
    bool sure;
};
#define SLOPE_SCORE_LEAST 2.3 /* two-sided, by chance in 2 % of series; 5 points reach 2.45 */

/* The slope of n points, whose x must ascend. If there are more than SLOPE_POINTS_MAX, only the
 * last ones are used. */
struct slope slope_of(const double *x, const double *y, size_t n);
