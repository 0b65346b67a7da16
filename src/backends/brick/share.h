/*
 * How much of the time several threads of instrumented programs worked in parallel
 * (roofline_share.h).
 */
#ifndef ROOFTOP_BACKENDS_BRICK_SHARE_H
#define ROOFTOP_BACKENDS_BRICK_SHARE_H

#include "backends/brick/reader.h"
#include "engine/graph/graph.h"

struct brick_share_of {
    const struct brick_reader *reader;
    uint32_t program; /* its node, from brick_graph_sums */
};
enum { BRICK_SHARE_LIVE = 1 << 15 }; /* spans that are used live: some milliseconds */
/* Uses the newest spans, at most `most`. */
void brick_share(struct graph *sums, const struct brick_share_of *of, size_t n, size_t most);

#endif
