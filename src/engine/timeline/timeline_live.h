/*
 * The last complete pass of running programs as a timeline. It is made from a snapshot's window of
 * at most BRICK_WINDOW_SPANS spans and has no launch edges.
 */
#pragma once

#include "engine/bricks/bricks.h"
#include "engine/timeline/timeline.h"

struct timeline_live {
    struct graph *calls;
    struct critical_path way;
    struct timeline timeline;
};

/* Fills *l, which must be zeroed, with copies of w; w->nspans may be 0. 0 or -errno with err. */
int timeline_live_build(struct timeline_live *l, const struct brick_window *w, struct error *err);
void timeline_live_free(struct timeline_live *l);
