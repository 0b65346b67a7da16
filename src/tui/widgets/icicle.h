/*
 * An icicle graph: roots at the top, callees below them, each as wide as its share of the samples.
 * Siblings are in order of nodes, which is by name, so that frames keep their places while shares
 * change. Frames narrower than a cell are merged into one cell.
 */
#ifndef ROOFTOP_TUI_WIDGETS_ICICLE_H
#define ROOFTOP_TUI_WIDGETS_ICICLE_H

#include "engine/hot/profile.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"

enum { ICICLE_SEVERAL = -1, ICICLE_ALL = -2 };

struct icicle_cell {
    int32_t node;   /* or ICICLE_SEVERAL, ICICLE_ALL: the first row */
    int32_t parent; /* of ICICLE_SEVERAL */
    uint64_t total;
    int x, w, depth; /* depth: row, 0 = all */
};

struct icicle {
    const struct profile_node *nodes;
    const uint64_t *total; /* per node */
    size_t n;
    int32_t zoom; /* this node gets the whole width, its callers stand above it; -1 = all */
};

/*
 * Lays the tree out over w cells and `rows` rows; out needs room for w * rows. The widths of
 * children and the caller's own rest add up to the caller's width, by largest remainder. Cells are
 * ordered by row, then from left to right. Returns their number.
 */
size_t icicle_layout(const struct icicle *ic, int w, int rows, struct icicle_cell *out);

/* What a cell looks like; label: its name, level of the colour, 0..100. */
struct icicle_look {
    char label[256];
    int level;
    bool cursor, hit;
};
/* Draws the cells of rows from `scroll` on that fit; look is asked for each that is not several. A
 * click at one is ACTION_POINT_FRAME with its index; cells: the room of its label. */
void icicle_draw(struct canvas *c, struct rect r, const struct icicle_cell *cells, size_t n,
                 int scroll,
                 void (*look)(const void *ctx, int32_t node, int cells, struct icicle_look *out),
                 const void *ctx);

/* Where to scroll so that the row `depth` is among the `page` that are seen; *rows: how many there
 * are. */
int icicle_scroll(const struct icicle_cell *cells, size_t n, int depth, int page, int scroll,
                  int *rows);
/* Where an action leads from a cell: up, down (to the widest below), left, right, a page of rows,
 * top, bottom. NULL: it is not for moving. */
const struct icicle_cell *icicle_move(const struct icicle_cell *cells, size_t n,
                                      const struct icicle_cell *at, enum action a, int page);

#endif
