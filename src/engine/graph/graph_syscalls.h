/* The system calls inside the nodes of a graph, if they were traced (engine/bricks/span_syscalls.h
 * counts them). Only nodes with calls take memory. */
#pragma once

#include "engine/graph/graph.h"

struct call_count {
    uint64_t calls, errors, ns; /* ns: wall time from entry to return */
    uint64_t read, written;     /* bytes of descriptors */
};
struct call_sum {
    struct call_count n;
    uint64_t most_ns;    /* ns of all calls of the name that took the most time */
    const char *most_in; /* that name; NULL: no call took time */
};

/* One system call in one node. own: made while nothing inside the node was open; all: with its
 * contents. */
struct call_part {
    uint32_t node;
    const char *name;
    struct call_count own, all;
};

struct graph_syscalls {
    uint32_t nnodes;         /* of the graph when this was made: later nodes have no calls */
    uint32_t *first;         /* of each node, and one more: index of its first part */
    struct call_part *parts; /* by node; in a node the most time first */
    uint32_t nparts;
    struct call_sum *sums;              /* of nodes with parts, by index of their first part */
    struct call_count total, elsewhere; /* all calls; those of threads that are not in the graph */
    uint64_t outlasting;                /* calls that ended after the span in which they began */
    uint64_t dropped;                   /* calls that were not kept, and so are in no sum */
    uint64_t waiting; /* live: calls in no sum yet, because no span around them has ended */
    uint64_t missed;  /* live: records of spans that were overwritten before they were read */
    bool partial;     /* the trace missed some calls of the nodes: shares of time are unknown */
};

/* Makes the index and the sums of parts, in any order; takes the array. */
struct graph_syscalls *graph_syscalls_new(uint32_t nnodes, struct call_part *parts,
                                          uint32_t nparts);
void graph_syscalls_free(struct graph_syscalls *s); /* NULL allowed */
/* Gives the graph its calls, which it then owns, in place of earlier ones. */
void graph_set_syscalls(struct graph *g, struct graph_syscalls *s);

/* The calls inside a node; zeros if it has none. NULL: the graph has no trace of them. */
const struct call_sum *graph_syscalls_of(const struct graph *g, uint32_t node);
/* The parts of a node, the most time first; returns how many. */
uint32_t graph_syscalls_parts(const struct graph *g, uint32_t node, const struct call_part **out);
void call_count_add(struct call_count *to, const struct call_count *n);
