/* Makes a graph of sums from a graph of calls: each place of the tree is one node. */
#pragma once

#include "engine/graph/graph.h"

struct graph_summing;

/*
 * Adds the places of calls[from..to) to sums. Calls with the same parent place, name and kind share
 * a place; kernels must also have the same launch shape. Device work goes below the call that
 * launched it if that is known, otherwise below its queue. The time of a queue or thread is the sum
 * of its spans, the time of a program the sum of its threads and queues. place: an array of to -
 * from numbers that receives each call's node in sums; NULL if not needed.
 */
void graph_sum(struct graph *sums, const struct graph *calls, uint32_t from, uint32_t to,
               uint32_t *place);
/* The same in two steps. The first reads the edges of calls. While the second runs on another
 * thread, edges may be added to calls, but nothing else. The second step frees s. */
struct graph_summing *graph_sum_begin(struct graph *sums, const struct graph *calls, uint32_t from,
                                      uint32_t to, uint32_t *place);
void graph_sum_run(struct graph_summing *s);
