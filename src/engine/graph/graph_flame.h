/*
 * The widths of a flame graph of the tree: a node is as wide as its own time and its children
 * together. So each recorded ns is drawn once, also that of work which a call only started and
 * which lasts longer than the call; programs, threads and queues have no time of their own.
 */
#pragma once

#include "engine/graph/graph.h"

/* Sets width[0..n-1], in ns, from the first n nodes of a finished graph. */
void graph_flame(const struct graph *g, uint64_t *width, uint32_t n);
