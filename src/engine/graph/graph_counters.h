/* What hardware and software counters counted in the calls of a graph's nodes, if a program was
 * asked to count (docs/COUNTERS.md). Only nodes with counts take memory. */
#pragma once

#include "engine/graph/graph.h"

enum { GRAPH_COUNTERS_MAX = 16 }; /* different events in one graph */

/* Counts of all calls of a node, including its contents. */
struct graph_counts {
    uint64_t calls;                   /* number of counted calls */
    uint64_t enabled, running;        /* ns for which events were enabled, and on the PMU */
    double value[GRAPH_COUNTERS_MAX]; /* scaled to all of the time; NaN: not counted */
};
struct graph_counter {
    char *name; /* "cycles", "page-faults" */
    char *why;  /* why a program did not count it; "": all could */
};
struct graph_counters {
    struct graph_counter list[GRAPH_COUNTERS_MAX];
    uint32_t n;
    uint32_t *of; /* by node: 1 + index into counts, 0: none */
    uint32_t nodes;
    struct graph_counts *counts;
    uint32_t ncounts, cap;
};

void graph_counters_free(struct graph_counters *c); /* NULL allowed */

/* The number of an event in this graph, which is added if it is new; GRAPH_NONE: no room for it. */
uint32_t graph_counter(struct graph *g, const char *name, const char *why);
/* The counts of a node; the first call makes them, with nothing counted. The pointer is valid until
 * the next call. */
struct graph_counts *graph_add_counts(struct graph *g, uint32_t node);
/* NULL: the node has no counts. */
const struct graph_counts *graph_counts_of(const struct graph *g, uint32_t node);
/* Sets the counts to "nothing counted". */
void graph_counts_clear(struct graph_counts *c);
void graph_counts_add(struct graph_counts *to, const struct graph_counts *more);

/* The share of the time in which the events were on the PMU, 0 to 1; NaN without counts. */
double graph_counts_share(const struct graph_counts *c);
/* The count of an event; NaN if it was not counted. Parts that stand for a missing event, as
 * "flops*4_fp_4flops" (each counts for four), are summed: NaN if one of them was not counted. */
double graph_counted(const struct graph_counters *of, const struct graph_counts *c,
                     const char *name);

/* Whether an event, or parts of it, were requested, counted or not. */
bool graph_counter_asked(const struct graph_counters *of, const char *name);

/* Rates, each made of two counts. */
enum graph_rate {
    GRAPH_IPC,        /* instructions a cycle */
    GRAPH_MISSES,     /* % of the accesses to caches that missed */
    GRAPH_MISPREDICTS /* % of the branches that were mispredicted */
};
/* NaN if a count is missing. */
double graph_rate(const struct graph_counters *of, const struct graph_counts *c,
                  enum graph_rate rate);
/* Whether its events were requested, counted or not. */
bool graph_rate_asked(const struct graph_counters *of, enum graph_rate rate);

/* Writes "cycles=12 instructions=34" into out; events without a count are left out. Returns out. */
const char *graph_counts_text(const struct graph_counters *of, const struct graph_counts *c,
                              char *out, size_t size);
