/*
 * An icicle graph: roots at the top, callees below them, each as wide as its share of the samples.
 * Siblings are in order of nodes, which is by name, so that frames keep their places while shares
 * change. Frames narrower than a cell are merged into one cell.
 */
#ifndef ROOFTOP_TUI_WIDGETS_ICICLE_H
#define ROOFTOP_TUI_WIDGETS_ICICLE_H

#include "engine/hot/hot_stacks.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"

enum { ICICLE_SEVERAL = -1, ICICLE_ALL = -2 };

struct icicle_cell {
    int32_t node;   /* or ICICLE_SEVERAL, or ICICLE_ALL for the first row */
    int32_t parent; /* the parent node, for ICICLE_SEVERAL */
    uint64_t total;
    int x, w, depth; /* depth: the row; 0 = all */
};

struct icicle {
    const struct hot_node *nodes;
    const uint64_t *total; /* per node */
    size_t n;
    int32_t zoom; /* the node that gets the whole width, with its callers above it; -1 = none */
};

/*
 * Lays the tree out over w cells and `rows` rows. out has room for w * rows cells. The widths of
 * children and of the caller's own rest add up to the caller's width, by largest remainder. Cells
 * are ordered by row, then from left to right. Returns their number.
 */
size_t icicle_layout(const struct icicle *ic, int w, int rows, struct icicle_cell *out);

/* How a cell looks. label: its name; level: of its colour, 0..100. */
struct icicle_look {
    char label[256];
    int level;
    bool cursor, hit;
};
/*
 * Draws the cells of the rows that fit, from row `scroll` on. It asks look for the style of each
 * cell that is not ICICLE_SEVERAL. A click on a cell is ACTION_POINT_FRAME with its index.
 */
void icicle_draw(struct canvas *c, struct rect r, const struct icicle_cell *cells, size_t n,
                 int scroll,
                 void (*look)(const void *ctx, int32_t node, int cells, struct icicle_look *out),
                 const void *ctx);

/*
 * The scroll position that shows the row `depth` on a page of `page` rows. *rows: set to the number
 * of rows.
 */
int icicle_scroll(const struct icicle_cell *cells, size_t n, int depth, int page, int scroll,
                  int *rows);
/*
 * Where an action leads from a cell: up, down (to the widest cell below), left, right, a page of
 * rows, top, bottom. NULL for other actions.
 */
const struct icicle_cell *icicle_move(const struct icicle_cell *cells, size_t n,
                                      const struct icicle_cell *at, enum action a, int page);

#endif
