/* In how much time several threads of instrumented programs did their work (roofline_share.h). */
#ifndef ROOFTOP_BACKENDS_BRICK_SHARE_H
#define ROOFTOP_BACKENDS_BRICK_SHARE_H

#include "backends/brick/reader.h"
#include "engine/graph/graph.h"

struct brick_share_of {
    const struct brick_reader *reader;
    uint32_t program; /* its node: what brick_graph_sums returned */
};
enum { BRICK_SHARE_LIVE = 1 << 15 }; /* spans at a moment: some milliseconds */
/* From the newest spans, at most of them. */
void brick_share(struct graph *sums, const struct brick_share_of *of, size_t n, size_t most);

#endif
