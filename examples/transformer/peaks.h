/* What a backend can do on this machine at most: measured, with all threads of the pool. */
#ifndef TRANSFORMER_PEAKS_H
#define TRANSFORMER_PEAKS_H

#include "kernels.h"
#include "pool.h"

struct peaks {
    double flops; /* FLOP/s: multiply-adds on registers */
    double bytes; /* bytes/s: reading memory once, far beyond the caches */
};
struct peaks peaks_measure(const struct kernels *k, struct pool *p);

#endif
