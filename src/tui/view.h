/*
 * A view: a pure drawing of a snapshot. No view computes or samples; one file a view under views/,
 * one line in views/views.c.
 */
#ifndef ROOFTOP_TUI_VIEW_H
#define ROOFTOP_TUI_VIEW_H

#include "engine/history.h"
#include "engine/snapshot.h"
#include "tui/canvas.h"
#include "tui/keys.h"

/* What a view may read. snap is NULL until the first sample: draw labels and "…". */
struct model {
    const struct snapshot *snap;
    const struct history *history;
    double interval_s; /* the set refresh interval */
    char moment[16];   /* time of day of a picture of the past; "" = it is the newest */
};

enum { VIEW_TEXT_MAX = 64 };
/* What the user has set in a view; kept by the app, one a view, zeroed at start. */
struct view_state {
    int selected; /* row under the cursor, an index into the rows as shown */
    int scroll;   /* first row shown */
    int sort;     /* column; views define the default as 0 */
    bool reverse;
    int pane;    /* which pane has the cursor */
    int step;    /* direction of the last move, to pass over headings */
    bool follow; /* the user chose a row: stay on it by identity when the order changes */
    int find;    /* a match wanted at the next draw: 1 next, 2 from the cursor on, -1 previous */
    char
        selected_key[VIEW_TEXT_MAX]; /* identity of the selected row, so that it survives sorting */
    char filter[VIEW_TEXT_MAX], search[VIEW_TEXT_MAX];
    int rows, page;   /* set by draw: rows in the list and rows that fit */
    struct rect list; /* set by draw: where rows are, for the mouse */
};

/* What a view wants done after an action. */
enum view_result {
    VIEW_IGNORED,
    VIEW_HANDLED,
    VIEW_EXPLAIN /* selected_key names a metric, counter or process */,
    VIEW_ATTACH /* selected_key is a pid */
};

struct view_ops {
    const char *name;                         /* "overview": --view, JSON */
    const char *title;                        /* "overview" shown in the tab bar */
    enum action select;                       /* the action that opens it */
    unsigned contexts;                        /* key contexts it adds */
    bool (*available)(const struct model *m); /* NULL = always */
    const char *absent;                       /* what to say where it is not available */
    void (*draw)(struct canvas *c, struct rect area, const struct model *m, struct view_state *st);
    enum view_result (*act)(enum action a, const struct model *m, struct view_state *st);
};
extern const struct view_ops *const views[]; /* NULL-terminated, in tab order */

#endif
