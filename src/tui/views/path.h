/* Parts of the critical path's view. */
#ifndef ROOFTOP_TUI_VIEWS_PATH_H
#define ROOFTOP_TUI_VIEWS_PATH_H

#include "engine/bricks.h"
#include "tui/canvas.h"

/* The lanes of a pass over its time. zoom: halves of it around the selected span (an index, or
 * GRAPH_NONE). */
void path_timeline(struct canvas *c, struct rect r, const struct brick_window *w, int zoom,
                   uint32_t selected);
/* How deep spans of a lane lie in each other at most; 0 = not. */
int path_depth(const struct brick_window *w, uint16_t lane);

/* What ran beside the path, by name: how long it could be put off, and what it ran beside. */
void path_slack(struct canvas *c, struct rect r, const struct brick_window *w);

#endif
