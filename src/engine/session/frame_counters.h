/* What counters counted in bricks, as rows of a snapshot: the events, and the counts of each node
 * that has some. */
#ifndef ROOFTOP_ENGINE_SESSION_FRAME_COUNTERS_H
#define ROOFTOP_ENGINE_SESSION_FRAME_COUNTERS_H

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/session/fields.h"

struct counter_row;
struct counts_row;
struct counters_rows {
    struct counter_row *events;
    struct counts_row *counts;
    size_t nevents, ncounts;
};

/* Makes the rows of a graph in memory and writes their difference from earlier ones. The texts
 * belong to the graph. */
void frame_counters_write(struct coder *k, struct counters_rows *now,
                          const struct counters_rows *before, struct arena *memory,
                          const struct graph *g);
/* Reads rows and gives the graph their counts. false: they are damaged. */
bool frame_counters_read(struct coder *k, struct counters_rows *now,
                         const struct counters_rows *before, struct graph *g);

#endif
