/* Counters of one pass to the dispatches of the base profile. */
#ifndef ROOFTOP_BACKENDS_RUN_FOLDER_ATTACH_H
#define ROOFTOP_BACKENDS_RUN_FOLDER_ATTACH_H

#include "engine/trace/trace.h"

/*
 * A program that is run again dispatches the same kernels in the same order in each of its queues,
 * but not at the same times, and in no order between queues. So the n-th dispatch of a kernel in a
 * queue is the n-th one there in the other run, by the profiler's numbers, where both ran it
 * equally often with the same shapes. Where they did not, none of that kernel's counters are taken.
 * Queues of one run that are not in the other (their numbers are the runtime's): then the n-th on
 * the GPU.
 */
struct attach_result {
    uint32_t joined;  /* dispatches of the base profile with counters now */
    uint32_t kernels; /* whose dispatches were not joined: by name and lane */
    uint32_t in_base; /* dispatches of the first of those, in the base profile and in the pass */
    uint32_t in_pass;
    uint32_t name; /* of the first, of base->calls; GRAPH_NONE none */
};

/* Dispatches of base with nodes in [from, to). taken: names of counters that earlier passes gave,
 * by name of base->calls, n of them; a pass does not give those again. */
void attach_counters(struct trace *base, uint32_t from, uint32_t to, const struct trace *pass,
                     const uint32_t *taken, uint32_t ntaken, struct attach_result *out);

#endif
