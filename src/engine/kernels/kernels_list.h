/* Rows of the table of kernels as they are asked for: filtered and sorted, on the screen and
 * outside of it. */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNELS_LIST_H
#define ROOFTOP_ENGINE_KERNELS_KERNELS_LIST_H

#include "engine/kernels/kernels.h"
#include "engine/value/query.h"

/* Most first, but for names. */
enum kernels_sort {
    KERNELS_TIME,
    KERNELS_CALLS,
    KERNELS_MEAN,
    KERNELS_MIN,
    KERNELS_MAX,
    KERNELS_DEVIATION,
    KERNELS_CRITICALITY,
    KERNELS_SLACK,
    KERNELS_OCCUPANCY, /* least first: what is low is looked for */
    KERNELS_VGPRS,
    KERNELS_LDS,
    KERNELS_LABEL,
    KERNELS_NAME,
    KERNELS_SORTS
};
extern const char *const kernels_sorts[]; /* "time"…; NULL-terminated */
/* Rows of filters are struct kernel_row. */
extern const struct query_field kernels_fields[];

/* Those that pass, in order, as indices into table->rows; how many. out has room for all. */
uint32_t kernels_list(const struct kernel_table *table, const struct query *query,
                      enum kernels_sort sort, bool reverse, uint32_t *out);

#endif
