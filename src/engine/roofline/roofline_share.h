/*
 * Finds the time in which at least one of several threads ran a name, from the spans that are still
 * known. Dividing by the sum of the threads' times would count time twice; dividing by the busiest
 * thread's time would treat threads that take turns as parallel.
 */
#pragma once

#include "engine/graph/graph.h"

struct roofline_span {
    uint32_t node; /* in sums */
    uint64_t start, end, bytes, flops;
};

/* A flag for each node of sums: several threads ran its name, and its work is known. NULL if this
 * holds for no node. The caller frees it. */
bool *roofline_shared(const struct graph *sums);
/* Adds the spans to any, any_total, any_bytes and any_flops of the shared nodes (graph.h); sorts
 * the spans. They must include all spans of all threads for their time. A name under one backend
 * counts as one thing wherever it is in the tree; each place gets its part of the time. */
void roofline_share(struct graph *sums, struct roofline_span *spans, size_t n);
