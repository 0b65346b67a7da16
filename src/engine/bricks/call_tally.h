/*
 * Counts of system calls by node, from which the calls of a graph are made. A node is any number
 * that can be mapped to the graph's later, so counts outlive graphs that are made anew.
 */
#pragma once

#include "base/ids.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/syscalls/event.h"

/* One call in one node, without what is inside the node. */
struct tally_part {
    uint32_t node, number;
    uint8_t abi;
    struct call_count n;
};
struct call_tally { /* zeroed: empty */
    struct tally_part *list;
    uint32_t n, cap;
    struct ids index;
    struct call_count total, elsewhere;
    uint64_t outlasting;
};

/*
 * Adds a call that began in a span which ends at end_ns (inner; GRAPH_NONE: there is none), in a
 * thread with this node (outer): what is after the end is the thread's.
 */
void call_tally_event(struct call_tally *t, const struct syscall_event *e, uint32_t inner,
                      uint64_t end_ns, uint32_t outer);
/* The calls of each node of g, with what is inside it. place gives the node of g for one of the
 * tally; GRAPH_NONE: elsewhere. */
struct graph_syscalls *call_tally_sums(const struct call_tally *t, const struct graph *g,
                                       uint32_t (*place)(const void *ctx, uint32_t node),
                                       const void *ctx);
void call_tally_free(struct call_tally *t); /* empties it */
