#include "engine/value/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { STEP = 8 }; /* the array grows by so many buckets */

/* Makes room for a bucket. The array spans the first to the last bucket in use, in whole steps. */
static void grow_histogram_buckets(struct histogram *h, unsigned bucket)
{
    uint32_t low = bucket / STEP * STEP, high = low + STEP;
    if (h->n > 0) {
        low = h->first < low ? h->first : low;
        high = h->first + h->n > high ? h->first + h->n : high;
    }
    uint32_t *grown = xcalloc(high - low, sizeof *grown);
    if (h->n > 0)
        memcpy(grown + (h->first - low), h->bucket, h->n * sizeof *grown);
    free(h->bucket);
    h->bucket = grown;
    h->first = low;
    h->n = high - low;
}

void histogram_put(struct histogram *h, unsigned bucket, uint32_t n)
{
    if (bucket - h->first >= h->n)
        grow_histogram_buckets(h, bucket);
    h->bucket[bucket - h->first] += n;
    h->total += n;
}

void histogram_count(struct histogram *h, uint64_t ns)
{
    histogram_put(h, histogram_bucket(ns), 1);
}

void histogram_add(struct histogram *to, const struct histogram *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        if (from->bucket[i])
            histogram_put(to, from->first + i, from->bucket[i]);
}

void histogram_clear(struct histogram *h)
{
    if (h->n > 0)
        memset(h->bucket, 0, h->n * sizeof *h->bucket);
    h->total = 0;
}

void histogram_free(struct histogram *h)
{
    free(h->bucket);
    *h = (struct histogram){0};
}

/* Nearest rank: the smallest value that at least a share q of all counts does not exceed. The
 * bucket's middle stands for it, so the error is half a bucket at most. */
double histogram_quantile(const struct histogram *h, double q)
{
    if (h->total == 0)
        return 0;
    double wanted = q * (double)h->total;
    uint64_t rank = wanted <= 1 ? 1 : (uint64_t)wanted;
    if ((double)rank < wanted)
        rank++;
    uint64_t seen = 0;
    unsigned i = 0;
    while (i + 1 < h->n && (seen += h->bucket[i]) < rank)
        i++;
    return (double)histogram_low(h->first + i) + (double)(histogram_width(h->first + i) - 1) / 2;
}

double histogram_quantile_within(const struct histogram *h, double q, double shortest,
                                 double longest)
{
    double v = histogram_quantile(h, q);
    if (h->total == 0)
        return 0;
    if (v < shortest)
        return shortest;
    return v > longest ? longest : v;
}
