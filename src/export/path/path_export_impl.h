/* Shared by the documents of a path. */
#pragma once

#include "engine/graph/graph_clocks.h"
#include "engine/graph/graph_counters.h"
#include "engine/graph/graph_syscalls.h"
#include "engine/value/list_field.h"
#include "export/path/path_export.h"

/* The path to show: that of what_if if it is set. */
const struct critical_path *path_shown(const struct path_document *d);

/* The number of different nodes among the steps. A parent may have several steps, around its
 * children. */
uint32_t path_count_nodes(const struct graph *g, const struct critical_path *p);

/* A row of the documents' lists of steps. */
struct path_step {
    const struct graph *g;
    const struct critical_step *s;
    uint32_t i;            /* its number */
    struct call_sum calls; /* calls in the span but not in its children; only at its first step */
    struct graph_clock clock;
    const struct graph_counters *counters;
    const struct graph_counts *counts; /* counts of all its calls; NULL = not counted */
};
/* Step i. seen: a flag for each node, which is set. */
struct path_step path_step_at(const struct trace *t, const struct critical_path *p, uint32_t i,
                              bool *seen);
extern const struct list_field path_step_fields[]; /* rows: struct path_step */

/* The system calls inside the spans of the path, by call, the most time first. all: their sum.
 * Returns how many; the caller frees *out. */
uint32_t path_syscalls(const struct graph *g, const struct critical_path *p, struct call_count *all,
                       struct call_part **out);

/* The spans with slack, the largest first. Returns their number; the caller frees *out. */
struct path_slack {
    uint64_t ns;
    uint32_t node;
};
uint32_t path_most_slack(const struct graph *g, const struct critical_path *p,
                         struct path_slack **out);

/* The threads and queues none of whose spans is on the path, the longest first. Returns their
 * number; the caller frees *out. */
struct path_beside {
    uint32_t lane, spans;
    uint64_t from, to; /* the first begin and the last end of its spans, in the graph's clock */
};
uint32_t path_lanes_beside(const struct graph *g, const struct critical_path *p,
                           struct path_beside **out);

/* Prints which of several files' ranks the path runs on, and where it goes over to another one.
 * Nothing if it stays in one. */
void print_path_ranks(FILE *out, const struct path_document *d);
/* The same as members of a JSON object, for several files. */
void write_path_ranks(FILE *out, const struct path_document *d);
