/*
 * A host that launches kernels into queues and waits for them, made up at random, played by rules
 * that a reader checks at a glance: what a critical path must be, whatever was made faster.
 */
#ifndef ROOFTOP_TESTS_SUPPORT_PLAYED_H
#define ROOFTOP_TESTS_SUPPORT_PLAYED_H

#include <stdbool.h>

#include "engine/graph/graph.h"

enum { PLAYED_CALLS = 12, PLAYED_QUEUES = 3 };
struct played {
    uint32_t n; /* calls; each launches a kernel, or waits for all so far */
    bool sync[PLAYED_CALLS];
    uint32_t queue[PLAYED_CALLS],
        wait[PLAYED_CALLS];        /* the kernel waits for that one; PLAYED_CALLS none */
    uint64_t inside[PLAYED_CALLS]; /* of latency, while the call still ran */
    uint64_t pause[PLAYED_CALLS], takes[PLAYED_CALLS], latency[PLAYED_CALLS],
        kernel[PLAYED_CALLS]; /* what each takes */
    uint64_t start[PLAYED_CALLS], end[PLAYED_CALLS], kernel_start[PLAYED_CALLS],
        kernel_end[PLAYED_CALLS];
};

struct played_speeds {
    uint64_t kernel, launch, wait;
};

void played_make(struct played *r, uint32_t number);
/* Fills in the times, everything by its divisor faster; when all has ended. Kernels begin a latency
 * after the last of their launch, their queue and what they wait for. */
uint64_t played_again(struct played *r, struct played_speeds by);
/* With the times of the last time: a function "main", whose own time the pauses are, in it "launch"
 * and "wait"; kernels "kernel". */
struct graph *played_graph(const struct played *r);

#endif
