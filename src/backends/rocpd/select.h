/*
 * Reads some columns of one of rocpd's tables, in the file's order. Tables of one set share a
 * suffix, which may contain any character. A missing column holds NULLs. Rows pass through an
 * aggregate function, which takes two thirds of the time of asking for each column.
 */
#ifndef ROOFTOP_BACKENDS_ROCPD_SELECT_H
#define ROOFTOP_BACKENDS_ROCPD_SELECT_H

#include "backends/common/sqlite_file.h"

enum { ROCPD_COLUMNS = 24 };

struct rocpd_columns {
    const char *table;                  /* without its suffix: "rocpd_region" */
    const char *columns[ROCPD_COLUMNS]; /* NULL-terminated */
    uint32_t needed; /* one bit each: a table without one of these columns is refused */
};

/*
 * The names of all real tables that begin with "rocpd_", in NOCASE order: SQLite's own list has no
 * index, and a file with many runs has many tables.
 */
struct rocpd_events;
struct rocpd_tables {
    char **names;
    uint32_t n, cap;
    struct rocpd_events *events; /* of the set that is being read */
};
/* free t also after an error */
int rocpd_tables_read(struct rocpd_tables *t, struct sqlite_file *f);
void rocpd_tables_free(struct rocpd_tables *t);
bool rocpd_has(const struct rocpd_tables *t, const char *table, const char *suffix);

struct rocpd_text {
    char *text; /* NUL-terminated */
    uint32_t cap;
};

struct rocpd_select {
    struct sqlite_file *file;
    char *table;                     /* with the suffix */
    uint64_t row;                    /* number of the row, from 1 */
    uint32_t found;                  /* one bit for each existing column */
    int stack;                       /* the column of rocpd_event.stack_id; -1: not requested */
    const struct sqlite_cell *cells; /* values of the row */
    struct rocpd_text *texts;        /* of each column, from the last request */
    int64_t last;                    /* last row id read from a page; INT64_MIN: none */
    int (*each)(void *ctx, const struct rocpd_select *row); /* 0, or -errno with err to stop */
    void *ctx;
    int rc;
};

/*
 * Calls each for every row. stacks: adds the stack_id of each row's event (its event_id) as the
 * last column. Returns 0, also where there is no such table, or -errno with err.
 */
int rocpd_select(struct sqlite_file *f, const struct rocpd_tables *t, const char *suffix,
                 const struct rocpd_columns *c, bool stacks,
                 int (*each)(void *ctx, const struct rocpd_select *row), void *ctx);

int64_t rocpd_whole(const struct sqlite_cell *c);
/* The integer in a column; ROCM_UNKNOWN: NULL, or not an integer. */
static inline int64_t rocpd_int(const struct rocpd_select *s, int column)
{
    const struct sqlite_cell *c = &s->cells[column];
    return c->kind == VALUE_INT ? c->whole : rocpd_whole(c);
}
/* The same for small numbers; TRACE_UNKNOWN: NULL, not an integer, or out of range. */
uint32_t rocpd_count(const struct rocpd_select *s, int column);
/* The text in a column, valid for this row; NULL: another type. */
const char *rocpd_text(const struct rocpd_select *s, int column);
/* Whether the column has this text of n bytes; it avoids the copy that rocpd_text makes. */
bool rocpd_text_is(const struct rocpd_select *s, int column, const char *text, size_t n);
/* The number in a column; false: it has none. */
bool rocpd_real(const struct rocpd_select *s, int column, double *out);
static inline bool rocpd_null(const struct rocpd_select *s, int column)
{
    return s->cells[column].kind == VALUE_NULL;
}

/* The approximate number of rows; exact if no row was ever deleted. Fast for any size. */
uint64_t rocpd_rows(struct sqlite_file *f, const struct rocpd_tables *t, const char *table,
                    const char *suffix);

#endif
