/* Sorts nodes by time. Files hold them nearly sorted, so sorted stretches cost only one pass. */
#pragma once

#include "engine/graph/graph.h"

/* The nodes of [from, to) that `wanted` accepts, by parent (which is below `to`; nodes without a
 * parent come last), then by index. *n is their number. The caller frees the list. */
uint32_t *graph_by_parent(const struct graph *g, uint32_t from, uint32_t to,
                          bool (*wanted)(const struct graph *g, uint32_t v), uint32_t *n);
/* Sorts list[0..n) by start, or by end, then by index. All times must be known. Merges sorted runs.
 * If the thread's watch says stop, the list still has all nodes, in any order. */
void graph_by_time(const struct graph *g, uint32_t *list, uint32_t n, bool ends);
