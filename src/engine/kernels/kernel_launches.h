/*
 * The launches of one row of the table of kernels: how long they took, when they ran, and in which
 * shapes. Computed on demand for the selected row, in one pass over the graph.
 */
#pragma once

#include "engine/kernels/kernels.h"

enum { LAUNCH_LENGTHS = 8, LAUNCH_TIMES = 128, LAUNCH_SHAPES = 8 };

struct launch_shape {
    struct kernel_shape shape; /* only grid and block are set */
    uint64_t calls, total;     /* ns */
};

struct kernel_launches {
    uint64_t timed; /* number of calls with a known time */
    /* A histogram of times: equal steps in ns, or in log(ns) if the longest took at least ten times
     * as long as the shortest. */
    double edge[LAUNCH_LENGTHS + 1]; /* ns */
    uint64_t length[LAUNCH_LENGTHS];
    uint32_t nlengths; /* 1 if all took the same time */
    /* The time from the first to the last work of any device in equal parts: ns of each part. */
    uint64_t begin, end;
    double busy[LAUNCH_TIMES];
    struct launch_shape shapes[LAUNCH_SHAPES]; /* most time first */
    uint32_t nshapes, more;                    /* more: number of shapes that are left out */
};

void kernel_launches_find(struct kernel_launches *out, const struct trace *t,
                          const struct kernels_total *total, const struct kernel_row *row,
                          enum kernels_group group);
