/*
 * The execution tree: its rows as they are folded, filtered and sorted, and the ways to draw them.
 * What is shown is kept from picture to picture, in view_state.own.
 */
#pragma once

#include "base/arena.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/bricks/brick_report.h"
#include "engine/bricks/bricks.h"
#include "engine/graph/graph_fields.h"
#include "tui/model/view.h"
#include "tui/widgets/icicle.h"
#include "tui/widgets/table.h"

enum tree_mode { TREE_TREE, TREE_FLAT, TREE_CATEGORIES, TREE_ICICLE, TREE_MODES };

struct tree_row {
    uint32_t node;
    uint16_t depth;
    bool parent, open, last; /* has children; they are visible; is the last of its siblings */
    /* bit (depth % 32): the row's ancestor at that depth is the last of its siblings */
    uint32_t ended;
};

/* The visible rows of the tree. */
struct tree_rows {
    const struct bricks *bricks;
    const struct graph *graph;
    uint64_t *id;   /* for each node: its place in its program, the same in every graph */
    bool *critical; /* whether it is on the path of the last pass */
    struct tree_row *rows;
    size_t nrows;
    uint64_t total; /* time of all programs in ns */
};
/* --- view_state.own --- */

/* A stack of rows that are still to be shown, the next one on top. */
struct tree_stack {
    struct tree_row *at;
    size_t n, cap;
};
struct tree_made { /* the rows, and the settings that they were computed from */
    struct tree_rows t;
    uint64_t serial, state;
    uint64_t filter; /* the filter that `hit` was computed from */
    size_t nodes_cap, rows_cap;
    bool *hit;       /* for each node: it or a node below it passes the filter */
    uint32_t *order; /* the children of a node while they are sorted */
    size_t order_cap;
    struct tree_stack stack;
};
/* for each name: whether it matches the search (there are fewer names than nodes) */
struct tree_found {
    uint64_t serial;
    char search[VIEW_TEXT_MAX];
    bool *name;
};
struct tree_flat { /* the flat list of the last drawn tree */
    uint64_t serial;
    struct arena memory;
    struct brick_report report;
    const struct brick_row *shown[4096];
    size_t n;
};
struct tree_icicle { /* the last drawn flame graph */
    uint64_t serial;
    struct hot_node *nodes;
    uint64_t *total;
    struct icicle_shown shown;
};
struct tree_state {
    struct tree_made made;
    struct tree_found found;
    struct tree_flat flat;
    struct tree_icicle icicle;
};
void tree_made_free(struct tree_made *made);

/* --- tree_counters.c: columns of counters --- */

/* Positions of the columns of counters among the fields of a list. */
struct counter_fields {
    const struct list_field *ipc, *miss, *mispredict;
    const struct list_field *event[4]; /* for the events that were counted, whatever they are */
};
/* Leaves out the columns of what was not asked for, and names those of the events. */
void tree_counter_columns(struct table_fields *columns, const struct graph_counters *of,
                          const struct counter_fields *f);
/* Writes the cell of a field, if it is one of these; false: it is not. c NULL: nothing was counted
 * there. */
bool tree_counter_cell(const struct list_field *field, const struct counter_fields *f,
                       const struct graph_counters *of, const struct graph_counts *c,
                       char text[TABLE_CELL_MAX]);
extern const struct counter_fields tree_counter_fields, flat_counter_fields;

/* Computed again only if the graph, the folding, the sorting or the filter changed. */
const struct tree_rows *tree_rows(const struct bricks *b, const struct view_state *st);
/* The node with this identity; GRAPH_NONE if it is gone. row: set to its row, or -1. */
uint32_t tree_node(const struct tree_rows *t, uint64_t id, int *row);
uint64_t tree_id_of_key(const char *key); /* 0 = none */
void tree_key(uint64_t id, char out[VIEW_TEXT_MAX]);
/*
 * The nearest other node, visible or folded away, that passes the filter and is wanted. step 1:
 * after the cursor, then from the start; -1: before it. GRAPH_NONE: there is none.
 */
uint32_t tree_nearest(const struct tree_rows *t, const struct view_state *st, int step,
                      bool (*wanted)(const struct tree_rows *t, const struct view_state *st,
                                     uint32_t node));
/* Puts the cursor on a node and unfolds its ancestors. */
void tree_go_to(const struct tree_rows *t, struct view_state *st, uint32_t node);
void tree_set_open(const struct tree_rows *t, struct view_state *st, uint32_t node, bool open);
bool tree_is_open(const struct tree_rows *t, const struct view_state *st, uint32_t node);

/* The row of a node. */
struct graph_item tree_item(const struct tree_rows *t, uint32_t node);

void tree_table_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                     struct view_state *st);
void tree_flat_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                    struct view_state *st);
void tree_categories_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                          struct view_state *st);
void tree_icicle_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                      struct view_state *st);
bool tree_icicle_act(enum action a, const struct tree_rows *t, struct view_state *st);
/* Draws everything known about a node. Returns the number of rows. */
int tree_detail_draw(struct canvas *c, struct rect r, const struct tree_rows *t, uint32_t node);
bool tree_menu(const struct model *m, const struct view_state *st, const char *key,
               struct menu *out);

/* Writes the kind of a node: "brick  Attention", "kernel". */
void tree_kind(const struct graph *g, uint32_t node, char *out, size_t size);
double tree_share(const struct tree_rows *t, uint32_t node); /* in percent of all time */
/* Writes the system call with the most time, and its share of ns: "45% write"; its time if ns is
 * GRAPH_UNKNOWN; "" if there is none. */
void tree_most_call(const struct call_sum *s, uint64_t ns, char *out, size_t size);
bool tree_over_budget(const struct graph *g, uint32_t node);
