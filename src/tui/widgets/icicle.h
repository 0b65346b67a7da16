/*
 * An icicle graph: roots at the top, callees below them, each as wide as its share of the samples.
 * Siblings are in order of nodes, which is by name, so that frames keep their places while shares
 * change. Frames narrower than a cell are merged into one cell.
 */
#pragma once

#include "engine/functions/hot_stacks.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"
#include "tui/model/view.h"

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

/* How a node's cell looks. label: its name; level: of its colour, 0..100. */
struct icicle_look {
    char label[256];
    int level;
};

/* The nodes of a view, and what it knows about them. */
struct icicle_nodes {
    struct icicle tree; /* its zoom is that of the view's state */
    const uint64_t *id; /* per node: its identity in view_state.at and .zoom */
    /* The node with this identity, or the nearest caller that is in the tree; -1 = none. */
    int32_t (*find)(const void *ctx, uint64_t id);
    bool (*match)(const void *ctx, int32_t node, const char *search);
    void (*look)(const void *ctx, int32_t node, int cells, struct icicle_look *out);
    const void *ctx;
};

/* What was drawn last; freed by icicle_free. */
struct icicle_shown {
    struct icicle_cell *cells;
    size_t n, cap;
    int w;
};
void icicle_free(struct icicle_shown *shown);

/*
 * Draws the rows that fit, with the cursor on st->at, after a click or a search moved it. A click
 * on a cell is ACTION_POINT_FRAME with its index. Returns the node under the cursor; negative: the
 * first row, which stands for all.
 */
int32_t icicle_draw(struct canvas *c, struct rect r, struct icicle_shown *shown,
                    const struct icicle_nodes *nodes, struct view_state *st);
/*
 * Moves the cursor: up, down (to the widest cell below), left, right, a page of rows, top, bottom,
 * and to what was searched. False for other actions, with the cells laid out anew.
 */
bool icicle_act(enum action a, struct icicle_shown *shown, const struct icicle_nodes *nodes,
                struct view_state *st);
/* Gives the frame under the cursor the whole width. To be called after icicle_act. */
void icicle_zoom_in(const struct icicle_shown *shown, const struct icicle_nodes *nodes,
                    struct view_state *st);
/* Goes back to the caller, or to all. False: nothing is zoomed. */
bool icicle_zoom_out(const struct icicle_nodes *nodes, struct view_state *st, bool all);
