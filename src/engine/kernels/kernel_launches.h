/*
 * The launches of one row of the table of kernels: how long they took, when they ran, and in which
 * shapes. Computed on demand for the selected row, in one pass over the graph.
 */
#pragma once

#include "engine/kernels/kernels.h"

enum { LAUNCH_LENGTHS = 8, LAUNCH_TIMES = 128, LAUNCH_SHAPES = 8 };

struct launch_shape {
    struct kernel_shape shape; /* grid and block alone */
    uint64_t calls, total;     /* ns */
};

struct kernel_launches {
    uint64_t timed; /* those whose time is known */
    /* By length: equal steps in ns, or in log(ns) if the longest took at least ten times as long
     * as the shortest. */
    double edge[LAUNCH_LENGTHS + 1]; /* ns */
    uint64_t length[LAUNCH_LENGTHS];
    uint32_t nlengths; /* 1 if all took the same time */
    /* Over the time from the first work of any device to the last: ns of it in each part. */
    uint64_t begin, end;
    double busy[LAUNCH_TIMES];
    struct launch_shape shapes[LAUNCH_SHAPES]; /* most time first */
    uint32_t nshapes, more;                    /* number of shapes left out */
};

void kernel_launches_find(struct kernel_launches *out, const struct trace *t,
                          const struct kernels_total *total, const struct kernel_row *row,
                          enum kernels_group group);
