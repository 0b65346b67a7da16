/*
 * Finds which calls of several ranks are the same collective: by the number that the file says, or
 * else by the place among the calls of a rank and a group. Then adds them to the graph
 * (engine/graph/rank_edges.h), so that the critical path leads from rank to rank.
 */
#pragma once

#include "engine/trace/trace.h"

/* A call of a collective in one rank. A job may have 10^8: 48 bytes each. */
struct collective_call {
    uint64_t sequence;     /* of the group, or the number of the call in its rank and group */
    uint64_t duration;     /* ns */
    uint64_t bytes;        /* 0 unknown */
    uint32_t group;        /* the caller's number of an operation in a group of ranks */
    uint32_t rank;         /* the caller's number of the rank */
    uint32_t order;        /* among all calls, by rank and time; set by collective_calls_number */
    float late;            /* ns by which it came after the mean of the others; NaN: not matched */
    uint32_t again : 31;   /* of several calls with this sequence in the rank: 0, 1, ... */
    uint32_t numbered : 1; /* the file says the sequence */
    uint32_t node;         /* of the graph of calls; unused where the trace is freed */
};

/* Sorts calls by group, rank and number. Those of a rank must be in order of time. Calls without a
 * number get that of their place among those of the rank and group: counted from the last one if
 * from_end, because profiles of one run may begin at different times. */
void collective_calls_number(struct collective_call *calls, size_t n, bool from_end);
/* Sorts numbered calls so that those of one collective stand together, by rank. */
void collective_calls_join(struct collective_call *calls, size_t n);
/* The end of the collective that begins at calls[i]. */
size_t collective_calls_end(const struct collective_call *calls, size_t n, size_t i);

/* Connects the members of the collectives of all ranks of a trace with one clock: kernels whose
 * operation waits for all, and calls of the host whose number the file says. Times are not looked
 * at here: the path leaves out members that did not run at one moment. */
void trace_meet(struct trace *t);
