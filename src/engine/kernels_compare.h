/*
 * Two profiles side by side, this run against that: the mean time of a call of each kernel and
 * copy, and whether it really differs. Calls of one run are not independent; significance is that
 * of engine/stats.h (Welch's t over effective samples in the order of time, false discovery rate
 * over all rows). It tells that these two runs differ, not that any two would.
 */
#ifndef ROOFTOP_ENGINE_KERNELS_COMPARE_H
#define ROOFTOP_ENGINE_KERNELS_COMPARE_H

#include <stdio.h>

#include "engine/analysis.h"
#include "engine/compare.h"

struct kernel_change {
    const char *name; /* of the comparison's rows: label */
    enum node_kind kind;
    uint64_t calls[2], total[2]; /* ns */
};

struct kernels_comparison {
    struct comparison c; /* rows: s a call; tag is the index into changes */
    struct kernel_change *changes;
    uint32_t n;
    struct kernels_total total[2];
};

/* Rows as kernels_make groups them. */
void kernels_compare(struct kernels_comparison *out, const struct analysis *a,
                     const struct analysis *b, enum kernels_group group);
void kernels_comparison_free(struct kernels_comparison *k);

void kernels_compare_csv(FILE *out, const struct kernels_comparison *k);
/* Schema "rooftop.compare-kernels/1"; files: as they were given. */
void kernels_compare_json(FILE *out, const struct kernels_comparison *k, const char *a,
                          const char *b);

#endif
