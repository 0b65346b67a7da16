/*
 * A list of rows in columns. On a narrow screen the least important columns are left out. The
 * cursor stays on its row when the order changes, and matches of the search are marked. Rows have
 * numbers in the order shown.
 */
#ifndef ROOFTOP_TUI_WIDGETS_TABLE_H
#define ROOFTOP_TUI_WIDGETS_TABLE_H

#include "tui/canvas/canvas.h"
#include "tui/model/view.h"

enum { TABLE_MAX_COLUMNS = 24, TABLE_CELL_MAX = 256 };

struct column {
    const char *title;
    int width; /* cells; the flexible one gets what is left, at least this */
    bool flex;
    bool right;   /* numbers */
    int priority; /* 0 stays; the highest goes first */
};

struct table {
    const struct column *columns;
    int ncolumns;
    const void *ctx;
    size_t nrows;
    int sort;     /* index of the sorted column, -1 = none */
    bool reverse; /* the arrow shown */
    /* The entry of view_ops.sorts that a click on the head of a column sorts by, -1 none; NULL: no
     * clicks. */
    int (*sort_of)(int column);
    /* Text and style of one cell. */
    void (*cell)(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX], struct style *st);
    int *flexible; /* told before cells are asked for: how wide the flexible one is; NULL */
    /* Identity of a row, for the cursor. */
    void (*key)(const void *ctx, size_t row, char key[VIEW_TEXT_MAX]);
    /* The row of this key, -1 gone; NULL: rows are looked through. */
    int (*find)(const void *ctx, const char *key);
    bool (*match)(const void *ctx, size_t row, const char *needle); /* search; may be NULL */
    bool (*heading)(const void *ctx, size_t row); /* a section line, never selected; may be NULL */
    bool (*passed)(const void *ctx, size_t row);  /* a row that is never selected; may be NULL */
};

/* Draws head and rows into r; keeps st->selected, selected_key, scroll, rows, page and list right.
 */
void table_draw(struct canvas *c, struct rect r, const struct table *t, struct view_state *st);
/* Moves the cursor for a common list action; false where it is none. */
bool table_act(enum action a, struct view_state *st);
/* Case-insensitive containment, ASCII folding only. */
/* A share of 0..100 as a bar of w cells, in eighths. */
void table_bar(double percent, int w, char text[TABLE_CELL_MAX]);
bool table_contains(const char *haystack, const char *needle);

#endif
