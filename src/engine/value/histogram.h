/*
 * How often something took how long, in log-linear buckets: exact below 16 ns, then 16 to every
 * doubling, up to 2^40 ns (18 minutes). A quantile is off by at most 1/32 of itself.
 */
#ifndef ROOFTOP_ENGINE_VALUE_HISTOGRAM_H
#define ROOFTOP_ENGINE_VALUE_HISTOGRAM_H

#include <stdint.h>

#include "base/histogram_buckets.h"

/* Only the buckets between the shortest and the longest take room. Zeroed: empty. */
struct histogram {
    uint64_t total;
    uint32_t *bucket; /* n of them, from the first on */
    uint32_t first, n;
};

/* The value below which a share q (0..1) of all lies; 0 where nothing was counted. ns. */
double histogram_quantile(const struct histogram *h, double q);
void histogram_add(struct histogram *to, const struct histogram *from);
void histogram_count(struct histogram *h, uint64_t ns);
/* n more in a bucket below HISTOGRAM_BUCKETS. */
void histogram_put(struct histogram *h, unsigned bucket, uint32_t n);
static inline uint32_t histogram_at(const struct histogram *h, unsigned bucket)
{
    return bucket - h->first < h->n ? h->bucket[bucket - h->first] : 0;
}
void histogram_clear(struct histogram *h); /* empty, with its room */
void histogram_free(struct histogram *h);  /* what it holds */

#endif
