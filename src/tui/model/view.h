/*
 * A view: a pure drawing of a snapshot. No view computes or samples; one file a view under views/,
 * one line in views/views.c.
 */
#ifndef ROOFTOP_TUI_MODEL_VIEW_H
#define ROOFTOP_TUI_MODEL_VIEW_H

#include "engine/analysis/analysis.h"
#include "engine/live/history.h"
#include "engine/live/snapshot.h"
#include "engine/value/query.h"
#include "tui/canvas/canvas.h"
#include "tui/input/keys.h"
#include "tui/input/menu.h"

struct functions;
struct shown_comparison;
struct att_set;
struct replays;
struct capturer_kernel;

/* What a view may read. snap is NULL until the first sample: draw labels and "…". */
struct model {
    const struct snapshot *snap;
    const struct history *history;
    double interval_s;                         /* the set refresh interval */
    const struct functions *functions;         /* hot functions; never NULL */
    const struct att_set *att;                 /* thread traces that were opened; NULL = none */
    const struct analysis *profile;            /* a profile that was opened; NULL = none */
    const struct shown_comparison *comparison; /* of two sides; NULL = none */
    const struct replays *replays;             /* captures; NULL where nobody set them up */
    const struct what_if *what_if;             /* what was asked of it last; NULL = nothing */
    const char *what_if_asked;                 /* "2x as fast: gemm" */
    const char *capture_why_not;               /* kernels cannot be captured now; NULL: they can */
    /* Kernels that the watched program has launched, most first; told by what captures them. */
    const struct capturer_kernel *launched;
    size_t nlaunched;
    const char *command; /* of the profile, as a shell takes it; NULL unknown */
    char moment[16];     /* time of day of a picture of the past; "" = it is the newest */
    bool readonly;       /* nothing may be written, attached to or started: permit.h */
    bool playback;       /* of a file: what is shown does not run any more */
};

/* The execution tree to show: of the profile that was opened, else of instrumented programs. */
static inline const struct bricks *model_bricks(const struct model *m)
{
    return m->profile ? &m->profile->bricks : m->snap ? m->snap->bricks : NULL;
}

enum { VIEW_TEXT_MAX = 64, VIEW_FOLDED_MAX = 128, VIEW_TAGGED_MAX = 64 };
/* The state of a view as the user left it. The app keeps one for each view, zeroed at start. */
struct view_state {
    void *own;    /* the view's own struct, view_ops.own_size zeroed bytes; owned by the app */
    int selected; /* row under the cursor, an index into the rows as shown */
    int scroll;   /* first row shown */
    int sort;     /* column; views define the default as 0 */
    bool reverse;
    int pane;    /* which pane has the cursor */
    int step;    /* direction of the last move, to pass over headings */
    bool follow; /* the user chose a row: stay on it by identity when the order changes */
    bool pinned; /* follow, and say so: until the cursor is moved */
    int find;    /* a match wanted at the next draw: 1 next, 2 from the cursor on, -1 previous */
    /* identity of the selected row, so that it survives sorting */
    char selected_key[VIEW_TEXT_MAX];
    char search[VIEW_TEXT_MAX];
    char filter[QUERY_MAX];    /* as typed; set by app_set_filter */
    const struct query *query; /* the same, compiled; lent by the app, NULL = all rows */
    /* of views that are trees: */
    int mode; /* how it is drawn */
    /* of the process list: as a tree, with threads of the kernel, with threads of its processes */
    bool tree, kernel, threads;
    uint64_t at, zoom; /* identity of the frame under the cursor, of the one zoomed to */
    uint64_t folded[VIEW_FOLDED_MAX]; /* identities of what is folded; 0 = a free place */
    uint64_t tagged[VIEW_TAGGED_MAX]; /* the same of processes that are tagged */
    int level;                        /* 1 + the depth from which rows start folded; 0 = by size */
    int point;                        /* 1 + the cell that was clicked at */
    int mouse_x, mouse_y;             /* 1 + the cell of the mouse event in hand; 0: it is a key */
    uint64_t top, hit; /* output: 1 + the byte of all that was written where the first line shown,
                          or the line found, begins; 0 = the end is shown, nothing was found */
    unsigned hidden;   /* boxes that are not shown: a bit each, by their place in view_ops.boxes */
    int expanded;      /* 1 + the box that has the whole view; 0 = none */
    int box;           /* 1 + the one expanded last */
    int rows, page;    /* set by draw: rows in the list and rows that fit */
    struct rect list;  /* set by draw: where rows are, for the mouse */
};

/* Whether the user has folded a node (or unfolded it, if it starts folded). */
bool view_folded(const struct view_state *st, uint64_t id);
bool view_tagged(const struct view_state *st, uint64_t id);
/* Tags or untags a node. If there is no room for another tag, the oldest one is dropped. */
void view_set_tagged(struct view_state *st, uint64_t id, bool tagged);
/* If there is no room for another folded node, the oldest one is forgotten. */
void view_set_folded(struct view_state *st, uint64_t id, bool folded);

/* A part of a view that can be hidden or expanded to the whole view. */
struct view_box {
    const char *name; /* for presets and `box NAME`: "memory" */
    char letter;      /* after the boxes key: unique in its view */
    const char *what; /* one line */
};
/* Whether box i is to be drawn. */
static inline bool view_box_shown(const struct view_state *st, int i)
{
    return st->expanded ? st->expanded == i + 1 : !(st->hidden >> i & 1);
}

/* Draws the frame of a box, with the letter marked in its title. A click on the title expands it.
 */
void view_box_draw(struct canvas *c, struct rect r, enum style_role role,
                   const struct view_box *box, int i, const char *title, const char *right);

/* What the app shall do after an action in a view. */
enum view_result {
    VIEW_IGNORED,
    VIEW_HANDLED,
    VIEW_EXPLAIN /* selected_key names a metric, counter, process or function */,
    VIEW_ATTACH /* selected_key is a pid */,
    VIEW_ANNOTATE /* selected_key names a function */,
    VIEW_WHAT_IF /* selected_key names a step of the path */,
    VIEW_WINDOW /* selected_key names a part of the profile: app_window.h */,
    VIEW_SOURCE /* selected_key names a node of the tree: where it comes from */,
    VIEW_MENU /* what can be done with selected_key */
};

struct view_ops {
    size_t own_size;             /* of its own struct, view_state.own; 0: it has none */
    void (*own_free)(void *own); /* frees what it holds, not itself; NULL: nothing */
    const char *name;            /* "overview": --view, JSON */
    const char *title;           /* "overview" shown in the tab bar */
    enum action select;          /* the action that opens it */
    unsigned contexts;           /* key contexts it adds */
    /* Whether there is something to show; views that have nothing are no tabs. NULL = always. */
    bool (*available)(const struct model *m);
    const char *absent; /* a sentence that says what would fill it; NULL: draw tells it */
    void (*draw)(struct canvas *c, struct rect area, const struct model *m, struct view_state *st);
    enum view_result (*act)(enum action a, const struct model *m, struct view_state *st);
    /* What `sort` names, in the order of view_state.sort; NULL-terminated; NULL: no sorting. */
    const char *const *sorts;
    /* Fills the menu of the row with this key; false if the row is gone. NULL: rows have no
     * menu. */
    bool (*menu)(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out);
    const struct view_box *boxes;     /* what can be hidden and expanded; ends with name NULL */
    const struct query_field *fields; /* what a filter can ask of a row; NULL: no filter here */
};
/* Draws the view, or, where it has nothing to show, what would fill it. */
void view_draw(const struct view_ops *v, struct canvas *c, struct rect area, const struct model *m,
               struct view_state *st);
bool view_available(const struct view_ops *v, const struct model *m);
/* Whether its draw, act and menu are called: not where only `absent` is to be told. */
bool view_draws(const struct view_ops *v, const struct model *m);

extern const struct view_ops *const views[]; /* NULL-terminated, in tab order */

#endif
