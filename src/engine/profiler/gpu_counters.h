/*
 * Hardware counters of AMD's GPUs: which there are, how many of each block can count at a time, and
 * how a list of them is split over runs of a program. For `rooftop profile`.
 */
#ifndef ROOFTOP_ENGINE_PROFILER_GPU_COUNTERS_H
#define ROOFTOP_ENGINE_PROFILER_GPU_COUNTERS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum gpu_family {                /* bits */
                  GPU_CDNA2 = 1, /* gfx90a */
                  GPU_CDNA3 = 2, /* gfx940, gfx941, gfx942 */
                  GPU_CDNA4 = 4, /* gfx950 */
                  GPU_RDNA3 = 8, /* gfx1100, gfx1101, gfx1102 */
};
enum { GPU_COUNTERS_MAX = 512 };

/* Of "gfx942", also of "gfx942:sramecc+:xnack-"; 0: none whose counters are known. */
unsigned gpu_family(const char *arch);
/* All architectures that are known, for messages: "gfx90a, gfx940, …". */
const char *gpu_architectures(void);

/* One block of counters in a row of the table: names separated by spaces. */
struct gpu_counter_row {
    const char *block;
    unsigned families;
    const char *names;
};
extern const struct gpu_counter_row gpu_counter_table[]; /* ends with block NULL */

/* The block that a counter belongs to; NULL: that family has none of this name. */
const char *gpu_counter_block(const char *name, unsigned family);
/* How many counters of a block count at a time; 0: no such block. */
unsigned gpu_block_limit(const char *block);

/* One run of the program. */
struct counter_pass {
    const char **names; /* in the order they were asked for, block by block */
    uint32_t n;
};
struct counter_plan {
    struct counter_pass *passes;
    uint32_t npasses;
};

/*
 * What "roofline,SQ_WAVES" means on that architecture, in as few passes as can be: names of sets
 * and of counters, each once. "none" and "" give no pass. A counter is of one block, so that the
 * pass of the i-th one of a block is i / limit, and the number of passes the largest of n / limit
 * over the blocks, rounded up: fewer cannot hold that block. Memory is the arena's. ERROR_USAGE: a
 * name that the architecture does not have; ERROR_UNSUPPORTED: an architecture that is not known.
 */
int gpu_counters_plan(struct counter_plan *out, struct arena *a, const char *list, const char *arch,
                      struct error *err);
/* The same check before the architecture is known: each name exists on some. */
int gpu_counters_check(const char *list, struct error *err);

#endif
