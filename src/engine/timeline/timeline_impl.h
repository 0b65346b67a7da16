/* What the files behind timeline.h share. */
#pragma once

#include "engine/timeline/timeline.h"

enum { TIMELINE_FAN = 8 };

/* In timeline_lanes.c. Makes groups and lanes in order and sets nspans and untimed. Returns the
 * malloc'ed lane of each node (GRAPH_NONE: no span). */
uint32_t *timeline_find_lanes(struct timeline *t);
/* In timeline_rows.c. Makes spans, row_first and row_of. lane_of: from timeline_find_lanes. */
void timeline_make_rows(struct timeline *t, const uint32_t *lane_of);
/* In timeline_levels.c. Makes the sums over blocks. */
void timeline_make_levels(struct timeline *t);
/* In timeline_path.c. Makes `critical` and the steps of each row. */
void timeline_mark_path(struct timeline *t);
/* In timeline_path.c. Whether a step of the path lies in this row in [t0, t1). */
bool timeline_path_in(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1);
/* In timeline_links.c. Makes by_from and by_to. */
void timeline_make_links(struct timeline *t);

static inline bool timeline_timed(const struct graph *g, uint32_t v)
{
    return g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}
