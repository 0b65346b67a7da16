/* What the files of backends/rocprof_compute share among themselves. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "backends/rocprof_csv/csv.h"
#include "base/error.h"
#include "engine/trace/trace.h"

/*
 * Reads the folder that rocprof-compute writes for a workload, and sysinfo.csv about its machine.
 */
struct compute_system {
    char arch[32], model[64], host[128], command[512]; /* "": unknown */
    uint32_t units, clock_mhz, channels; /* or TRACE_UNKNOWN; channels: of the L2 cache */
};

enum { COMPUTE_FILES_MAX = 64 };
struct compute_files {
    char *paths[COMPUTE_FILES_MAX]; /* files with dispatches: the joined one first, if it exists */
    uint32_t n;
    char *roofs; /* roofline.csv; NULL */
};

/* Whether the folder has sysinfo.csv, and counters or times of dispatches. */
bool compute_folder_is(const char *path);
void compute_files_find(struct compute_files *out, const char *folder);
void compute_files_free(struct compute_files *f);
/* Reads the folder's sysinfo.csv. Returns -errno with err if it cannot be read; if it does not
 * exist, 0 with all fields unknown. */
int compute_system_read(struct compute_system *out, const char *folder, struct error *err);

/* The CSV files of rocprof-compute: dispatches with their registers and counters, with one column
 * for each counter or one row for each. Several passes are joined by order: the n-th dispatch of a
 * kernel, with its grid and GPU, is the n-th in each pass. Facts and their sources:
 * docs/PROFILES.md. */
#define SHEET_END UINT32_MAX /* end of a chain */

struct sheet_row {
    uint64_t id;
    uint32_t name; /* in the graph of calls */
    uint32_t gpu;  /* the tool's number; TRACE_UNKNOWN */
    int64_t pid, tid, queue;
    uint32_t items, group;                                        /* work-items; 0: unknown */
    uint32_t vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes; /* or TRACE_UNKNOWN */
    uint32_t values, times; /* the last entry of a chain; SHEET_END */
};

struct sheet {
    struct sheet_row *rows;
    uint32_t n, cap;
    bool merged; /* rows combine the counters of several passes, with one time for all */
};

/* What the files of one folder share. */
struct sheets {
    struct graph *columns; /* names of counters, with their instance: "TCC_HIT[3]" */
    struct sheet_value {
        uint32_t column, before; /* a name in columns; the previous entry in the row's chain */
        double value;
    } * values;
    struct sheet_time {
        uint64_t start, end;
        uint32_t before;
    } * times;
    uint32_t nvalues, values_cap, ntimes, times_cap;
    uint64_t rounded; /* times that lost digits in the file and are unknown */
};

/* Whether a first line is from such a file. */
bool sheet_recognise(const struct csv *row);
/* Adds the file's contents to *out. On an error returns -errno with err, and keeps what was read
 * before. Free *out also after an error. */
int sheet_read(struct sheet *out, struct sheets *all, struct trace *t, const char *path,
               struct error *err);
void sheet_free(struct sheet *s);
void sheets_free(struct sheets *all);

/* Adds the values of another pass to the rows of base, except counters that base already has.
 * Returns the number of kernels that ran a different number of times in the two; their values are
 * not added. */
uint32_t sheet_merge(struct sheet *base, const struct sheet *pass, struct sheets *all);
