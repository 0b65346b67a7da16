#include "engine/histogram.h"

void histogram_count(struct histogram *h, uint64_t ns)
{
    h->bucket[histogram_bucket(ns)]++;
    h->total++;
}

void histogram_add(struct histogram *to, const struct histogram *from)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->bucket[i] += from->bucket[i];
    to->total += from->total;
}

/* The nearest rank: the smallest value that at least a share q of all does not exceed; its bucket's
 * middle, so that it is off by half a bucket at most. */
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
    while (i + 1 < HISTOGRAM_BUCKETS && (seen += h->bucket[i]) < rank)
        i++;
    return (double)histogram_low(i) + (double)(histogram_width(i) - 1) / 2;
}
