#include "engine/statistics/slope.h"

#include <math.h>

#include "engine/statistics/ranks.h"

/* The score of s, the rising pairs less the falling ones, if all orders were equally likely. */
static double score_signs(double s, double n)
{
    const double variance = n * (n - 1) * (2 * n + 5) / 18;
    return variance > 0 ? fabs(s) / sqrt(variance) : 0;
}

struct slope slope_of(const double *x, const double *y, size_t n)
{
    double slope[SLOPE_POINTS_MAX * (SLOPE_POINTS_MAX - 1) / 2], signs = 0;
    size_t pairs = 0, from = n > SLOPE_POINTS_MAX ? n - SLOPE_POINTS_MAX : 0;
    for (size_t i = from; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            if (!(x[j] > x[i]))
                continue;
            slope[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
            signs += (y[j] > y[i]) - (y[j] < y[i]);
        }
    return (struct slope){.per_x = median_of(slope, pairs),
                          .sure = score_signs(signs, (double)(n - from)) >= SLOPE_SCORE_LEAST};
}
