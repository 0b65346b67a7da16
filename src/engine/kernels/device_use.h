/*
 * The use of each device by each rank (or program). The union over all devices would hide a device
 * that waits. Times are ns and come from the spans alone, so a sum over the file gives the same.
 */
#pragma once

#include "engine/kernels/arrivals.h"
#include "engine/trace/trace.h"

struct device_use {
    char rank[96];        /* "rank 3", the program's name; "" where there is but one */
    char device[96];      /* "GPU 0"; "" all devices of the rank */
    uint32_t agent;       /* index into trace.agents; TRACE_UNKNOWN */
    uint32_t rank_number; /* of the job; TRACE_UNKNOWN */
    uint64_t wall;        /* the time considered: equal for all rows, except with ranges of ranks */
    uint64_t busy;        /* any work: wall = busy + outside + idle */
    uint64_t kernels;     /* any kernel; busy - kernels: nothing but copies */
    uint64_t compute;     /* any kernel that does not communicate */
    uint64_t communication; /* any that does */
    uint64_t both;          /* at once: kernels = compute + communication - both */
    uint64_t copying;       /* any copy */
    uint64_t outside;       /* only work outside the considered part */
    uint64_t idle;          /* = late + launching + waiting + unknown + drained */
    uint64_t late;          /* until the call that launched the next work began */
    uint64_t launching;     /* from then on, as long as a launch takes */
    uint64_t waiting;       /* after that: for other work, or for something unknown */
    uint64_t unknown;       /* before work of which no launch is known */
    uint64_t drained;       /* after the last */
    uint64_t nkernels, ncopies, ncommunications;
    uint64_t nunsized; /* copies whose bytes are not recorded */
    uint64_t bytes[3]; /* copied: to the device, from it, on it and between devices */
    uint64_t memory;   /* what it has, bytes; 0 unknown */
    /* The most bytes that the program's allocator had handed out and had reserved on it.
     * GRAPH_UNKNOWN: unknown, or a row of several devices, or only a part of the profile. */
    uint64_t allocated, reserved;
};

struct device_uses {
    struct device_use
        *rows;  /* by rank, then device; a rank of several devices is a row of its own */
    uint32_t n; /*  before them, with device "" */
    uint32_t nranks, ndevices;
    /* Ranks by compute: the first that computes longest; TRACE_UNKNOWN where there are fewer than
     * two ranks that computed. */
    uint32_t slowest; /* index into rows */
    uint32_t idlest;  /* the device that is idle the longest; TRACE_UNKNOWN: fewer than two */
    bool waited_for;  /* it communicates least of all, so the others wait for it there */
    double imbalance; /* of compute of ranks: longest / mean - 1; NaN */
    double spread;    /* of idle time of devices: (most - least) / wall; NaN */
    struct arrivals arrivals; /* at collectives, by row; those of a rank are its devices' */
};

void device_uses_find(struct device_uses *out, const struct trace *t);
void device_uses_free(struct device_uses *u);
