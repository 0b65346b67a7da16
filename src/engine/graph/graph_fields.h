/* The fields of a node of a graph: columns of the tree, its orders, filters, CSV and JSON. */
#pragma once

#include "engine/graph/graph.h"
#include "engine/value/list_field.h"

struct graph_item {
    const struct graph *g;
    uint32_t node;
    uint32_t root;  /* the node whose children count as roots; GRAPH_NONE: the graph's roots */
    unsigned depth; /* below root */
    uint64_t total; /* ns of all programs, for the share */
    const bool *critical;  /* for each node: whether it is on the critical path; NULL: unknown */
    const uint64_t *slack; /* for each node, ns; NULL: unknown */
};
extern const struct list_field graph_fields[]; /* rows: struct graph_item */
enum graph_field {
#define LIST_FILE   "engine/graph/graph_fields.def"
#define LIST_ID(id) GRAPH_FIELD_##id
#include "engine/value/list_field_ids.h"
};
/* JSON members before the first limit are of all nodes, those before the second of nodes with sums;
 * the last two columns of CSV are of graphs with a path. */
enum { GRAPH_OF_ALL = 19, GRAPH_OF_SUMS = 39, GRAPH_CSV_OF_PATH = 2 };

/* Time of the node in percent of the time of all programs; 0 if it is not known. */
double graph_share(const struct graph_item *r);
