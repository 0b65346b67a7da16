/*
 * SQLite databases that other programs wrote, for readers of profiles. Opening changes neither the
 * file nor files next to it. Columns are found by name, rows are streamed, the user may cancel.
 * Only real tables are read: a view or virtual table of an unknown file could run without end.
 */
#pragma once

#include <sqlite3.h>

#include "engine/trace/trace.h"

enum { SQLITE_FILE_COLUMNS = 32 };

struct sqlite_file {
    sqlite3 *db;
    const char *path;    /* borrowed */
    const char *help;    /* for errors in the file: how to make a better one; NULL: none */
    struct trace *trace; /* tells whether the user cancelled; may be NULL */
    struct error *err;   /* filled by every function below */
    uint64_t done;       /* rows read so far */
    uint64_t total;      /* approximate number of rows: the caller sums sqlite_file_rows */
    int given_up;        /* why reading ends: -ECANCELED or -ENOMEM, with err; 0: it goes on */
    bool written;        /* another program writes it, or did when it was opened */
};

/* Whether the first bytes of a file are SQLite's. */
bool sqlite_file_is(const unsigned char *head, size_t size);
/* Opens a database. Returns 0 or -errno with err (which may be NULL). trace may be NULL. Call
 * sqlite_file_close also after an error. */
int sqlite_file_open(struct sqlite_file *f, const char *path, struct trace *trace,
                     struct error *err);
void sqlite_file_close(struct sqlite_file *f);

bool sqlite_file_has(struct sqlite_file *f, const char *table);
/* Finds which of at most n columns, or until NULL, the table has: one bit each. false: the database
 * has the reason. */
bool sqlite_file_columns(const struct sqlite_file *f, const char *table, const char *const *columns,
                         size_t n, uint32_t *found);
/* The approximate number of rows; exact if no row was ever deleted. Fast for any size. */
uint64_t sqlite_file_rows(struct sqlite_file *f, const char *table);
/* Calls trace_progress; for long work between rows. */
int sqlite_file_progress(struct sqlite_file *f);

/* A pass over some columns of a table, in the file's order. */
struct sqlite_rows {
    struct sqlite_file *file;
    sqlite3_stmt *statement; /* NULL: no such table */
    const char *table;
    uint64_t row; /* number of the row, counted as they are read */
};
/* Starts a pass over n columns of a table, at most SQLITE_FILE_COLUMNS. A missing table has no
 * rows, a missing column holds NULLs. Call sqlite_rows_close also after an error. */
int sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f, const char *table,
                     const char *const *columns, size_t n);
int sqlite_rows_next(struct sqlite_rows *r); /* 1: a row; 0: no more rows; -errno */
void sqlite_rows_close(struct sqlite_rows *r);

/* false if the value is NULL or of another type. */
bool sqlite_rows_int(const struct sqlite_rows *r, int column, int64_t *out);
/* NULL if the value is NULL or of another type. Valid until the next row. */
const char *sqlite_rows_text(const struct sqlite_rows *r, int column);
