/*
 * The dispatches of a trace, in 2 to 12 bytes each. What all launches of a kernel share (registers,
 * memory of a workgroup, agent) is stored once for each combination. Nodes and the profiler's
 * numbers mostly count up by one, so only the breaks in such runs are stored.
 */
#pragma once

#include "base/hash_table.h"
#include "engine/trace/trace.h"

/* A series of numbers of which most are one more than the number before. */
struct trace_run {
    uint32_t from, value;
};
struct trace_series {
    struct trace_run *runs;
    uint32_t nruns, runs_cap;
    uint32_t *plain; /* all the numbers, if that takes less memory; NULL: runs are used */
    uint32_t plain_cap;
};

struct trace_dispatches { /* zeroed: empty */
    struct trace_series node, id;
    uint16_t *launch;      /* index into launches, lower half */
    uint16_t *launch_high; /* upper half; NULL if all are 0 */
    uint32_t *id_high;     /* upper half of ids; NULL if all are 0 */
    uint32_t n, cap;
    struct trace_dispatch *launches; /* their node and id are 0 */
    uint32_t nlaunches, launches_cap, last;
    struct hash_table by_content; /* launches */
};

/* The index into launches of the values that d shares with others; adds them if new. */
uint32_t trace_dispatches_launch(struct trace_dispatches *l, const struct trace_dispatch *d);
void trace_dispatches_add(struct trace_dispatches *l, uint32_t node, uint64_t id, uint32_t launch);
static inline uint32_t trace_dispatches_launch_of(const struct trace_dispatches *l, uint32_t i)
{
    return l->launch[i] | (l->launch_high ? (uint32_t)l->launch_high[i] << 16 : 0);
}
uint32_t trace_dispatches_node(const struct trace_dispatches *l, uint32_t i);
struct trace_dispatch trace_dispatches_at(const struct trace_dispatches *l, uint32_t i);
void trace_dispatches_sort(struct trace_dispatches *l); /* by node; equal ones stay in order */
void trace_dispatches_free(struct trace_dispatches *l);
