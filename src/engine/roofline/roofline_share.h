/*
 * In how much time several threads did what: the time in which any of them ran it, from the spans
 * that are still known. The work of all over the time of each would count time twice; over the
 * busiest thread's, threads that take their turns would seem to run at once.
 */
#ifndef ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_SHARE_H
#define ROOFTOP_ENGINE_ROOFLINE_ROOFLINE_SHARE_H

#include "engine/graph/graph.h"

struct roofline_span {
    uint32_t node; /* of sums */
    uint64_t start, end, bytes, flops;
};

/* The nodes for which it matters, by index: their name was run by several threads and tells its
 * work. NULL: none. The caller frees. */
bool *roofline_shared(const struct graph *sums);
/* Adds to any, any_total, any_bytes and any_flops of all shared nodes' work (graph.h) what the
 * spans tell; it sorts them. All spans of all threads of one time must be there. A name under one
 * backend is one thing, wherever it stands in the tree: each place has its part of the time. */
void roofline_share(struct graph *sums, struct roofline_span *spans, size_t n);

#endif
