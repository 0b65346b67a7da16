/* Sums of calls: every place of the tree once, with all its calls. */
#ifndef ROOFTOP_ENGINE_GRAPH_SUM_H
#define ROOFTOP_ENGINE_GRAPH_SUM_H

#include "engine/graph.h"

/*
 * Adds the places of the calls of [from, to) to sums. Calls of one name and kind at one place are
 * one, kernels of one launch shape. What a device ran stands below the call that launched it, where
 * that is known, else in its queue; a queue's and a thread's time is that of all its spans, a
 * program's that of its threads and queues. place: to - from numbers, filled with each call's place
 * in sums; NULL: not wanted.
 */
void graph_sum(struct graph *sums, const struct graph *calls, uint32_t from, uint32_t to,
               uint32_t *place);

#endif
