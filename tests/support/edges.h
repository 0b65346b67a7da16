/* Edges of a graph by kind. */
#pragma once

#include "engine/graph/graph.h"

static inline uint32_t edges_of(const struct graph *g, enum edge_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nedges; i++)
        n += g->edge_kind[i] == kind;
    return n;
}
