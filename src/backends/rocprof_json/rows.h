/* The JSON of a process: rows, and the tables that they refer to by number. */
#pragma once

#include "backends/rocm/timeline.h"
#include "base/arena.h"
#include "base/ids.h"
#include "json/tokens.h"

enum row_kind { ROW_NONE, ROW_KERNEL, ROW_COPY, ROW_CALL, ROW_MARKER, ROW_COUNTED };

/* A row of any list. Numbers that it lacks are ROCM_UNKNOWN. */
struct row {
    int64_t kind, operation, thread, start, end, correlation, agent, queue, stream, kernel,
        dispatch, scratch, lds, bytes, from, to;
    int64_t items[3], group[3];
    enum row_kind what;
};

struct row_symbol {
    int64_t id, vgprs, accum_vgprs, sgprs, lds, scratch;
    const char *name, *formatted;
};

struct row_agent {
    int64_t id, type, node, units, clock, memory;
    const char *name, *product, *model;
    uint32_t index; /* in the trace */
};

/* The kind of a record: "HIP_RUNTIME_API", and the names of its operations. */
struct row_domain {
    const char *name;
    const char **operations;
    uint32_t n, cap;
};

struct row_text { /* of a marker, or the name of a counter */
    int64_t id;
    const char *text;
};

struct row_counter {
    uint32_t row;
    int64_t counter;
    double value;
};

#define ROW_LIST(type)                                                                             \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

struct process {
    struct arena texts;
    int64_t pid;
    char *command;    /* NULL: unknown */
    const char *host; /* NULL: unknown */
    ROW_LIST(struct row) rows;
    ROW_LIST(struct row_symbol) symbols;
    ROW_LIST(struct row_agent) agents;
    ROW_LIST(struct row_domain) domains;
    ROW_LIST(struct row_text) markers, counters;
    ROW_LIST(struct row_counter) values;
};

/* Adds the process to the trace. */
void rocprof_json_build(struct process *p, struct rocm_timeline *line);
void rocprof_json_free(struct process *p);
