/* Nodes of a graph in the order of time. Files hold them nearly so: what is in order costs a look.
 */
#ifndef ROOFTOP_ENGINE_GRAPH_GRAPH_ORDER_H
#define ROOFTOP_ENGINE_GRAPH_GRAPH_ORDER_H

#include "engine/graph/graph.h"

/* Those of [from, to) that are wanted, by parent (below `to`, none comes last), then index; their
 * number in *n. Free it. */
uint32_t *graph_by_parent(const struct graph *g, uint32_t from, uint32_t to,
                          bool (*wanted)(const struct graph *g, uint32_t v), uint32_t *n);
/* Sorts n of them by start, or by end; then index. Times are known. Merges what is in order.
 * Asks the thread's watch: given up, they are all there in any order. */
void graph_by_time(const struct graph *g, uint32_t *list, uint32_t n, bool ends);

#endif
