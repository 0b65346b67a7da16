#include "tui/widgets/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void rows_free(struct rows *r)
{
    free(r->at);
    free(r->made);
    *r = (struct rows){0};
}

static int chosen_order_of(const struct rows *r, const struct view_state *st)
{
    return st->sort && list_fields_sort(r->ops->list->fields, st->sort) ? st->sort : r->first;
}

static bool is_collected(const struct rows *r, const uint64_t of[ROWS_MADE_OF],
                         const struct view_state *st)
{
    return of && memcmp(r->of, of, sizeof r->of) == 0 && r->sort == chosen_order_of(r, st) &&
           r->reverse == st->reverse && strcmp(r->filter, st->filter) == 0;
}

void rows_collect(struct rows *r, const struct rows_ops *ops, const void *list, size_t n,
                  const uint64_t of[ROWS_MADE_OF], const struct view_state *st)
{
    const bool other = r->ops != ops;
    r->ops = ops;
    r->list = list;
    r->own = st->own;
    if (!other && is_collected(r, of, st))
        return;
    if (other && ops->list->size)
        r->made = xrealloc(r->made, 1, ops->list->size);
    memcpy(r->of, of ? of : (uint64_t[ROWS_MADE_OF]){0}, sizeof r->of);
    r->sort = chosen_order_of(r, st);
    r->reverse = st->reverse;
    snprintf(r->filter, sizeof r->filter, "%s", st->filter);
    LIST_FIT(r->at, n, r->cap);
    r->n = list_order(ops->list, list, n, (struct list_wish){st->query, r->sort, r->reverse}, r->at,
                      &r->given_up);
}

const void *rows_at(const struct rows *r, size_t i)
{
    return r->ops->list->row(r->list, r->at[i], r->made);
}

const void *rows_selected(const struct rows *r, const struct view_state *st)
{
    const bool is = st->selected >= 0 && (size_t)st->selected < r->n;
    return is ? rows_at(r, (size_t)st->selected) : NULL;
}

const void *rows_find(const struct rows *r, const char *key)
{
    char own[VIEW_TEXT_MAX];
    for (size_t i = 0; i < r->n; i++) {
        r->ops->key(r->own, rows_at(r, i), own);
        if (strcmp(own, key) == 0)
            return rows_at(r, i);
    }
    return NULL;
}

void rows_columns(struct rows *r)
{
    table_fields(&r->columns, r->ops->list->fields);
}

/* --- the table --- */

static void write_row_cell(const void *ctx, size_t i, int col, char text[TABLE_CELL_MAX],
                           struct style *st)
{
    const struct rows *r = ctx;
    r->ops->cell(r->own, rows_at(r, i), r->columns.field[col], text, st);
}

static void write_row_key(const void *ctx, size_t i, char key[VIEW_TEXT_MAX])
{
    const struct rows *r = ctx;
    r->ops->key(r->own, rows_at(r, i), key);
}

static bool is_row_match(const void *ctx, size_t i, const char *needle)
{
    const struct rows *r = ctx;
    const void *row = rows_at(r, i);
    char text[FIELD_TEXT_MAX];
    if (r->ops->match)
        return r->ops->match(r->own, row, needle);
    for (const struct list_field *f = r->ops->list->fields; f->name; f++)
        if (f->plain && f->text && table_contains(f->text(row, text), needle))
            return true;
    return false;
}

/* The place of the row with this key; -1: it is not shown. last: where it was. */
static int find_shown_place(const void *ctx, const char *key, int last)
{
    const struct rows *r = ctx;
    const size_t i = r->ops->find(r->own, key);
    if (i == SIZE_MAX)
        return -1;
    if (last >= 0 && (size_t)last < r->n && r->at[last] == i)
        return last;
    if (i < r->n && r->at[i] == i) /* all rows are shown as they come */
        return (int)i;
    for (size_t k = 0; k < r->n; k++)
        if (r->at[k] == i)
            return (int)k;
    return -1;
}

void rows_draw(struct canvas *c, struct rect area, struct rows *r, const char *none,
               struct view_state *st)
{
    const struct list_field *order = list_fields_order(r->ops->list->fields, r->sort);
    const struct table t = {.columns = r->columns.columns,
                            .ncolumns = r->columns.n,
                            .fields = &r->columns,
                            .ctx = r,
                            .nrows = r->n,
                            .sort = table_fields_sorted(&r->columns, r->sort),
                            .reverse = (r->ops->text_up && order->text) != st->reverse,
                            .flexible = &r->flexible,
                            .cell = write_row_cell,
                            .key = write_row_key,
                            .find = r->ops->find ? find_shown_place : NULL,
                            .match = is_row_match};
    table_draw(c, area, &t, st);
    if (r->n == 0 && none)
        canvas_text(c, area.x, area.y + 2, area.w, none, STYLE(STYLE_DIM));
    else if (r->n && r->given_up)
        canvas_text_right(c, area.x, area.y, area.w, "not all rows were looked at",
                          STYLE(STYLE_WARN));
}
