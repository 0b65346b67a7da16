#include "engine/statistics/series.h"

#include <math.h>
#include <stdlib.h>

#include "engine/statistics/ranks.h"

enum { FEWEST = 8 };

double series_correlation(const double *v, size_t n)
{
    struct ranked r = {0};
    double before = 0, products = 0, squares = 0;
    if (n < FEWEST)
        return 0;
    for (size_t i = 0; i < n; i++)
        ranked_add(&r, v[i]);
    for (size_t i = 0; i < n; i++) {
        double score = normal_quantile(ranked_share(&r, v[i]));
        products += before * score;
        squares += score * score;
        before = score;
    }
    ranked_free(&r);
    /* The bias of the estimate, 1 / n, because the mean is computed from the same values (F.
     * Marriott, J. Pope, Biometrika 41, 1954). */
    return squares > 0 ? products / squares + 1.0 / (double)n : 0;
}

double series_memory(const double *v, size_t n)
{
    double memory = series_correlation(v, n), error = 1 / sqrt((double)n);
    return n < FEWEST || memory < 0.8 * error ? 0 : fmin(memory + 0.6 * error, 0.95);
}
