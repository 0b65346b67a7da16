/* A pass as the path view shows it: the critical path and the longest spans beside it. */
#pragma once

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/path/critical_path.h"

enum { BRICKS_NOT_SHOWN = UINT16_MAX }; /* the lane of nodes that are no spans */

/*
 * Fills *out, whose start, wall, what and lanes are set already. lane: for each call an index into
 * lanes, or BRICKS_NOT_SHOWN. tree: for each call its node in the tree, or GRAPH_NONE. Keeps at
 * most `most` spans, those on the path first. Arrays and texts are allocated from `memory`.
 */
void bricks_window_fill(struct brick_window *out, struct arena *memory, const struct graph *calls,
                        const struct critical_path *path, const uint16_t *lane,
                        const uint32_t *tree, uint32_t most);
