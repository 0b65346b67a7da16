/*
 * The dispatches of a trace: 12 bytes each. What is the same for every launch of a kernel
 * (registers, memory of a workgroup, agent) is kept once for each combination there is.
 */
#ifndef ROOFTOP_ENGINE_TRACE_DISPATCHES_H
#define ROOFTOP_ENGINE_TRACE_DISPATCHES_H

#include "base/ids.h"
#include "engine/trace.h"

struct trace_dispatches { /* zeroed: none */
    uint32_t *node, *launch, *id;
    uint32_t *id_high; /* NULL: all fit into 32 bits */
    uint32_t n, cap;
    struct trace_dispatch *launches; /* their node and id are 0 */
    uint32_t nlaunches, launches_cap, last;
    struct ids by_hash; /* index of launches */
};

void trace_dispatches_add(struct trace_dispatches *l, const struct trace_dispatch *d);
struct trace_dispatch trace_dispatches_at(const struct trace_dispatches *l, uint32_t i);
void trace_dispatches_sort(struct trace_dispatches *l); /* by node; in the order they came */
void trace_dispatches_free(struct trace_dispatches *l);

#endif
