/*
 * The rows of a list whose fields are a table: those that pass the filter, in the user's order,
 * drawn as a table with a cursor and a search. A list tells what its rows are (struct rows_ops);
 * how they are collected, filtered, sorted, searched and found again is told here, once.
 */
#pragma once

#include "engine/value/list_order.h"
#include "tui/widgets/table.h"

enum { ROWS_MADE_OF = 4 };

struct rows_ops {
    const struct list_rows *list;
    /* Writes text and style of one cell. own: view_state.own */
    void (*cell)(const void *own, const void *row, const struct list_field *f,
                 char text[TABLE_CELL_MAX], struct style *st);
    /* Writes the identity of a row, which keeps the cursor on it. */
    void (*key)(const void *own, const void *row, char key[VIEW_TEXT_MAX]);
    /* Whether a row matches the search; NULL: the fields are searched that filters search. */
    bool (*match)(const void *own, const void *row, const char *needle);
    /* The number in the list of the row with this key, SIZE_MAX if it is gone: for long lists.
     * NULL: the keys of all shown rows are compared. */
    size_t (*find)(const void *own, const char *key);
    bool text_up; /* the arrow at an order by text points up, as the least comes first */
};

/* The shown rows of a list. All zero at first. */
struct rows {
    size_t n;                    /* how many are shown */
    uint32_t *at;                /* their numbers in the list */
    bool given_up;               /* the user did not wait for all of them */
    struct table_fields columns; /* set by rows_columns; the view may change them */
    int flexible;                /* set before cells are asked for: width of the flexible column */
    int first;                   /* the order that stands for the first one; 0: it does itself */
    /* The rest is for rows.c. */
    const struct rows_ops *ops;
    const void *list, *own;
    size_t cap;
    void *made; /* the last row that was not kept */
    uint64_t of[ROWS_MADE_OF];
    int sort;
    bool reverse;
    char filter[QUERY_MAX];
};

void rows_free(struct rows *r);
/*
 * Collects those of the list's n rows that pass the filter. of: what the list is made of; the rows
 * are collected again only if that, which is never all zero, the filter or the order has changed.
 * NULL: each time. list is what ops->list->row is called with; it must live until the next call.
 */
void rows_collect(struct rows *r, const struct rows_ops *ops, const void *list, size_t n,
                  const uint64_t of[ROWS_MADE_OF], const struct view_state *st);
/* Sets the columns to those of the fields. */
void rows_columns(struct rows *r);
/* Draws the shown rows. none: the sentence that is drawn if there are none; NULL: nothing is. */
void rows_draw(struct canvas *c, struct rect area, struct rows *r, const char *none,
               struct view_state *st);
/* A shown row; one that is not kept lives until the next call for one. */
const void *rows_at(const struct rows *r, size_t i);
/* The shown row with this key; NULL: it is gone. */
const void *rows_find(const struct rows *r, const char *key);
/* The row under the cursor; NULL: there is none. */
const void *rows_selected(const struct rows *r, const struct view_state *st);
