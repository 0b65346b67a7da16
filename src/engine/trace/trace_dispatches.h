/*
 * The dispatches of a trace: 2 to 12 bytes each. What is the same for every launch of a kernel
 * (registers, memory of a workgroup, agent) is kept once for each combination there is; nodes and
 * the profiler's numbers mostly count up, and then only where they do not is kept.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_DISPATCHES_H
#define ROOFTOP_ENGINE_TRACE_TRACE_DISPATCHES_H

#include "base/ids.h"
#include "engine/trace/trace.h"

/* Numbers of which most are the one before and 1. */
struct trace_run {
    uint32_t from, value;
};
struct trace_series {
    struct trace_run *runs;
    uint32_t nruns, runs_cap;
    uint32_t *plain; /* each of them, where that takes less; NULL: runs */
    uint32_t plain_cap;
};

struct trace_dispatches { /* zeroed: none */
    struct trace_series node, id;
    uint16_t *launch;      /* index of launches, its lower half */
    uint16_t *launch_high; /* NULL: all fit */
    uint32_t *id_high;     /* NULL: all fit into 32 bits */
    uint32_t n, cap;
    struct trace_dispatch *launches; /* their node and id are 0 */
    uint32_t nlaunches, launches_cap, last;
    struct ids by_hash; /* index of launches */
};

/* The index of what d has in common with others: launches. */
uint32_t trace_dispatches_launch(struct trace_dispatches *l, const struct trace_dispatch *d);
void trace_dispatches_add(struct trace_dispatches *l, uint32_t node, uint64_t id, uint32_t launch);
static inline uint32_t trace_dispatches_launch_of(const struct trace_dispatches *l, uint32_t i)
{
    return l->launch[i] | (l->launch_high ? (uint32_t)l->launch_high[i] << 16 : 0);
}
uint32_t trace_dispatches_node(const struct trace_dispatches *l, uint32_t i);
struct trace_dispatch trace_dispatches_at(const struct trace_dispatches *l, uint32_t i);
void trace_dispatches_sort(struct trace_dispatches *l); /* by node; in the order they came */
void trace_dispatches_free(struct trace_dispatches *l);

#endif
