/*
 * Reads rocpd, the SQLite databases of rocprofv3: the sets of tables of a file (rocpd_reader.c),
 * the small tables with names (tables.c, agents.c), and spans (spans.c). Rows are joined only
 * within one guid: several runs or ranks in one file may use the same identifiers. Facts about the
 * format and their sources: docs/PROFILES.md.
 */
#ifndef ROOFTOP_BACKENDS_ROCPD_ROCPD_H
#define ROOFTOP_BACKENDS_ROCPD_ROCPD_H

#include "backends/rocm/timeline.h"
#include "backends/rocpd/select.h"
#include "base/hash_table.h"
#include "base/ids.h"

/* Maps one run's identifiers to indexes of the arrays below, to names or to nodes of the graph. */
struct rocpd_guid {
    char *text;
    size_t length;
    struct ids strings, hosts, counters; /* names */
    struct ids processes, threads, symbols, tracks;
    struct ids agents;      /* in the trace */
    struct ids dispatches;  /* dispatches by their event: nodes */
    struct ids categories;  /* the few strings that are names of categories of ranges */
    struct ids markers;     /* events that are ranges */
    uint32_t first_process; /* IDS_NONE: none */
};

struct rocpd_process {
    int64_t pid;
    char *command; /* NULL: unknown */
    uint32_t node; /* GRAPH_NONE: no spans so far */
};

struct rocpd_thread {
    int64_t tid;
    char *name;
};

struct rocpd_symbol {
    uint32_t name;
    uint32_t lds_bytes, scratch_bytes, vgprs, accum_vgprs, sgprs; /* or TRACE_UNKNOWN */
};

/* Where a span ran; ROCM_UNKNOWN: unknown. */
struct rocpd_place {
    int64_t pid, tid, agent, queue, stream;
};

struct rocpd {
    struct sqlite_file file;
    struct rocpd_tables tables;
    struct trace *t;
    struct rocm_timeline line;
    /* for the set of tables that is being read: */
    const char *suffix;
    struct rocpd_guid *guids;
    struct hash_table guid_by_text;
    uint32_t own_guid, last_guid; /* for rows without a guid; of the last row */
    struct rocpd_process *processes;
    struct rocpd_thread *threads;
    struct rocpd_symbol *symbols;
    struct rocpd_place *tracks;
    uint32_t nguids, nprocesses, nthreads, nsymbols, ntracks;
    uint32_t guids_cap, processes_cap, threads_cap, symbols_cap, tracks_cap;
    struct rocpd_alike *alike; /* dispatches by their common properties */
    bool stacks, counters;     /* there are calls that launched; there are counters */
    bool ranges;               /* there are categories of ranges */
    /* The counters of one dispatch, until the next dispatch: its instances are consecutive. */
    struct {
        uint32_t name;
        double value;
    } sum[32];
    uint32_t nsums, sum_node;
};

/* Reads a table of the set, whose first column is "guid", and calls row for each row. */
typedef void (*rocpd_row)(struct rocpd *r, const struct rocpd_select *s, struct rocpd_guid *g);
int rocpd_each(struct rocpd *r, const struct rocpd_columns *c, bool stacks, rocpd_row row);

/* Finds or adds a guid and returns its index; UINT32_MAX with err: too many. */
uint32_t rocpd_guid_of(struct rocpd *r, const char *text);
void rocpd_forget_set(struct rocpd *r); /* before the next set, and at the end */

int rocpd_read_names(struct rocpd *r);  /* tables.c */
int rocpd_read_agents(struct rocpd *r); /* agents.c; after the names */
int rocpd_read_spans(struct rocpd *r);  /* spans.c; after both */

#endif
