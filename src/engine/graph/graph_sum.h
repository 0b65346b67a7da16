/* Sums of calls: every place of the tree once, with all its calls. */
#ifndef ROOFTOP_ENGINE_GRAPH_GRAPH_SUM_H
#define ROOFTOP_ENGINE_GRAPH_GRAPH_SUM_H

#include "engine/graph/graph.h"

struct graph_summing;

/*
 * Adds the places of the calls of [from, to) to sums. Calls of one name and kind at one place are
 * one, kernels of one launch shape. What a device ran stands below the call that launched it, where
 * that is known, else in its queue; a queue's and a thread's time is that of all its spans, a
 * program's that of its threads and queues. place: to - from numbers, filled with each call's place
 * in sums; NULL: not wanted.
 */
void graph_sum(struct graph *sums, const struct graph *calls, uint32_t from, uint32_t to,
               uint32_t *place);
/* The same in two steps: the first looks at the edges there are; while the second runs on another
 * thread, edges may be added to calls, nothing else. The second frees what the first made. */
struct graph_summing *graph_sum_begin(struct graph *sums, const struct graph *calls, uint32_t from,
                                      uint32_t to, uint32_t *place);
void graph_sum_run(struct graph_summing *s);

#endif
