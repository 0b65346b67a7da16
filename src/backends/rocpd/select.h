/*
 * A pass over some columns of one of rocpd's tables, in the file's order. Tables of one set share
 * a suffix, which may hold any character. A column that is not there holds NULLs. Rows go through
 * an aggregate function: that takes two thirds of the time of asking for each of their columns.
 */
#ifndef ROOFTOP_BACKENDS_ROCPD_SELECT_H
#define ROOFTOP_BACKENDS_ROCPD_SELECT_H

#include "backends/common/sqlite_file.h"

enum { ROCPD_COLUMNS = 24 };

struct rocpd_columns {
    const char *table;                  /* without its suffix: "rocpd_region" */
    const char *columns[ROCPD_COLUMNS]; /* NULL-terminated */
    uint32_t needed;                    /* a bit each: a table without them is refused */
};

/* The names of all real tables whose names begin with "rocpd_", in order of NOCASE: SQLite's own
 * list has no index, and a file of many runs has many tables. */
struct rocpd_events;
struct rocpd_tables {
    char **names;
    uint32_t n, cap;
    struct rocpd_events *events; /* of the set that is being read */
};
int rocpd_tables_read(struct rocpd_tables *t, struct sqlite_file *f); /* free it after either */
void rocpd_tables_free(struct rocpd_tables *t);
bool rocpd_has(const struct rocpd_tables *t, const char *table, const char *suffix);

struct rocpd_text {
    char *text; /* NUL-terminated */
    uint32_t cap;
};

struct rocpd_select {
    struct sqlite_file *file;
    char *table;                     /* its whole name */
    uint64_t row;                    /* of those read, from 1 */
    uint32_t found;                  /* a bit for each of the columns that are there */
    int stack;                       /* the column of rocpd_event.stack_id; -1: not asked for */
    const struct sqlite_cell *cells; /* of the row */
    struct rocpd_text *texts;        /* of each column, as they were asked for last */
    int64_t last;                    /* row id that was read from a page; INT64_MIN: none */
    int (*each)(void *ctx, const struct rocpd_select *row); /* 0, or -errno with err: no more */
    void *ctx;
    int rc;
};

/* Calls each for every row. stacks: with the stack_id of the event that each row's event_id means,
 * as the column after the others. 0, also where there is no such table; -errno with err. */
int rocpd_select(struct sqlite_file *f, const struct rocpd_tables *t, const char *suffix,
                 const struct rocpd_columns *c, bool stacks,
                 int (*each)(void *ctx, const struct rocpd_select *row), void *ctx);

int64_t rocpd_whole(const struct sqlite_cell *c);
/* ROCM_UNKNOWN: NULL, or no whole number. */
static inline int64_t rocpd_int(const struct rocpd_select *s, int column)
{
    const struct sqlite_cell *c = &s->cells[column];
    return c->kind == VALUE_INT ? c->whole : rocpd_whole(c);
}
/* TRACE_UNKNOWN: as above, or none that fits. */
uint32_t rocpd_count(const struct rocpd_select *s, int column);
/* NULL: of another type. Valid for this row. */
const char *rocpd_text(const struct rocpd_select *s, int column);
/* Whether it is that text of n bytes: without the copy that rocpd_text takes. */
bool rocpd_text_is(const struct rocpd_select *s, int column, const char *text, size_t n);
/* false: no number. */
bool rocpd_real(const struct rocpd_select *s, int column, double *out);
static inline bool rocpd_null(const struct rocpd_select *s, int column)
{
    return s->cells[column].kind == VALUE_NULL;
}

/* About how many rows: exact where none was ever deleted. Fast in tables of any size. */
uint64_t rocpd_rows(struct sqlite_file *f, const struct rocpd_tables *t, const char *table,
                    const char *suffix);

#endif
