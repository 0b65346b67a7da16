#include "cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rooftop/brick.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Compares two tokens that follow each other, which is too short for most disturbances of a
 * machine to matter. The caller swaps their order from pair to pair, because a later position
 * has more to attend to. */
static double pair(struct model *m, const struct kernels *k, struct pool *p, int *token, int first)
{
    double took[2];
    for (int i = 0; i < 2; i++) {
        int with = first ^ i;
        rooftop_set_sync(with ? ROOFTOP_DEFERRED : ROOFTOP_NONE);
        double begin = now();
        *token = model_step(m, k, p, *token);
        took[with] = now() - begin;
    }
    return took[1] / took[0] - 1;
}

int cost_measure(struct model *m, const struct kernels *k, struct pool *p, long tokens)
{
    long n = (tokens ? tokens : 4000) / 2 + 1;
    int token = 1;
    double *differences = malloc((size_t)n * sizeof *differences);
    if (!differences)
        return 1;
    rooftop_set_sync(ROOFTOP_DEFERRED);
    model_backend(m, k, pool_threads(p), rooftop_backend(k->name, 0, 0, NULL));
    model_reset(m);
    for (long i = 0; i < 16; i++) /* warms up caches and clocks */
        token = model_step(m, k, p, token);
    for (long i = 0; i < n; i++)
        differences[i] = 100 * pair(m, k, p, &token, (int)(i & 1));
    qsort(differences, (size_t)n, sizeof *differences, order);
    /* a median's 95 % interval: binomial, by its normal approximation */
    long half = (long)(0.98 * sqrt((double)n)) + 1, low = n / 2 - half, high = n / 2 + half;
    printf("%s: bricks cost %+.2f %% of a token, median of %ld pairs, 95 %% interval %+.2f to "
           "%+.2f\n",
           k->name, differences[n / 2], n, differences[low > 0 ? low : 0],
           differences[high < n ? high : n - 1]);
    free(differences);
    return 0;
}
