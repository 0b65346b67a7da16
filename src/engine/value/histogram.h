/*
 * A histogram of durations with log-linear buckets: exact below 16 ns, then 16 buckets for every
 * doubling, up to 2^40 ns (18 minutes). A quantile is off by at most 1/32 of its value.
 */
#pragma once

#include <stdint.h>

#include "format/histogram_buckets.h"

/* Memory is used only for the buckets from the shortest to the longest duration. A zeroed structure
 * is an empty histogram. */
struct histogram {
    uint64_t total;
    uint32_t *bucket; /* n of them, from the first on */
    uint32_t first, n;
};

/* The duration in ns below which a share q (0..1) of all counts lies; 0 if h is empty. */
double histogram_quantile(const struct histogram *h, double q);
/* The same where the shortest and the longest counted are known in ns: never beyond them. */
double histogram_quantile_within(const struct histogram *h, double q, double shortest,
                                 double longest);
void histogram_add(struct histogram *to, const struct histogram *from);
void histogram_count(struct histogram *h, uint64_t ns);
/* Adds n to a bucket; bucket < HISTOGRAM_BUCKETS. */
void histogram_put(struct histogram *h, unsigned bucket, uint32_t n);
static inline uint32_t histogram_at(const struct histogram *h, unsigned bucket)
{
    return bucket - h->first < h->n ? h->bucket[bucket - h->first] : 0;
}
void histogram_clear(struct histogram *h); /* empties h, keeps its memory */
void histogram_free(struct histogram *h);  /* frees the buckets, not h */
