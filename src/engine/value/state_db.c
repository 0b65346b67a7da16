#include "engine/value/state_db.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/state_dir.h"
#include "engine/value/database.h"

enum { BUSY_MS = 3000, CHECKED_BYTES = 64 << 20 };

int state_db_fail(const struct state_db *s, struct error *err)
{
    int code = s->db ? sqlite3_errcode(s->db) & 0xff : SQLITE_NOMEM;
    int rc = s->db ? database_no_room(s->db, s->path, s->help, err) : 0;
    if (rc != 0)
        return rc;
    return error_set(err, ERROR_OUTPUT, code == SQLITE_BUSY ? EBUSY : EIO, NULL, s->path, "%s",
                     s->db ? sqlite3_errmsg(s->db) : "no memory");
}

int state_db_exec(struct state_db *s, const char *sql, struct error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : state_db_fail(s, err);
}

/* Whether the last call failed for a reason that says nothing about the file's content. */
static bool is_refused(const struct state_db *s)
{
    const int code = sqlite3_errcode(s->db) & 0xff;
    return code == SQLITE_IOERR || code == SQLITE_FULL || code == SQLITE_NOMEM ||
           code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_CANTOPEN ||
           code == SQLITE_PERM || code == SQLITE_INTERRUPT;
}

/* -1 where it cannot be read. */
static sqlite3_int64 query_number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    sqlite3_int64 v = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* --- opening --- */

static bool is_empty(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || (S_ISREG(st.st_mode) && st.st_size == 0);
}

static int open_state_file(struct state_db *s, struct error *err)
{
    struct stat st;
    if (stat(s->path, &st) == 0 && !S_ISREG(st.st_mode)) /* opening a pipe could wait for ever */
        return error_set(err, ERROR_INPUT, EINVAL, "name a file", s->path, "it is no regular file");
    enum database_mode mode = s->readonly ? DATABASE_READ : DATABASE_WRITE;
    return database_open(&s->db, s->path, mode, BUSY_MS) == SQLITE_OK ? 0 : state_db_fail(s, err);
}

/* Creates the schema, unless another dashboard has just done so. */
static int make_schema(struct state_db *s, const struct state_db_kind *k, struct error *err)
{
    char sql[128];
    snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", k->application_id,
             k->version);
    state_db_exec(s, "PRAGMA journal_mode=WAL",
                  NULL); /* may fail if another dashboard is doing the same */
    int rc = state_db_exec(s, "BEGIN IMMEDIATE", err);
    if (rc != 0)
        return rc;
    if (query_number(s->db, "PRAGMA user_version") == 0) {
        rc = state_db_exec(s, k->schema, err);
        if (rc == 0)
            rc = state_db_exec(s, sql, err);
    }
    if (rc == 0)
        return state_db_exec(s, "COMMIT", err);
    state_db_exec(s, "ROLLBACK", NULL);
    return rc;
}

/* Makes an older schema a new one, step by step, all or none. */
static int migrate_state_schema(struct state_db *s, const struct state_db_kind *k,
                                struct error *err)
{
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", k->version);
    int rc = state_db_exec(s, "BEGIN IMMEDIATE", err);
    if (rc != 0)
        return rc;
    sqlite3_int64 at = query_number(s->db, "PRAGMA user_version"); /* another may have done it */
    for (; rc == 0 && at >= 1 && at < k->version; at++)
        rc = state_db_exec(s, k->steps[at - 1], err);
    if (rc == 0)
        rc = state_db_exec(s, sql, err);
    if (rc == 0)
        rc = state_db_exec(s, "COMMIT", err);
    if (rc != 0)
        state_db_exec(s, "ROLLBACK", NULL);
    return rc;
}

/* quick_check reads every page and cannot be interrupted. In larger databases errors show up when a
 * query meets them. */
static bool may_be_checked(const struct state_db *s)
{
    struct stat st;
    return stat(s->path, &st) == 0 && st.st_size <= CHECKED_BYTES;
}

/* 0 if the database is ours, 1 if it is damaged or of another kind, -errno with err. */
static int check_database(struct state_db *s, const struct state_db_kind *k, struct error *err)
{
    sqlite3_int64 version = query_number(s->db, "PRAGMA user_version");
    int code = sqlite3_errcode(s->db) & 0xff;
    if (version < 0 && code != SQLITE_NOTADB && code != SQLITE_CORRUPT)
        return state_db_fail(s, err);
    if (version < 0)
        return 1;
    if (version == 0 && query_number(s->db, "SELECT count(*) FROM sqlite_schema") == 0)
        return s->readonly ? 0 : make_schema(s, k, err);
    if (query_number(s->db, "PRAGMA application_id") != k->application_id)
        return is_refused(s) ? state_db_fail(s, err) : 1;
    if (version > k->version)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "use that rooftop, or move the file away",
                         s->path, "it is of a later rooftop");
    /* Our schemas have only tables with plain columns, and their indexes. */
    if (query_number(s->db,
                     "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR"
                     " rootpage = 0") != 0)
        return 1;
    bool old = k->steps && version < k->version;
    if (old && s->readonly && (k->oldest_read == 0 || version < k->oldest_read))
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "open it once without --readonly",
                         s->path, "it is of an older rooftop");
    old = old && !s->readonly;
    if (!may_be_checked(s))
        return old ? migrate_state_schema(s, k, err) : 0;
    sqlite3_stmt *st = NULL;
    bool whole = sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW &&
                 strcmp((const char *)sqlite3_column_text(st, 0), "ok") == 0;
    const bool refused = !whole && is_refused(s);
    int rc = refused ? state_db_fail(s, err) : !whole;
    sqlite3_finalize(st);
    return rc == 0 && old ? migrate_state_schema(s, k, err) : rc;
}

static void set_damaged_file_aside(const struct state_db *s, const struct state_db_kind *k,
                                   char *note, size_t size)
{
    static const char *const beside[] = {"", "-wal", "-shm"};
    char from[STATE_DB_PATH + 8], to[STATE_DB_PATH + 48];
    unsigned long long now = (unsigned long long)(env_wall_ns() / 1000000000u);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(from, sizeof from, "%s%s", s->path, beside[i]);
        snprintf(to, sizeof to, "%s.damaged-%llu%s", s->path, now, beside[i]);
        rename(from, to);
    }
    snprintf(note, size, "%s was damaged: set aside as %.160s.damaged-%llu", k->what, s->path, now);
}

/* Tries a second time only after the damaged database was renamed. */
static int open_checked(struct state_db *s, const struct state_db_kind *k, char *note, size_t size,
                        struct error *err)
{
    for (int i = 0; i < 2; i++) {
        int rc = open_state_file(s, err);
        if (rc == 0)
            rc = check_database(s, k, err);
        if (rc <= 0)
            return rc;
        database_close(s->db);
        s->db = NULL;
        if (k->chosen)
            return error_set(err, ERROR_INPUT, EINVAL, "name another file", s->path,
                             "it is damaged, or is not %s", k->what);
        if (s->readonly) {
            snprintf(note, size, "%s is damaged: %.200s", k->what, s->path);
            return 0;
        }
        set_damaged_file_aside(s, k, note, size);
    }
    return error_set(err, ERROR_OUTPUT, EIO, NULL, s->path, "it is damaged and cannot be renamed");
}

int state_db_open(struct state_db *s, const struct state_db_kind *k, const char *dir, bool readonly,
                  char *note, size_t size, struct error *err)
{
    *s = (struct state_db){.readonly = readonly,
                           .help = k->chosen ? "free some space, or name a file elsewhere"
                                             : "free some space, or name another state folder in "
                                               "XDG_STATE_HOME"};
    if (size)
        *note = '\0';
    if (!dir || !*dir || strlen(dir) + strlen(k->file) + 2 > sizeof s->path)
        return 0;
    snprintf(s->path, sizeof s->path, "%s/%s", dir, k->file);
    if (readonly && is_empty(s->path))
        return 0;
    if (!readonly)
        state_dir_make(dir);
    int rc = open_checked(s, k, note, size, err);
    if (rc != 0)
        state_db_close(s);
    return rc;
}

void state_db_close(struct state_db *s)
{
    database_close(s->db);
    s->db = NULL;
}
