/* What the files of the hot functions view share: three ways to draw the same profile. */
#pragma once

#include "engine/functions/functions_fields.h"
#include "tui/model/functions.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"
#include "tui/widgets/icicle.h"

enum functions_mode { FUNCTIONS_FLAT, FUNCTIONS_TREE, FUNCTIONS_ICICLE, FUNCTIONS_MODES };

struct functions_tree_row {
    int32_t node;
    int depth;
    bool parent, open; /* has callees; they are visible */
};
/* The call tree with links downwards. */
struct functions_tree {
    const struct functions *f;
    int32_t *first, *next; /* per node, -1 = none; siblings are ordered by samples */
    bool *hit;             /* the node or a node below it passes the filter */
    struct functions_tree_row *rows;
    size_t nrows, cap;
};
/* view_state.own: what each way of drawing keeps from picture to picture. */
struct functions_state {
    const struct function_row **rows; /* of the flat list */
    size_t cap;
    struct functions_tree tree;
    struct icicle_shown icicle;
};

/* Each draws into an area without a frame. f->stacks must not be NULL. */
void functions_flat_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st);
void functions_tree_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st);
void functions_icicle_draw(struct canvas *c, struct rect r, const struct functions *f,
                           struct view_state *st);
/* Returns false for actions that the flat list does not handle. */
bool functions_flat_act(enum action a, const struct functions *f, struct view_state *st);
bool functions_tree_act(enum action a, const struct functions *f, struct view_state *st);
bool functions_icicle_act(enum action a, const struct functions *f, struct view_state *st);

/* Draws callers and callees of a symbol, beside or below a list. */
void functions_calls_draw(struct canvas *c, struct rect r, const struct functions *f,
                          uint32_t symbol);
/* The column that sorts the flat list, like "self". */
const char *functions_sort_name(const struct view_state *st);

#define FUNCTIONS_NONE UINT32_MAX
/* The symbol with this key ("f:…"); FUNCTIONS_NONE if it has no samples now. */
uint32_t functions_find(const struct functions *f, const char *key);
void functions_key(const struct functions *f, uint32_t symbol, char out[VIEW_TEXT_MAX]);
/* The node with this identity; -1 if it has no samples now. */
int32_t functions_node(const struct functions *f, uint64_t id);

/*
 * A letter for code that is not plain code of a file: "k" kernel, "j" JIT, "v" vDSO, "i" inlined,
 * "?" unknown name.
 */
const char *functions_mark(const struct hot_symbol *s);
/* A number of samples in a column: "120", "58.6 ms"; and the column's title. */
void functions_number(const struct hot_stacks *p, uint64_t samples, char text[TABLE_CELL_MAX]);
const char *functions_number_title(const struct hot_stacks *p);
bool functions_match(const struct hot_symbol *s, const char *needle);
/* NULL: the symbol has no samples. */
const struct function_row *functions_row_of(const struct functions *f, uint32_t symbol);
bool functions_pass(const struct functions *f, const struct function_row *row,
                    const struct view_state *st);
/* Fills the menu of the function under the cursor. */
bool functions_menu(const struct model *m, const struct view_state *st, const char *key,
                    struct menu *out);
/* Writes the page about the function with this key. */
void functions_explain(struct page *p, const struct model *m, const struct view_state *st,
                       const char *key);
/* The symbol under the cursor, however the profile is drawn; FUNCTIONS_NONE if there is none. */
uint32_t functions_selected(const struct functions *f, const struct view_state *st);
struct style functions_percent_style(double percent);
