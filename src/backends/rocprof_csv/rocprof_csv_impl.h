/* What the files of backends/rocprof_csv share among themselves. */
#pragma once

#include "backends/rocm/timeline.h"
#include "backends/rocprof_csv/csv.h"
#include "base/hash_table.h"

/* Finds the columns of rocprofv3's CSV files by the names in the first line, in any order, and the
 * kind of the file. Facts and their sources: docs/PROFILES.md. */
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
/* Reads an integer; ROCM_UNKNOWN if the column is missing or empty. -EINVAL with err if it has
 * something else. */
int csv_number(struct csv *c, const struct csv_header *h, enum csv_column column, int64_t *out);
/* Read numbers that cannot be negative; TRACE_UNKNOWN if missing or too large. */
int csv_count(struct csv *c, const struct csv_header *h, enum csv_column column, uint32_t *out);
int csv_real(struct csv *c, const struct csv_header *h, enum csv_column column, double *out);

/* The contents of CSV files, kept until all are read. A run is the files of one folder whose names
 * differ only in their kind ("4242_kernel_trace.csv", "4242_hip_api_trace.csv"), and in those the
 * rows of one guid. Correlations and dispatches are joined within a run. */

/* An agent as a row names it: "Agent 4", "GPU 0". */
struct csv_agent {
    uint32_t number; /* or TRACE_UNKNOWN */
    enum { AGENT_ANY, AGENT_CPU, AGENT_GPU } type;
};

struct csv_call {
    int64_t pid, tid;
    uint64_t start, end, order, correlation;
    uint32_t name;
    bool range; /* of rocTX */
};

struct csv_dispatch {
    int64_t pid, tid;
    struct csv_agent agent;
    int64_t queue, stream, start, end;
    uint64_t correlation, id;
    uint32_t name;
    uint32_t items[3], group[3];
    uint32_t vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes;
    uint32_t node;                 /* set when it is in the graph */
    uint32_t first_value, nvalues; /* for a row of counters */
};

struct csv_copy {
    int64_t pid, tid, queue, stream;
    struct csv_agent from, to;
    uint64_t start, end, correlation, bytes;
    uint32_t kind; /* a name; GRAPH_NONE: unknown */
};

struct csv_value {
    uint32_t name;
    double value;
};

/* A row of agent_info. */
struct csv_agent_info {
    struct trace_agent agent;
    uint32_t logical, logical_type; /* its names in other files; TRACE_UNKNOWN */
};

/* Where short spans ran, of which only sums are kept. */
struct csv_lane {
    enum csv_kind kind; /* CSV_CALLS, CSV_KERNELS or CSV_COPIES */
    uint32_t direction; /* for copies */
    int64_t pid, tid, queue, stream;
    struct csv_agent from, to; /* from: also the agent of a kernel */
};

struct csv_run {
    struct trace_shorts shorts; /* by lane */
    struct csv_lane *lanes;
    struct hash_table lane_by_content;
    uint32_t nlanes, lanes_cap;
    char *prefix, *guid; /* prefix of the paths; guid is "" if rows have none */
    struct csv_call *calls;
    struct csv_dispatch *kernels, *counted; /* from kernel traces; from counter collections */
    struct csv_copy *copies;
    struct csv_value *values;
    struct csv_agent_info *agents;
    uint32_t ncalls, nkernels, ncounted, ncopies, nvalues, nagents;
    uint32_t calls_cap, kernels_cap, counted_cap, copies_cap, values_cap, agents_cap;
};

struct csv_runs {
    struct csv_run *runs;
    uint32_t n, cap, last;
    char *skipped;     /* the first file of a kind that is not shown; NULL */
    enum csv_kind why; /* its kind */
    bool useful;       /* another file was read */
    uint64_t rows;     /* number of spans that are kept */
    uint64_t fold_at;  /* number of rows at which the shorter half becomes sums; 0: not known yet */
    uint64_t below;    /* ns: shorter spans become sums immediately */
};

/* The part of a path that all files of a run share. The caller frees it. */
char *csv_prefix(const char *path);
/* Finds or adds a run; NULL: too many runs. */
struct csv_run *csv_run_of(struct csv_runs *r, const char *prefix, const char *guid);
void csv_runs_free(struct csv_runs *r);

/* Adds a row that is too short to keep to its sum. Returns whether it did. */
bool csv_call_short(struct csv_runs *r, struct csv_run *run, const struct csv_call *c);
bool csv_kernel_short(struct csv_runs *r, struct csv_run *run, const struct csv_dispatch *d);
bool csv_copy_short(struct csv_runs *r, struct csv_run *run, struct trace *t,
                    const struct csv_copy *c);
/* Called after each row that was kept. Returns 0, or -ENOMEM with err: rows that cannot become sums
 * need too much memory. */
int csv_make_room(struct csv_runs *r, struct trace *t, const char *path, struct error *err);

/* Builds the trace's graph of calls from all runs. */
void csv_build(struct csv_runs *r, struct trace *t);

/* Checks the rows of each kind of file and adds them to their run. */

/* Returns 0; -EINVAL with file, line and column in err; -ENOMEM. */
int csv_add_row(struct csv_runs *runs, struct csv_run *run, struct trace *t, struct csv *c,
                const struct csv_header *h);
