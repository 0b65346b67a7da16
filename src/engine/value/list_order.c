#include "engine/value/list_order.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/watch.h"

enum { CHECK_EVERY = 4096 };

struct ordering {
    const struct list_rows *l;
    const void *ctx;
    const struct list_field *field;
    bool reverse;
    char *made[2];  /* room for the two rows that are compared */
    double *number; /* of each row, what the order compares; NULL: it compares something else */
};

static int compare_by_field(const struct ordering *o, uint32_t i, uint32_t j)
{
    if (o->number)
        return list_field_compare_numbers(o->field, o->number[i], o->number[j]);
    return list_field_compare(o->field, o->l->row(o->ctx, i, o->made[0]),
                              o->l->row(o->ctx, j, o->made[1]));
}

/* Orders two rows that are equal in the chosen order. */
static int compare_equal_rows(const struct ordering *o, uint32_t i, uint32_t j)
{
    int c = 0;
    if (o->l->tie)
        c = o->l->tie(o->l->row(o->ctx, i, o->made[0]), o->l->row(o->ctx, j, o->made[1]));
    if (c == 0)
        c = (i > j) - (i < j);
    return c;
}

static int compare_ordered_rows(const void *x, const void *y, void *ctx)
{
    const struct ordering *o = ctx;
    const uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
    const int c = compare_by_field(o, i, j);
    if (c)
        return o->reverse ? -c : c;
    const int tie = compare_equal_rows(o, i, j);
    return o->reverse && o->l->mirrored ? -tie : tie;
}

static void reverse_rows(uint32_t *rows, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const uint32_t other = rows[n - 1 - i];
        rows[n - 1 - i] = rows[i];
        rows[i] = other;
    }
}

/* Rows mostly come in their order already, which is cheaper to see than to make. A row's number is
 * found once, because a million rows are compared twenty million times. */
static void sort_rows(struct ordering *o, uint32_t *rows, size_t n, size_t all)
{
    size_t i = 1;
    if (n < 2)
        return;
    if (!o->field->compare && !o->field->text) {
        o->number = xrealloc(NULL, all, sizeof *o->number);
        for (size_t k = 0; k < n; k++)
            o->number[rows[k]] =
                list_field_number(o->field, o->l->row(o->ctx, rows[k], o->made[0]));
    }
    while (i < n && compare_ordered_rows(&rows[i - 1], &rows[i], o) < 0)
        i++;
    if (i < n)
        qsort_r(rows, n, sizeof *rows, compare_ordered_rows, o);
    free(o->number);
}

static size_t filter_rows(const struct ordering *o, size_t n, const struct query *query,
                          uint32_t *out, bool *given_up)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const void *row = o->l->row(o->ctx, i, o->made[0]);
        if ((!o->l->has || o->l->has(o->ctx, row)) && query_match(query, row))
            out[kept++] = (uint32_t)i;
        if (given_up && query && i % CHECK_EVERY == CHECK_EVERY - 1 && watch_given_up()) {
            *given_up = true;
            break;
        }
    }
    return kept;
}

size_t list_order(const struct list_rows *l, const void *ctx, size_t n, struct list_wish wish,
                  uint32_t *out, bool *given_up)
{
    char *made = l->size ? xcalloc(2, l->size) : NULL;
    struct ordering o = {l,
                         ctx,
                         list_fields_order(l->fields, wish.sort),
                         wish.reverse,
                         {made, made ? made + l->size : NULL},
                         NULL};
    if (given_up)
        *given_up = false;
    const size_t kept = filter_rows(&o, n, wish.query, out, given_up);
    if (!l->first_as_come || wish.sort)
        sort_rows(&o, out, kept, n);
    else if (wish.reverse)
        reverse_rows(out, kept);
    free(made);
    return kept;
}
