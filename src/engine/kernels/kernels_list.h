/* Filters and sorts the table of kernels, for the screen and for documents. */
#pragma once

#include "engine/kernels/kernels.h"
#include "engine/value/list_order.h"

/* The fields of a row (struct kernel_row): engine/kernels/kernels_fields.def. */
extern const struct list_field kernels_fields[];
enum kernels_field {
#define LIST_FILE   "engine/kernels/kernels_fields.def"
#define LIST_ID(id) KERNELS_FIELD_##id
#include "engine/value/list_field_ids.h"
};

/* The rows of a struct kernel_table; equal ones stay in the order of time. */
extern const struct list_rows kernels_rows;
/* Fills out with the sorted indices of the rows that pass the query, by order `sort` of the fields
 * (list_fields_sort_named; 0 is the time). out needs room for all rows. Returns their number. */
uint32_t kernels_list(const struct kernel_table *table, const struct query *query, int sort,
                      bool reverse, uint32_t *out);
