/* The levels of memory of this host: what /sys says of the first CPU's caches, and DRAM. */
#ifndef ROOFTOP_BACKENDS_ROOFS_LEVELS_H
#define ROOFTOP_BACKENDS_ROOFS_LEVELS_H

#include <stddef.h>
#include <stdint.h>

struct memory_level {
    char name[8];     /* "L1", "L2", "L3", "DRAM" */
    size_t bytes;     /* of a cache; of DRAM: what is gone through so that no cache has it */
    uint32_t sharing; /* CPUs that share it; DRAM: all */
    size_t each;      /* DRAM: four times a CPU's part of its last cache; a cache: 0 */
    size_t most;      /* DRAM: bytes of all threads at most; a cache: 0 */
};
enum { LEVELS_MAX = 5, LATENCY_LEAST = 4096 };
struct memory_levels {
    struct memory_level level[LEVELS_MAX]; /* nearest first, DRAM last */
    size_t n;
};

/* Without /sys there are an L1 of 32 KiB and DRAM. */
void levels_read(struct memory_levels *out);
/*
 * Bytes for each of that many threads which all stay in this level: half of a cache, divided by
 * those that share it. Of DRAM: four times the last cache in all, or of all last caches where the
 * CPUs have several; at most an eighth of the memory that is free.
 */
size_t level_share(const struct memory_level *l, uint32_t threads);
/* The largest size whose latency is worth to be known: that of DRAM's level. */
size_t levels_latency_most(const struct memory_levels *l);

#endif
