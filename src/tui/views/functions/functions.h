/* What the files of the hot functions view share: three ways to draw the same profile. */
#pragma once

#include "base/hash.h"
#include "engine/functions/functions_fields.h"
#include "engine/functions/hot_profile.h"
#include "engine/functions/hot_sum.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "tui/model/view.h"
#include "tui/widgets/rows.h"
#include "tui/widgets/icicle.h"

/* The profile of the chosen window, and values derived from it. */
struct functions {
    const struct hot_stacks *stacks; /* of the window; NULL: nothing was sampled yet */
    /* symbols with samples, those with most samples of their own first */
    const struct function_row *rows;
    size_t nrows;
    const uint64_t *node_total; /* per node of the profile: samples in it and below */
    const uint64_t *node_id;    /* identity of the node's call path, the same in all pictures */
    uint64_t folded;            /* samples whose path was dropped: there were too many paths */
    double window_s;            /* the chosen window in seconds; 0 = everything */
    /* sampling was asked for; the first profile may not have come yet */
    bool asked;
    bool file;         /* of an opened file: a trace of system calls, samples of a CPU profiler */
    char summary[160]; /* of the opened file: how many of what */
    char missing[128]; /* what the stacks of such a file lack; "": nothing */
};

/* The identity of a symbol, the same in all pictures. */
static inline uint64_t functions_symbol_id(const struct hot_symbol *s)
{
    return hash_text(hash_text(hash_text(s->inlined, s->name), s->module), s->file);
}

/* What the profile is summed from (functions_sum.c). */
struct functions_sum {
    struct hot_sum *live;            /* of the samples that came, up to the newest */
    struct hot_sum *past;            /* up to the cursor of time; made when it is first shown */
    uint64_t past_ns;                /* the moment that past was made for; 0 = none */
    const struct recording *past_of; /* and the recording */
    int window;                      /* index into the table of windows */
    bool stale;                      /* the shown sum must be made again */
    bool shown_live;
    bool pending; /* sampling was asked for after the newest sample */
    struct functions shown;
    struct function_row *rows;
    uint64_t *node_total, *node_id;
    /* of the opened trace of system calls, if it has stacks */
    const struct calls_profile *opened;          /* that of the shown trace; NULL: none is shown */
    const struct syscalls_snapshot *opened_from; /* a reference; NULL with opened */
    bool by_calls;                               /* it counts calls, not their time */
    const struct hot_profile *samples; /* the opened file's, which are shown; NULL: none are */
    char target[128]; /* target of the summed profiles; another one starts a new sum */
};

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
    struct functions_sum sum;
    struct rows rows; /* of the flat list */
    struct functions_tree tree;
    struct icicle_shown icicle;
};

static inline struct functions_sum *functions_sum_of(struct view_state *st)
{
    return &((struct functions_state *)st->own)->sum;
}
/* The profile, as it was when functions_refresh was called last. */
static inline const struct functions *functions_of(const struct view_state *st)
{
    return &((const struct functions_state *)st->own)->sum.shown;
}
/* Makes the profile match the moment that is shown. */
const struct functions *functions_refresh(const struct model *m, struct view_state *st);
void functions_sum_begin(struct functions_sum *f);
void functions_sum_end(struct functions_sum *f);
extern const struct view_ops view_functions;
extern const struct overlay_ops functions_code; /* the code of a function */
/* The functions of view_functions. */
void functions_sum_sample(struct view_state *st, const struct snapshot *s);
bool functions_available(const struct model *m, const struct view_state *st);
/* Whether the functions are those of an opened file of samples. */
bool functions_of_file(const struct model *m);
enum view_result functions_chosen(const struct model *m, struct view_state *st,
                                  enum view_choice how);
int functions_command(const char *name, const char *arg, const struct model *m,
                      struct view_state *st, struct error *err);
/* Handles the keys for window and sampling. */
enum view_result functions_sum_act(enum action a, const struct model *m, struct view_state *st);

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
void functions_key(const struct hot_symbol *s, char out[VIEW_TEXT_MAX]);
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
