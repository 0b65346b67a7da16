/*
 * Graphs of instrumented programs: of sums (each place of the tree once, with all its calls) and of
 * calls (each span that is still known).
 */
#ifndef ROOFTOP_BACKENDS_BRICK_GRAPHS_H
#define ROOFTOP_BACKENDS_BRICK_GRAPHS_H

#include "backends/brick/reader.h"
#include "engine/graph/graph.h"

/*
 * Adds one program: a node for it, then one for each node of the reader, in the same order. Returns
 * the index of the program's node.
 */
uint32_t brick_graph_sums(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid);

/* Where a node in a graph of calls comes from. */
struct brick_origin {
    uint32_t node;   /* node of the reader; BRICK_NONE: it is a program or thread */
    uint32_t thread; /* index of the region */
};
struct brick_calls {
    struct graph *graph; /* program -> threads -> spans; not finished */
    struct brick_origin *origins;
    uint32_t norigins, cap;
};
/*
 * Adds the spans inside from..to (ns of CLOCK_MONOTONIC), at most the newest at_most. Free c with
 * brick_calls_free.
 */
void brick_graph_calls(struct brick_calls *c, const struct brick_reader *r, const char *name,
                       int64_t pid, uint64_t from, uint64_t to, size_t at_most);
void brick_calls_free(struct brick_calls *c);
/*
 * Adds the program, its threads, and the *n events, which are spans, each below its thread and in
 * this order. Returns the first span's node, and in *n how many found room.
 */
uint32_t brick_graph_flat(struct graph *g, const struct brick_reader *r, const char *name,
                          int64_t pid, const struct brick_event *const *events, uint32_t *n);

#endif
