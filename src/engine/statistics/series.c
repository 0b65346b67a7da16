#include "engine/statistics/series.h"

#include <math.h>
#include <stdlib.h>

#include "engine/statistics/ranks.h"

enum { FEWEST = 8 };

/* The place of x among r's values, with half of the equal ones: 0 to 1 without both. */
static double place_among(const struct ranked *r, double x)
{
    size_t below = 0, equal = 0;
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->v[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    below = low;
    while (below + equal < r->n && r->v[below + equal] == x)
        equal++;
    return ((double)below + (double)equal / 2) / (double)r->n;
}

double series_memory(const double *v, size_t n)
{
    struct ranked r = {0};
    double before = 0, products = 0, squares = 0;
    if (n < FEWEST)
        return 0;
    for (size_t i = 0; i < n; i++)
        ranked_add(&r, v[i]);
    for (size_t i = 0; i < n; i++) {
        double score = normal_quantile(place_among(&r, v[i]));
        products += before * score;
        squares += score * score;
        before = score;
    }
    ranked_free(&r);
    /* 1 / n: the estimate is that much too small, because the mean is of the same values
     * (F. Marriott, J. Pope, Biometrika 41, 1954). */
    double memory = squares > 0 ? products / squares + 1.0 / (double)n : 0,
           error = 1 / sqrt((double)n);
    return memory < 0.8 * error ? 0 : fmin(memory + 0.6 * error, 0.95);
}
