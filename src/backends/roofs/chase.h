/* Loads that each wait for the one before: the latency of a working set. */
#ifndef ROOFTOP_BACKENDS_ROOFS_CHASE_H
#define ROOFTOP_BACKENDS_ROOFS_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "backends/roofs/roof_memory.h"

struct chase {
    void **first;
    char *memory;
    size_t bytes;
};

/*
 * Makes one circle through all cache lines of `bytes`, in an order that no prefetcher can guess
 * (Sattolo, "An algorithm to generate a random cyclic permutation", IPL 22(6), 1986; fixed seed).
 * Returns 0 or -ENOMEM; free it in any case.
 */
int chase_make(struct chase *c, size_t bytes, enum roof_pages pages, struct roof_place place);
/* Goes on for that many iterations of chase_loop. */
void chase_run(struct chase *c, uint64_t iterations);
void chase_free(struct chase *c);

#endif
