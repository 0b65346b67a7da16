/*
 * The execution tree: its rows as they are folded, filtered and sorted, and the ways to draw them.
 * What is shown is kept from draw to draw; drawing happens on one thread.
 */
#ifndef ROOFTOP_TUI_VIEWS_TREE_TREE_H
#define ROOFTOP_TUI_VIEWS_TREE_TREE_H

#include "engine/bricks/brick_report.h"
#include "engine/bricks/bricks.h"
#include "tui/model/view.h"

enum tree_mode { TREE_TREE, TREE_FLAT, TREE_CATEGORIES, TREE_ICICLE, TREE_MODES };
enum tree_sort {
    TREE_BY_ORDER,
    TREE_BY_TIME,
    TREE_BY_NAME,
    TREE_BY_CALLS,
    TREE_BY_MEAN,
    TREE_SORTS
};
extern const char *const tree_sorts[]; /* for view_ops.sorts */

struct tree_row {
    uint32_t node;
    uint16_t depth;
    bool parent, open, last; /* has children; they are shown; has no sibling after it */
    uint32_t ended;          /* bit depth % 32: the row above at that depth is its level's last */
};

/* Rows of the tree as it is shown now. */
struct tree_rows {
    const struct bricks *bricks;
    const struct graph *graph;
    uint64_t *id;   /* of every node: the same place of the same program, whatever the graph */
    bool *critical; /* on the path of the last pass */
    struct tree_row *rows;
    size_t nrows;
    uint64_t total; /* ns of all programs */
};
/* Made anew only where the graph, the folding, the sorting or the filter have changed. */
const struct tree_rows *tree_rows(const struct bricks *b, const struct view_state *st);
/* The node whose identity this is, GRAPH_NONE where it is gone; with its row, or -1. */
uint32_t tree_node(const struct tree_rows *t, uint64_t id, int *row);
uint64_t tree_id_of_key(const char *key); /* 0 = none */
void tree_key(uint64_t id, char out[VIEW_TEXT_MAX]);
/* Large trees start folded; view_state.folded holds the exceptions. */
bool tree_starts_open(const struct graph *g, const struct view_state *st, uint32_t depth);
/* The nearest other node, as the rows go, that passes the filter and is wanted, be it shown or
 * folded away: after the cursor for step 1 and around, before it for -1. GRAPH_NONE: none. */
uint32_t tree_nearest(const struct tree_rows *t, const struct view_state *st, int step,
                      bool (*wanted)(const struct tree_rows *t, uint32_t node));
/* Puts the cursor on a node, opening what is above it. */
void tree_go_to(const struct tree_rows *t, struct view_state *st, uint32_t node);
void tree_set_open(const struct tree_rows *t, struct view_state *st, uint32_t node, bool open);
bool tree_is_open(const struct tree_rows *t, const struct view_state *st, uint32_t node);

/* A row as filters see it. */
struct tree_item {
    const struct tree_rows *t;
    uint32_t node;
};
extern const struct query_field tree_fields[];

void tree_table_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                     struct view_state *st);
void tree_flat_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                    struct view_state *st);
void tree_categories_draw(struct canvas *c, struct rect r, const struct tree_rows *t);
void tree_icicle_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                      struct view_state *st);
bool tree_icicle_act(enum action a, const struct tree_rows *t, struct view_state *st);
/* All that is known of one node; rows used. */
int tree_detail_draw(struct canvas *c, struct rect r, const struct tree_rows *t, uint32_t node);
bool tree_menu(const struct model *m, const struct view_state *st, const char *key,
               struct menu *out);

/* "brick  Attention", "kernel" */
void tree_kind(const struct graph *g, uint32_t node, char *out, size_t size);
double tree_share(const struct tree_rows *t, uint32_t node); /* of all time, % */
bool tree_over_budget(const struct graph *g, uint32_t node);

#endif
