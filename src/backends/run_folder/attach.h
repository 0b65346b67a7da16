/* Adds the counters of one pass to the dispatches of the base profile. */
#pragma once

#include "engine/trace/trace.h"

/* A program that runs again dispatches the same kernels in the same order in each of its queues,
 * but at other times, and in any order between queues. So the n-th dispatch of a kernel in a queue,
 * by the profiler's numbers, is the n-th in the other run, if both runs launched it equally often
 * with the same shapes. Otherwise none of that kernel's counters are used. Queues may have other
 * numbers in the other run, because the runtime assigns them; then the n-th dispatch on the GPU is
 * used. */
struct attach_result {
    uint32_t joined;  /* dispatches of the base profile that have counters now */
    uint32_t kernels; /* kernels, by name and lane, whose dispatches were not joined */
    uint32_t in_base; /* dispatches of the first such kernel, in the base profile and in the pass */
    uint32_t in_pass;
    uint32_t name; /* its name, in base->calls; GRAPH_NONE: none */
};

/* Joins dispatches of base with nodes in [from, to). taken: the ntaken names of counters (in
 * base->calls) that earlier passes have given; a pass does not give them again. */
void attach_counters(struct trace *base, uint32_t from, uint32_t to, const struct trace *pass,
                     const uint32_t *taken, uint32_t ntaken, struct attach_result *out);
