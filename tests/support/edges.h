/* Edges of a graph by kind. */
#ifndef ROOFTOP_TESTS_SUPPORT_EDGES_H
#define ROOFTOP_TESTS_SUPPORT_EDGES_H

#include "engine/graph/graph.h"

static inline uint32_t edges_of(const struct graph *g, enum edge_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nedges; i++)
        n += g->edge_kind[i] == kind;
    return n;
}

#endif
