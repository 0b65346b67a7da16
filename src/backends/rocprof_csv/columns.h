/*
 * Finds the columns of rocprofv3's CSV files by the names in the first line, in any order, and the
 * kind of the file. Facts and their sources: docs/PROFILES.md.
 */
#ifndef ROOFTOP_BACKENDS_ROCPROF_CSV_COLUMNS_H
#define ROOFTOP_BACKENDS_ROCPROF_CSV_COLUMNS_H

#include "backends/rocprof_csv/csv.h"

enum csv_column {
    C_GUID,
    C_PID,
    C_TID,
    C_AGENT,
    C_QUEUE,
    C_STREAM,
    C_START,
    C_END,
    C_CORRELATION,
    C_FUNCTION,
    C_DISPATCH,
    C_KERNEL,
    C_LDS,
    C_SCRATCH,
    C_VGPRS,
    C_ACCUM_VGPRS,
    C_SGPRS,
    C_GROUP, /* products of the three dimensions */
    C_GRID,
    C_GROUP_X,
    C_GROUP_Y,
    C_GROUP_Z,
    C_GRID_X,
    C_GRID_Y,
    C_GRID_Z,
    C_COUNTER,
    C_VALUE,
    C_DIRECTION,
    C_FROM,
    C_TO,
    C_SIZE,
    C_NODE,
    C_LOGICAL,
    C_LOGICAL_TYPE,
    C_TYPE,
    C_NAME,
    C_PRODUCT,
    C_MODEL,
    C_UNITS,
    C_CLOCK,
    C_MEMORY,
    C_OPERATION, /* from here on: only to distinguish kinds of files */
    C_ALLOCATED,
    C_FLAGS,
    C_EXEC_MASK,
    C_CALLS,
    C_TOTAL,
    C_DOMAIN,
    CSV_COLUMNS
};

enum csv_kind {
    CSV_COUNTERS,
    CSV_KERNELS,
    CSV_COPIES,
    CSV_CALLS,
    CSV_AGENTS,
    CSV_SKIPPED, /* from here on: kinds that are not shown */
    CSV_KINDS = CSV_SKIPPED + 4
};

struct csv_header {
    enum csv_kind kind;
    uint32_t fields;
    uint16_t at[CSV_COLUMNS]; /* 1 + index of the field; 0: no such column */
};

/* Reads the header row; false: an unknown kind of file. */
bool csv_header_of(struct csv_header *h, const struct csv *row);
const char *csv_kind_name(enum csv_kind k); /* "kernel trace" */
const char *csv_column_name(enum csv_column c);

/* The field of a column; NULL: no such column. */
static inline const char *csv_text(const struct csv *c, const struct csv_header *h,
                                   enum csv_column column)
{
    return h->at[column] ? csv_field(c, h->at[column] - 1u) : NULL;
}
/*
 * Reads an integer; ROCM_UNKNOWN where the column is missing or empty. -EINVAL with err where it is
 * something else.
 */
int csv_number(struct csv *c, const struct csv_header *h, enum csv_column column, int64_t *out);
/* Read numbers that cannot be negative; TRACE_UNKNOWN where missing, or too large. */
int csv_count(struct csv *c, const struct csv_header *h, enum csv_column column, uint32_t *out);
int csv_real(struct csv *c, const struct csv_header *h, enum csv_column column, double *out);

#endif
