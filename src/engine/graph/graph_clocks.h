/*
 * Lamport clocks of the calls of a graph (engine/causes): if one moment happened before another
 * one, its clock is smaller. Clocks of calls from several files cannot be compared.
 */
#pragma once

#include "engine/graph/graph.h"

struct graph_clock {
    uint64_t entry, returned; /* from 1 on; 0: the node has none */
};

struct graph_clocks {
    struct graph_clock *list; /* by node */
    uint32_t n, cap;
};

void graph_set_clock(struct graph *g, uint32_t node, struct graph_clock clock);
/* Zeros where the node has none. */
struct graph_clock graph_clock_of(const struct graph *g, uint32_t node);
void graph_clocks_free(struct graph_clocks *c); /* NULL allowed */
