/* Loads that each wait for the one before: the latency of a working set. */
#ifndef ROOFTOP_BACKENDS_ROOFS_CHASE_H
#define ROOFTOP_BACKENDS_ROOFS_CHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/roofs/roof_memory.h"

struct chase {
    void **first;
    char *memory;
    size_t bytes, most; /* of the circle; of its memory */
    bool lent;          /* the memory is the caller's */
    uint64_t random;
};

/*
 * Reserves memory for a circle of at most `most` bytes, which has one cache line so far. Returns 0
 * or -ENOMEM; free it in any case.
 */
int chase_make(struct chase *c, size_t most, enum roof_pages pages, struct roof_place place);
/* The same in memory that is there already, at least a line, which chase_free leaves. */
void chase_lay(struct chase *c, char *memory, size_t most);
/*
 * Makes the circle one through all cache lines of `bytes`, in an order that no prefetcher can
 * guess: each new line comes after a line drawn at random, so that all circles are as likely (the
 * cyclic permutations of Sattolo, "An algorithm to generate a random cyclic permutation", IPL
 * 22(6), 1986; fixed seed). A circle never becomes smaller, and `bytes` is at most `most`.
 */
void chase_grow(struct chase *c, size_t bytes);
/* Goes on for that many iterations of chase_loop. */
void chase_run(struct chase *c, uint64_t iterations);
void chase_free(struct chase *c);

#endif
