/*
 * The buckets of histograms of durations. 592 buckets: exact below 16 ns, then 16 for each doubling
 * up to 2^40 ns.
 */
#pragma once

#include <stdint.h>

enum { HISTOGRAM_BITS = 4, HISTOGRAM_MAX_BITS = 40 };
enum { HISTOGRAM_BUCKETS = (HISTOGRAM_MAX_BITS - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS };

static inline unsigned histogram_bucket(uint64_t ns)
{
    if (ns < (1u << HISTOGRAM_BITS))
        return (unsigned)ns;
    unsigned shift = (unsigned)(63 - __builtin_clzll(ns)) - HISTOGRAM_BITS;
    unsigned i = (unsigned)((shift << HISTOGRAM_BITS) + (ns >> shift));
    return i < HISTOGRAM_BUCKETS ? i : HISTOGRAM_BUCKETS - 1;
}
/* Bucket i holds durations from low to just below low + width. */
static inline uint64_t histogram_low(unsigned i)
{
    unsigned shift = i >> HISTOGRAM_BITS;
    if (shift <= 1)
        return i;
    return (uint64_t)((1u << HISTOGRAM_BITS) + (i & ((1u << HISTOGRAM_BITS) - 1))) << (shift - 1);
}
static inline uint64_t histogram_width(unsigned i)
{
    unsigned shift = i >> HISTOGRAM_BITS;
    return shift <= 1 ? 1 : 1ull << (shift - 1);
}
