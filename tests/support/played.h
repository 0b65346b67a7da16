/*
 * A random program that launches kernels into queues and waits for them, simulated with simple
 * rules. The simulation says how the program's time changes with any speed; a critical path must
 * agree.
 */
#pragma once

#include <stdbool.h>

#include "engine/graph/graph.h"

/* The latency is ns; all times are. */
enum { PLAYED_CALLS = 12, PLAYED_QUEUES = 3, PLAYED_LATENCY = 12000 };
struct played {
    uint32_t n; /* number of calls; each launches a kernel, or waits for all kernels so far */
    bool sync[PLAYED_CALLS];
    uint32_t queue[PLAYED_CALLS],
        wait[PLAYED_CALLS]; /* the call whose kernel this one waits for; PLAYED_CALLS = none */
    uint64_t pause[PLAYED_CALLS], takes[PLAYED_CALLS],
        asks[PLAYED_CALLS],   /* of a call that waits, before it does */
        kernel[PLAYED_CALLS], /* duration of each kernel */
        late[PLAYED_CALLS];   /* by how much it begins later than it could */
    uint64_t start[PLAYED_CALLS], end[PLAYED_CALLS], kernel_start[PLAYED_CALLS],
        kernel_end[PLAYED_CALLS];
};

struct played_speeds {
    uint64_t kernel, launch, wait;
};

void played_make(struct played *r, uint32_t number);
/* Simulates the program with everything `by` times faster; returns when all has ended. A kernel
 * begins PLAYED_LATENCY after its launch began (less what the call is faster), after its queue's
 * previous kernel and after what it waits for, whichever is the last. */
uint64_t played_again(struct played *r, struct played_speeds by);
/* A graph with the times of the last simulation: a function "main", whose own time is the pauses,
 * with "launch" and "wait" in it, and kernels "kernel". */
struct graph *played_graph(const struct played *r);
