/*
 * Hardware counters of AMD's GPUs: their names, how many of each block can count at the same time,
 * and how a list of them is divided over several runs of a program. For `rooftop gpu profile`.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum gpu_family {                /* bits of a set */
                  GPU_CDNA2 = 1, /* gfx90a */
                  GPU_CDNA3 = 2, /* gfx940, gfx941, gfx942 */
                  GPU_CDNA4 = 4, /* gfx950 */
                  GPU_RDNA3 = 8, /* gfx1100, gfx1101, gfx1102 */
};
enum { GPU_COUNTERS_MAX = 512 };

/* The family of "gfx942" or "gfx942:sramecc+:xnack-"; 0: its counters are not known. */
unsigned gpu_family(const char *arch);
/* All architectures that are known, for messages: "gfx90a, gfx940, …". */
const char *gpu_architectures(void);

/* One block of counters in a row of the table: names separated by spaces. */
struct gpu_counter_row {
    const char *block;
    unsigned families;
    const char *names;
};
extern const struct gpu_counter_row gpu_counter_table[]; /* terminated by block == NULL */

/* The block that has the counter; NULL: the family has no counter of this name. */
const char *gpu_counter_block(const char *name, unsigned family);

/* One run of the program. */
struct counter_pass {
    const char **names; /* in the order of the request, block by block */
    uint32_t n;
};
struct counter_plan {
    struct counter_pass *passes;
    uint32_t npasses;
};

/*
 * Plans the passes for a list like "roofline,SQ_WAVES": names of sets and of counters, each
 * counted once. "none" and "" give no pass. As few passes as possible: the i-th counter of a block
 * goes into pass i / limit, and the fullest block determines their number. Memory is the arena's.
 * 0 or -errno: ERROR_USAGE for a name that the architecture does not have, ERROR_UNSUPPORTED for
 * an unknown architecture.
 */
int gpu_counters_plan(struct counter_plan *out, struct arena *a, const char *list, const char *arch,
                      struct error *err);
/* The same check before the architecture is known: each name must exist on some architecture. */
int gpu_counters_check(const char *list, struct error *err);
