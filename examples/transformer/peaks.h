/* What a backend can do on this machine at most: measured, with all threads of the pool. */
#ifndef TRANSFORMER_PEAKS_H
#define TRANSFORMER_PEAKS_H

#include "kernels.h"
#include "pool.h"

struct peaks {
    double flops; /* FLOP/s: multiply-adds on registers */
    double bytes; /* bytes/s: reading memory once, far beyond the caches */
    double flops_spread,
        bytes_spread; /* how much longer the third best measurement took: 0.02 = 2 % */
};
struct peaks peaks_measure(const struct kernels *k, struct pool *p);

#endif
