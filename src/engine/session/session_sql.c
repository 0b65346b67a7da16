#include "engine/session/session_impl.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/value/database.h"

/* Large columns come last, because SQLite reads them only when a query asks for them. */
const char session_sql_schema[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE block(id INTEGER PRIMARY KEY, first_ns INTEGER NOT NULL,"
    " last_ns INTEGER NOT NULL, frames INTEGER NOT NULL, times BLOB NOT NULL,"
    " levels BLOB NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE tail(seq INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL,"
    " level INTEGER NOT NULL, data BLOB NOT NULL);";

const char *const session_sql_migrations[] = {
    NULL,
    /* schema 1 lacked the busy share of each frame, which the scrubber shows; 255 = not known */
    "ALTER TABLE block ADD COLUMN levels BLOB NOT NULL DEFAULT x'';"
    "ALTER TABLE tail ADD COLUMN level INTEGER NOT NULL DEFAULT 255;",
    NULL,
};

int session_sql_fail(sqlite3 *db, const char *path, struct error *err)
{
    int code = sqlite3_errcode(db) & 0xff;
    const char *text = sqlite3_errmsg(db);
    if (code == SQLITE_INTERRUPT)
        return database_stopped(path, err);
    int rc = database_no_room(db, path, "free some space, or bound it: --max-size", err);
    if (rc != 0)
        return rc;
    if (code == SQLITE_CANTOPEN || code == SQLITE_PERM || code == SQLITE_READONLY)
        return error_set(err, ERROR_OUTPUT, EACCES, "choose another file or directory", path, "%s",
                         text);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return error_set(err, ERROR_OUTPUT, EBUSY, "wait for the other program to end", path,
                         "another program is writing to it");
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT ||
        sqlite3_extended_errcode(db) == SQLITE_IOERR_SHORT_READ)
        return error_set(err, ERROR_INPUT, EBADMSG, "record again", path, "damaged (%s)", text);
    if (code == SQLITE_ERROR)
        return error_set(err, ERROR_INPUT, EINVAL, "record again", path,
                         "not a session file, or a damaged one (%s)", text);
    return error_set(err, ERROR_OUTPUT, EIO, NULL, path, "%s", text);
}

int session_sql_exec(sqlite3 *db, const char *sql, const char *path, struct error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                : session_sql_fail(db, path, err);
}

int session_sql_version(sqlite3 *db, const char *path, struct error *err)
{
    sqlite3_stmt *st;
    int version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        version = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return version >= 0 ? version : session_sql_fail(db, path, err);
}

void session_sql_bind_index(sqlite3_stmt *st, int times, int levels, const struct block_index *x)
{
    struct bytes b = {0};
    for (size_t i = 1; i < x->n; i++)
        bytes_put_u64(&b, x->time_ns[i] - x->time_ns[i - 1]);
    sqlite3_bind_blob(st, times, b.n ? (const void *)b.p : "", (int)b.n, SQLITE_TRANSIENT);
    sqlite3_bind_blob(st, levels, x->level, (int)x->n, SQLITE_TRANSIENT);
    free(b.p);
}

bool session_index_read(struct block_index *x, uint64_t first_ns, const void *times, size_t ntimes,
                        const uint8_t *levels, size_t nlevels)
{
    const uint8_t *p = times;
    struct byte_reader in = {p, p ? p + ntimes : NULL, false};
    for (size_t i = 0; i < x->n; i++) {
        x->time_ns[i] = i ? x->time_ns[i - 1] + bytes_get_u64(&in) : first_ns;
        x->level[i] = i < nlevels ? levels[i] : 255;
        if (i && x->time_ns[i] < x->time_ns[i - 1]) /* the time has overflowed 64 bits */
            return false;
    }
    return !in.bad;
}

bool session_sql_read_index(sqlite3_stmt *st, int times, int levels, uint64_t first_ns,
                            struct block_index *x)
{
    const uint8_t *level = sqlite3_column_blob(st, levels);
    size_t nlevels = level ? (size_t)sqlite3_column_bytes(st, levels) : 0;
    const void *p = sqlite3_column_blob(st, times);
    return session_index_read(x, first_ns, p, (size_t)sqlite3_column_bytes(st, times), level,
                              nlevels);
}
