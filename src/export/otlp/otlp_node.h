/* The attributes of a node, for all spans of graphs. */
#pragma once

#include "engine/graph/graph.h"
#include "export/otlp/otlp_span.h"

/* Texts for one span's attributes, which borrow them. */
struct otlp_node_texts {
    char grid[64], block[64];
};

/* Adds the attributes that describe the node. */
void otlp_node_describe(const struct graph *g, uint32_t n, struct otlp_attrs *a,
                        struct otlp_node_texts *x);
/* Adds the thread or queue in which it ran; GRAPH_NONE adds nothing. */
void otlp_node_lane(const struct graph *g, uint32_t lane, struct otlp_attrs *a);
/* A text of the graph; NULL for GRAPH_NONE. */
const char *otlp_name(const struct graph *g, uint32_t name);
