#include "engine/kernels/kernels_list.h"

#include <math.h>
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

/* --- rows --- */

static const void *listed_kernel(const void *table, size_t i, void *made)
{
    (void)made;
    return &((const struct kernel_table *)table)->rows[i];
}

const struct list_rows kernels_rows = {kernels_fields, .row = listed_kernel};

uint32_t kernels_list(const struct kernel_table *table, const struct query *query, int sort,
                      bool reverse, uint32_t *out)
{
    const struct list_wish wish = {query, sort, reverse};
    return (uint32_t)list_order(&kernels_rows, table, table->n, wish, out, NULL);
}
