/* What the files behind timeline.h share. */
#ifndef ROOFTOP_ENGINE_TIMELINE_TIMELINE_IMPL_H
#define ROOFTOP_ENGINE_TIMELINE_TIMELINE_IMPL_H

#include "engine/timeline/timeline.h"

enum { TIMELINE_FAN = 8 };
#define TIMELINE_CRITICAL (1u << 31) /* in best; a place is less than GRAPH_MAX_NODES */

/* timeline_lanes.c: groups and lanes in their order, and the lane of each node (GRAPH_NONE: no
 * span), malloc'ed; sets nspans of the lanes, of all, and untimed. */
uint32_t *timeline_find_lanes(struct timeline *t);
/* timeline_rows.c: spans, row_first, row_of. lane_of as above. */
void timeline_make_rows(struct timeline *t, const uint32_t *lane_of);
/* timeline_levels.c: critical, and the sums over blocks. */
void timeline_make_levels(struct timeline *t);
/* timeline_links.c: by_from and by_to. */
void timeline_make_links(struct timeline *t);

static inline bool timeline_timed(const struct graph *g, uint32_t v)
{
    return g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}

#endif
