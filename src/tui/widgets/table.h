/*
 * A list of rows in columns. On a narrow screen the least important columns are left out. The
 * cursor stays on its row when the order changes, and matches of the search are marked. Rows have
 * numbers in the order shown.
 */
#pragma once

#include "engine/value/list_field.h"
#include "tui/canvas/canvas.h"
#include "tui/model/view.h"

enum { TABLE_MAX_COLUMNS = 32, TABLE_CELL_MAX = 256 };

/* The columns of a list whose fields are a table. */
struct table_fields {
    struct column columns[TABLE_MAX_COLUMNS];
    const struct list_field *field[TABLE_MAX_COLUMNS];
    int n;
};
void table_fields(struct table_fields *out, const struct list_field *fields);
/* Leaves out the column of a field, if it is there. */
void table_fields_remove(struct table_fields *t, const struct list_field *field);
/* The column whose head shows the arrow of order i of view_ops.sorts, -1 none. */
int table_fields_sorted(const struct table_fields *t, int i);
/* Writes what a field is of a row; `unknown` for what was not measured. */
void table_field_text(const struct list_field *f, const void *row, const char *unknown,
                      char text[TABLE_CELL_MAX]);

struct table {
    const struct column *columns;
    int ncolumns;
    const void *ctx;
    size_t nrows;
    int sort;     /* index of the sorted column, -1 = none */
    bool reverse; /* the arrow shown */
    /* The entry of view_ops.sorts for a click on a column's head, -1 none; NULL: no clicks. */
    int (*sort_of)(int column);
    /* The fields of the list: instead of sort_of, and of columns and sort where columns is NULL. */
    const struct table_fields *fields;
    /* Writes text and style of one cell. */
    void (*cell)(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX], struct style *st);
    /* Draws a cell of several styles over its text; NULL: none has several. */
    void (*paint)(const void *ctx, size_t row, int col, struct canvas *c, struct rect cell);
    int *flexible; /* set before cells are asked for: width of the flexible column; NULL */
    /* Writes the identity of a row, for the cursor. */
    void (*key)(const void *ctx, size_t row, char key[VIEW_TEXT_MAX]);
    /*
     * The row with this key, -1 if it is gone. last: the row that had the key in the last picture,
     * which is usually still right. NULL: that row is looked at, then all.
     */
    int (*find)(const void *ctx, const char *key, int last);
    /* whether a row matches the search; may be NULL */
    bool (*match)(const void *ctx, size_t row, const char *needle);
    bool (*heading)(const void *ctx, size_t row); /* whether a row is a heading; may be NULL */
    bool (*passed)(const void *ctx, size_t row);  /* whether the cursor skips a row; may be NULL */
};

/* Draws head and rows into r. Updates st->selected, selected_key, scroll, rows, page and list. */
void table_draw(struct canvas *c, struct rect r, const struct table *told, struct view_state *st);
/* Moves the cursor for the actions of lists. Returns false for other actions. */
bool table_act(enum action a, struct view_state *st);
/* Writes a bar of w cells, in eighths, for a share of 0..100. */
void table_bar(double percent, int w, char text[TABLE_CELL_MAX]);
bool table_contains(const char *haystack, const char *needle);
