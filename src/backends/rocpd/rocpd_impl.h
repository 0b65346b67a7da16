/* What the files of backends/rocpd share among themselves. */
#pragma once

#include "backends/common/sqlite_file.h"
#include "backends/rocm/timeline.h"
#include "base/hash_table.h"
#include "base/ids.h"

/* Reads some columns of one of rocpd's tables, in the file's order. Tables of one set share a
 * suffix, which may contain any character. A missing column holds NULLs. Rows pass through an
 * aggregate function, which takes two thirds of the time of asking for each column. */
enum { ROCPD_COLUMNS = 24 };

struct rocpd_columns {
    const char *table;                  /* without its suffix: "rocpd_region" */
    const char *columns[ROCPD_COLUMNS]; /* NULL-terminated */
    uint32_t needed; /* one bit each: a table without one of these columns is refused */
};

/* The names of all real tables that begin with "rocpd_", in NOCASE order: SQLite's own list has no
 * index, and a file with many runs has many tables. */
struct rocpd_tables {
    char **names;
    uint32_t n, cap;
};
/* Free t even after an error. */
int rocpd_tables_read(struct rocpd_tables *t, struct sqlite_file *f);
void rocpd_tables_free(struct rocpd_tables *t);
bool rocpd_has(const struct rocpd_tables *t, const char *table, const char *suffix);

struct rocpd_select {
    struct sqlite_file *file;
    char *table;            /* with the suffix */
    uint64_t row;           /* number of the row, from 1 */
    uint32_t found;         /* one bit for each existing column */
    int stack;              /* the column of rocpd_event.stack_id; -1: not requested */
    sqlite3_value **values; /* of the row */
    int (*each)(void *ctx, const struct rocpd_select *row); /* 0, or -errno with err to stop */
    void *ctx;
    int rc;
};

/* Calls each for every row. stacks: adds the stack_id of each row's event (its event_id) as the
 * last column. Returns 0, even if there is no such table, or -errno with err. */
int rocpd_select(struct sqlite_file *f, const struct rocpd_tables *t, const char *suffix,
                 const struct rocpd_columns *c, bool stacks,
                 int (*each)(void *ctx, const struct rocpd_select *row), void *ctx);

int64_t rocpd_whole(sqlite3_value *v);
/* The integer in a column; ROCM_UNKNOWN: NULL, or not an integer. */
static inline int64_t rocpd_int(const struct rocpd_select *s, int column)
{
    sqlite3_value *v = s->values[column];
    return sqlite3_value_type(v) == SQLITE_INTEGER ? sqlite3_value_int64(v) : rocpd_whole(v);
}
/* The same for small numbers; TRACE_UNKNOWN: NULL, not an integer, or out of range. */
uint32_t rocpd_count(const struct rocpd_select *s, int column);
/* The text in a column, valid for this row; NULL: another type. */
const char *rocpd_text(const struct rocpd_select *s, int column);
/* Whether the column has this text of n bytes. */
bool rocpd_text_is(const struct rocpd_select *s, int column, const char *text, size_t n);
/* The number in a column; false: it has none. */
bool rocpd_real(const struct rocpd_select *s, int column, double *out);
static inline bool rocpd_null(const struct rocpd_select *s, int column)
{
    return sqlite3_value_type(s->values[column]) == SQLITE_NULL;
}

/* The approximate number of rows; exact if no row was ever deleted. Fast for any size. */
uint64_t rocpd_rows(struct sqlite_file *f, const struct rocpd_tables *t, const char *table,
                    const char *suffix);

/* Reads rocpd, the SQLite databases of rocprofv3: the sets of tables of a file (rocpd_reader.c),
 * the small tables with names (tables.c, agents.c), and spans (spans.c). Rows are joined only
 * within one guid: several runs or ranks in one file may use the same identifiers. Facts about the
 * format and their sources: docs/PROFILES.md. */

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
    uint32_t own_guid, last_guid; /* guid for rows without one; guid of the last row */
    struct rocpd_process *processes;
    struct rocpd_thread *threads;
    struct rocpd_symbol *symbols;
    struct rocpd_place *tracks;
    uint32_t nguids, nprocesses, nthreads, nsymbols, ntracks;
    uint32_t guids_cap, processes_cap, threads_cap, symbols_cap, tracks_cap;
    struct rocpd_alike *alike; /* dispatches by their common properties */
    bool stacks, counters;     /* the set has calls that launched; it has counters */
    bool ranges;               /* the set has categories of ranges */
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
