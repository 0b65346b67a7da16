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
    int width; /* cells; the flexible column gets the rest, but at least this */
    bool flex;
    bool right;   /* aligned right, for numbers */
    int priority; /* order of leaving out columns: the highest first; 0 is always shown */
};

struct table {
    const struct column *columns;
    int ncolumns;
    const void *ctx;
    size_t nrows;
    int sort;     /* index of the sorted column, -1 = none */
    bool reverse; /* the arrow shown */
    /* The entry of view_ops.sorts for a click on a column's head, -1 none; NULL: no clicks. */
    int (*sort_of)(int column);
    /* Writes text and style of one cell. */
    void (*cell)(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX], struct style *st);
    int *flexible; /* set before cells are asked for: width of the flexible column; NULL */
    /* Writes the identity of a row, for the cursor. */
    void (*key)(const void *ctx, size_t row, char key[VIEW_TEXT_MAX]);
    /*
     * The row with this key, -1 if it is gone. last: the row that had the key in the last picture,
     * which is usually still right. NULL: all rows are searched.
     */
    int (*find)(const void *ctx, const char *key, int last);
    /* whether a row matches the search; may be NULL */
    bool (*match)(const void *ctx, size_t row, const char *needle);
    bool (*heading)(const void *ctx, size_t row); /* whether a row is a heading; may be NULL */
    bool (*passed)(const void *ctx, size_t row);  /* whether the cursor skips a row; may be NULL */
};

/* Draws head and rows into r. Updates st->selected, selected_key, scroll, rows, page and list. */
void table_draw(struct canvas *c, struct rect r, const struct table *t, struct view_state *st);
/* Moves the cursor for the actions of lists. Returns false for other actions. */
bool table_act(enum action a, struct view_state *st);
/* Writes a bar of w cells, in eighths, for a share of 0..100. */
void table_bar(double percent, int w, char text[TABLE_CELL_MAX]);
bool table_contains(const char *haystack, const char *needle);

#endif
