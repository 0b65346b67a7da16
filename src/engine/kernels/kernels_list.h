/* Filters and sorts the table of kernels, for the screen and for documents. */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNELS_LIST_H
#define ROOFTOP_ENGINE_KERNELS_KERNELS_LIST_H

#include "engine/kernels/kernels.h"
#include "engine/value/query.h"

/* Largest first, except names. */
enum kernels_sort {
    KERNELS_TIME,
    KERNELS_CALLS,
    KERNELS_MEAN,
    KERNELS_MIN,
    KERNELS_MAX,
    KERNELS_DEVIATION,
    KERNELS_CRITICALITY,
    KERNELS_SLACK,
    KERNELS_OCCUPANCY, /* smallest first, because low values are of interest */
    KERNELS_VGPRS,
    KERNELS_LDS,
    KERNELS_LABEL,
    KERNELS_NAME,
    KERNELS_SORTS
};
extern const char *const kernels_sorts[]; /* "time"…; NULL-terminated */
/* Fields for filters; a row is a struct kernel_row. */
extern const struct query_field kernels_fields[];

/* Fills out with the sorted indices of the rows that pass the query. out needs room for all rows.
 * Returns their number. */
uint32_t kernels_list(const struct kernel_table *table, const struct query *query,
                      enum kernels_sort sort, bool reverse, uint32_t *out);

#endif
