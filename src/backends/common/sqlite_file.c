#include "backends/common/sqlite_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/database.h"

enum { BUSY_MS = 2000 };

bool sqlite_file_is(const unsigned char *head, size_t size)
{
    static const char magic[] = "SQLite format 3"; /* source: sqlite.org/fileformat2.html, 1.2.1 */
    return size >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;
}

static int errno_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return EACCES;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return EBUSY;
    case SQLITE_NOMEM:
        return ENOMEM;
    case SQLITE_CANTOPEN:
        return EACCES;
    default:
        return EIO;
    }
}

/* Reports the last error, with the table and row (NULL: none) where it happened. */
static int fail_table(struct sqlite_file *f, const char *table, uint64_t row)
{
    char what[160];
    int code = f->db ? sqlite3_errcode(f->db) : SQLITE_NOMEM;
    const char *why = f->db ? sqlite3_errmsg(f->db) : "no memory", *help = f->help;
    if (f->given_up)
        return f->given_up;
    if ((code & 0xff) == SQLITE_INTERRUPT)
        return database_stopped(f->path, f->err);
    if ((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY)
        help = "copy it, and the -wal or -journal file beside it, to where you may write";
    if (f->written || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED)
        help = "another program is writing it: open it when that has ended";
    if (table)
        snprintf(what, sizeof what, "%.90s: table %.40s, row %llu", f->path, table,
                 (unsigned long long)row);
    else
        snprintf(what, sizeof what, "%.150s", f->path);
    return error_set(f->err, ERROR_INPUT, errno_of(code), help, what, "%s", why);
}

int sqlite_file_progress(struct sqlite_file *f)
{
    int rc = 0;
    if (f->trace)
        rc = trace_progress(f->trace, f->path, f->done < f->total ? f->done : f->total, f->total,
                            f->err);
    if (f->given_up == 0)
        f->given_up = rc;
    return rc;
}

static int is_query_given_up(void *file)
{
    return sqlite_file_progress(file) != 0;
}

/* --- opening --- */

int sqlite_file_open(struct sqlite_file *f, const char *path, struct trace *trace,
                     struct error *err)
{
    const char *help = f->help;
    *f = (struct sqlite_file){.path = path, .help = help, .trace = trace, .err = err};
    f->written = database_is_written(path);
    if (f->written && trace)
        trace_note(trace, "it is being written: what was there when it was opened is shown: %s",
                   path);
    if (database_open(&f->db, path, DATABASE_READ, BUSY_MS) != SQLITE_OK)
        return fail_table(f, NULL, 0);
    if (trace)
        sqlite3_progress_handler(f->db, DATABASE_STEPS, is_query_given_up, f);
    if (sqlite3_exec(f->db, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
        return fail_table(f, NULL, 0);
    return 0;
}

void sqlite_file_close(struct sqlite_file *f)
{
    database_close(f->db);
    f->db = NULL;
}

/* --- tables and columns --- */

/* Runs a query with one parameter that returns one number. */
static bool ask_table_number(struct sqlite_file *f, const char *sql, const char *table,
                             int64_t *out)
{
    sqlite3_stmt *st = NULL;
    bool there = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) == SQLITE_OK;
    if (there && table)
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    there = there && sqlite3_step(st) == SQLITE_ROW;
    if (there)
        *out = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return there;
}

bool sqlite_file_has(struct sqlite_file *f, const char *table)
{
    return database_table(f->db, table);
}

uint64_t sqlite_file_rows(struct sqlite_file *f, const char *table)
{
    int64_t last = 0;
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT max(rowid) FROM \"%s\"", table);
    if (!sqlite_file_has(f, table) || !ask_table_number(f, sql, NULL, &last))
        return 0;
    return last > 0 ? (uint64_t)last : 0;
}

bool sqlite_file_columns(const struct sqlite_file *f, const char *table, const char *const *columns,
                         size_t n, uint32_t *found)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(f->db, "SELECT name FROM pragma_table_info(?1)", -1, &st, NULL);
    *found = 0;
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(st);
        const char *name = code == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
        for (size_t i = 0; name && i < n && columns[i]; i++)
            if (sqlite3_stricmp(name, columns[i]) == 0)
                *found |= UINT32_C(1) << i;
    }
    sqlite3_finalize(st);
    return code == SQLITE_DONE;
}

int sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f, const char *table,
                     const char *const *columns, size_t n)
{
    char sql[SQLITE_FILE_COLUMNS * 40 + 64] = "SELECT ";
    uint32_t found;
    *r = (struct sqlite_rows){.file = f, .table = table};
    if (!sqlite_file_has(f, table))
        return f->given_up;
    int rc = sqlite_file_columns(f, table, columns, n, &found) ? 0 : fail_table(f, table, 0);
    size_t used = strlen(sql);
    for (size_t i = 0; i < n && rc == 0; i++) {
        char column[40] = "NULL";
        if (found >> i & 1)
            snprintf(column, sizeof column, "\"%s\"", columns[i]);
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", i ? "," : "", column);
    }
    snprintf(sql + used, sizeof sql - used, " FROM \"%.48s\"", table);
    if (rc == 0 && sqlite3_prepare_v2(f->db, sql, -1, &r->statement, NULL) != SQLITE_OK)
        rc = fail_table(f, table, 0);
    return rc;
}

int sqlite_rows_next(struct sqlite_rows *r)
{
    if (!r->statement)
        return 0;
    int code = sqlite3_step(r->statement);
    if (code == SQLITE_DONE)
        return 0;
    r->row++;
    if (code != SQLITE_ROW)
        return fail_table(r->file, r->table, r->row);
    r->file->done++;
    return 1;
}

void sqlite_rows_close(struct sqlite_rows *r)
{
    sqlite3_finalize(r->statement);
    r->statement = NULL;
}

bool sqlite_rows_int(const struct sqlite_rows *r, int column, int64_t *out)
{
    /* avoids a second look-up for the type */
    sqlite3_value *v = sqlite3_column_value(r->statement, column);
    if (sqlite3_value_type(v) != SQLITE_INTEGER)
        return false;
    *out = sqlite3_value_int64(v);
    return true;
}

const char *sqlite_rows_text(const struct sqlite_rows *r, int column)
{
    if (sqlite3_column_type(r->statement, column) != SQLITE_TEXT)
        return NULL;
    return (const char *)sqlite3_column_text(r->statement, column);
}
