/*
 * SQLite databases that others wrote, for readers of profiles: opened without changing them or
 * what lies beside them, columns found by name, rows streamed, the user may give up. Only real
 * tables are read: a view or a virtual table of an unknown file could run for ever.
 */
#ifndef ROOFTOP_BACKENDS_COMMON_SQLITE_FILE_H
#define ROOFTOP_BACKENDS_COMMON_SQLITE_FILE_H

#include <sqlite3.h>

#include "backends/common/sqlite_pages.h"
#include "engine/trace/trace.h"

enum { SQLITE_FILE_COLUMNS = 32 };

struct sqlite_file {
    sqlite3 *db;
    const char *path;    /* the caller's */
    const char *help;    /* of errors in the file: what would make a better one; NULL */
    struct trace *trace; /* whose watch is asked; NULL: nobody's */
    struct error *err;   /* what every function below fills */
    uint64_t done;       /* rows read so far… */
    uint64_t total;      /* …of about so many: the sum of sqlite_file_rows, by the caller */
    bool given_up;
    bool written;               /* another program writes it, or did when it was opened */
    struct sqlite_pages *pages; /* NULL: only SQLite may read it */
};

/* From the first bytes of a file. */
bool sqlite_file_is(const unsigned char *head, size_t size);
/* 0 or -errno with err (which may be NULL). trace may be NULL. Close it after either outcome. */
int sqlite_file_open(struct sqlite_file *f, const char *path, struct trace *trace,
                     struct error *err);
void sqlite_file_close(struct sqlite_file *f);

bool sqlite_file_has(struct sqlite_file *f, const char *table);
/* About how many rows: exact where none was ever deleted. Fast in tables of any size. */
uint64_t sqlite_file_rows(struct sqlite_file *f, const char *table);
/* trace_progress, for work between rows. */
int sqlite_file_progress(struct sqlite_file *f);

/* A pass over some columns of a table, in the file's order. */
struct sqlite_rows {
    struct sqlite_file *file;
    sqlite3_stmt *statement; /* NULL: no such table */
    const char *table;
    uint64_t row; /* of those read */
};
/* A table that is not there has no rows, a column that is not there holds NULLs. n of them, at
 * most SQLITE_FILE_COLUMNS. Close it after either outcome. */
int sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f, const char *table,
                     const char *const *columns, size_t n);
int sqlite_rows_next(struct sqlite_rows *r); /* 1: a row; 0: no more; -errno */
void sqlite_rows_close(struct sqlite_rows *r);

/* false: NULL, or of another type. */
bool sqlite_rows_int(const struct sqlite_rows *r, int column, int64_t *out);
/* NULL: as above. Valid until the next row. */
const char *sqlite_rows_text(const struct sqlite_rows *r, int column);

#endif
