#include "engine/kernels/kernels_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- fields --- */

static double number_if_known(uint32_t v)
{
    return v == TRACE_UNKNOWN ? NAN : v;
}

static double of_launch(const struct kernel_row *r, uint32_t v)
{
    return r->shape.grid[0] ? v : NAN;
}

static double of_block(const struct kernel_row *r, uint32_t v)
{
    return r->shape.block[0] ? v : NAN;
}

static int by_label(const void *a, const void *b)
{
    const struct kernel_row *x = a, *y = b;
    return strcmp(bottleneck_name(x->label.label), bottleneck_name(y->label.label));
}

#define LIST_ROW   struct kernel_row
#define LIST_FILE  "engine/kernels/kernels_fields.def"
#define LIST_TABLE kernels_fields
#include "engine/value/list_field_table.h"

/* --- order --- */

struct kernels_order {
    const struct kernel_row *rows;
    const struct list_field *field;
    int sign;
};

static int compare_listed_kernels(const void *x, const void *y, void *ctx)
{
    const struct kernels_order *o = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    int c = o->sign * list_field_compare(o->field, &o->rows[a], &o->rows[b]);
    return c ? c : (a > b) - (a < b); /* equal rows stay in order of time */
}

uint32_t kernels_list(const struct kernel_table *table, const struct query *query, int sort,
                      bool reverse, uint32_t *out)
{
    uint32_t n = 0;
    struct kernels_order o = {table->rows, list_fields_sort(kernels_fields, sort),
                              reverse ? -1 : 1};
    for (uint32_t i = 0; i < table->n; i++)
        if (query_match(query, &table->rows[i]))
            out[n++] = i;
    if (n)
        qsort_r(out, n, sizeof *out, compare_listed_kernels, &o);
    return n;
}
