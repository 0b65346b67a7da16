/*
 * The CSV files of rocprof-compute: dispatches with their registers and counters, as rows of
 * columns (a column each counter) or of one counter each. What several passes tell of a dispatch is
 * put together by order: the n-th of a kernel, of its grid and GPU, is the n-th one there.
 * Facts and their sources: docs/PROFILES.md.
 */
#ifndef ROOFTOP_BACKENDS_ROCPROF_COMPUTE_SHEET_H
#define ROOFTOP_BACKENDS_ROCPROF_COMPUTE_SHEET_H

#include "backends/rocprof_csv/csv.h"
#include "engine/trace/trace.h"

#define SHEET_END UINT32_MAX /* of a chain */

struct sheet_row {
    uint64_t id;
    uint32_t name; /* of the graph of calls */
    uint32_t gpu;  /* as the tool counts them; TRACE_UNKNOWN */
    int64_t pid, tid, queue;
    uint32_t items, group;                                        /* work-items; 0 unknown */
    uint32_t vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes; /* TRACE_UNKNOWN */
    uint32_t values, times; /* the last of a chain; SHEET_END */
};

struct sheet {
    struct sheet_row *rows;
    uint32_t n, cap;
    bool merged; /* a row has what several passes counted, and a time that holds for them */
};

/* What the files of a folder share. */
struct sheets {
    struct graph *columns; /* names of counters, with their instance: "TCC_HIT[3]" */
    struct sheet_value {
        uint32_t column, before; /* a name of columns; the one before in the row's chain */
        double value;
    } * values;
    struct sheet_time {
        uint64_t start, end;
        uint32_t before;
    } * times;
    uint32_t nvalues, values_cap, ntimes, times_cap;
    uint64_t rounded; /* times that lost their digits in the file: unknown */
};

/* Whether its first line is of such a file. */
bool sheet_recognise(const struct csv *row);
/* Adds what the file has to *out. -errno with err; what was read before is there. Free it after
 * either outcome. */
int sheet_read(struct sheet *out, struct sheets *all, struct trace *t, const char *path,
               struct error *err);
void sheet_free(struct sheet *s);
void sheets_free(struct sheets *all);

/* Adds to the rows of base what another pass tells of them, but for counters that base has. The
 * number of kernels that base has not as often: what is told of those is left out. */
uint32_t sheet_merge(struct sheet *base, const struct sheet *pass, struct sheets *all);

#endif
