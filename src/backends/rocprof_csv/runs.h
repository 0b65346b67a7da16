/*
 * What CSV files hold, kept until all are read: a run is the files of one folder whose names
 * differ in their kind only ("4242_kernel_trace.csv", "4242_hip_api_trace.csv"), and within those
 * the rows of one guid. Correlations and dispatches are joined within a run.
 */
#ifndef ROOFTOP_BACKENDS_ROCPROF_CSV_RUNS_H
#define ROOFTOP_BACKENDS_ROCPROF_CSV_RUNS_H

#include "backends/rocm/timeline.h"
#include "backends/rocprof_csv/columns.h"

/* As a row names it: "Agent 4", "GPU 0". */
struct csv_agent {
    uint32_t number; /* TRACE_UNKNOWN */
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
    uint32_t node;                 /* once it is in the graph */
    uint32_t first_value, nvalues; /* of a row of counters */
};

struct csv_copy {
    int64_t pid, tid, queue, stream;
    struct csv_agent from, to;
    uint64_t start, end, correlation, bytes;
    uint32_t kind; /* a name; GRAPH_NONE unknown */
};

struct csv_value {
    uint32_t name;
    double value;
};

/* A row of agent_info. */
struct csv_agent_info {
    struct trace_agent agent;
    uint32_t logical, logical_type; /* what other files may call it; TRACE_UNKNOWN */
};

struct csv_run {
    char *prefix, *guid; /* of paths; "" where rows have none */
    struct csv_call *calls;
    struct csv_dispatch *kernels, *counted; /* of kernel traces; of counter collections */
    struct csv_copy *copies;
    struct csv_value *values;
    struct csv_agent_info *agents;
    uint32_t ncalls, nkernels, ncounted, ncopies, nvalues, nagents;
    uint32_t calls_cap, kernels_cap, counted_cap, copies_cap, values_cap, agents_cap;
};

struct csv_runs {
    struct csv_run *runs;
    uint32_t n, cap, last;
    char *skipped;     /* the first file of those nothing is shown of; NULL */
    enum csv_kind why; /* which it is */
    bool useful;       /* another file was read */
};

/* The part of a path that the files of one run share; the caller frees it. */
char *csv_prefix(const char *path);
/* A new one where there is none; NULL: there are too many already. */
struct csv_run *csv_run_of(struct csv_runs *r, const char *prefix, const char *guid);
void csv_runs_free(struct csv_runs *r);

/* Puts them all into the trace's graph of calls. */
void csv_build(struct csv_runs *r, struct trace *t);

#endif
