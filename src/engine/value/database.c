#include "engine/value/database.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/disk_space.h"
#include "base/watch.h"

/* --- guards --- */

/* Above a length limit SQLite returns "too big". Files that profilers write stay far below the
 * limits on nesting, columns and compound statements. sqlite.org/limits.html */
static const struct {
    int limit, value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, DATABASE_LENGTH},
    {SQLITE_LIMIT_SQL_LENGTH, DATABASE_SQL_LENGTH},
    {SQLITE_LIMIT_EXPR_DEPTH, 200},
    {SQLITE_LIMIT_COMPOUND_SELECT, 100},
    {SQLITE_LIMIT_VDBE_OP, 1 << 20},
    {SQLITE_LIMIT_FUNCTION_ARG, 32},
    {SQLITE_LIMIT_ATTACHED, 0},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 128},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

struct looks {
    unsigned n; /* checks so far in the statement that runs */
};

static int look_for_cancel(void *ctx)
{
    struct looks *l = ctx;
    if (watch_get())
        return watch_given_up();
    return ++l->n > DATABASE_PATIENCE;
}

static int reset_looks(unsigned event, void *ctx, void *p, void *x)
{
    struct looks *l = ctx;
    (void)p;
    (void)x;
    if (event == SQLITE_TRACE_CLOSE)
        free(l);
    else
        l->n = 0;
    return 0;
}

void database_guard(sqlite3 *db)
{
    struct looks *l = xcalloc(1, sizeof *l);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_drop_modules(db, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i].limit, limits[i].value);
    sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_CLOSE, reset_looks, l);
    sqlite3_progress_handler(db, DATABASE_STEPS, look_for_cancel, l);
}

/* --- opening --- */

static bool is_beside(const char *path, const char *ending, off_t bytes)
{
    struct stat st;
    char *beside = xcalloc(1, strlen(path) + strlen(ending) + 1);
    strcat(strcpy(beside, path), ending);
    bool holds = stat(beside, &st) == 0 && st.st_size >= bytes;
    free(beside);
    return holds;
}

/* Whether the log was copied along with the file: a process that has the database open would have
 * created a -shm file. */
static bool log_alone(const char *path)
{
    return is_beside(path, "-wal", 1) && !is_beside(path, "-shm", 0);
}

bool database_is_whole(const char *path)
{
    return !is_beside(path, "-wal", 1) && !is_beside(path, "-journal", 1);
}

/* Whether another process holds a lock that conflicts with a lock of this type. */
static bool is_file_locked(const char *path, const char *ending, short type, off_t from,
                           off_t bytes)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};
    char *name = xcalloc(1, strlen(path) + strlen(ending) + 1);
    int fd = open(strcat(strcpy(name, path), ending), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    free(name);
    return held;
}

/* Offsets of SQLite's lock bytes: sqlite.org/src, os.h (PENDING_BYTE) and the wal-index. Every
 * process that has the log open holds its last lock as a shared one (os_unix.c, UNIX_SHM_DMS). */
bool database_is_written(const char *path)
{
    enum { PENDING = 0x40000000, LOCKS = 512, LOG_LOCKS = 120, LOG_OPEN = 128 };
    return is_file_locked(path, "", F_RDLCK, PENDING, LOCKS) ||
           (is_beside(path, "-wal", 1) &&
            (is_file_locked(path, "-shm", F_RDLCK, LOG_LOCKS, LOG_OPEN - LOG_LOCKS) ||
             is_file_locked(path, "-shm", F_WRLCK, LOG_OPEN, 1)));
}

/* Whether only a descriptor still leads to it, as with the copy of a pipe. */
static bool is_removed(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0;
}

/* SQLite replaces a link by what it names, and opens no link. A file that was removed can be opened
 * only by the link that is its descriptor's name. This variant keeps and opens that. */
static sqlite3_vfs as_named;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int keep_database_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    const int n = snprintf(out, (size_t)size, "%s", name);
    return n < 0 || n >= size ? SQLITE_CANTOPEN : SQLITE_OK;
}

/* In place of open. */
static int open_database_file(const char *path, int flags, int mode)
{
    const bool descriptor = flags & O_NOFOLLOW && !(flags & O_CREAT) && is_removed(path);
    return open(path, descriptor ? flags & ~O_NOFOLLOW : flags, mode);
}

static void register_as_named(void)
{
    sqlite3_initialize();
    sqlite3_vfs *usual = sqlite3_vfs_find("unix");
    if (!usual || usual->iVersion < 3)
        return;
    usual->xSetSystemCall(usual, "open", (sqlite3_syscall_ptr)open_database_file);
    as_named = *usual;
    as_named.zName = "as-named";
    as_named.xFullPathname = keep_database_name;
    sqlite3_vfs_register(&as_named, 0);
}

/* The path as a "file:" URI (sqlite.org/uri.html). A file without a filled log beside it is opened
 * as immutable, so SQLite takes no lock and creates no -shm. A copied log is read with exclusive
 * locking, which needs no -shm either (sqlite.org/wal.html, 8). */
static char *make_database_uri(const char *path, enum database_mode mode)
{
    char *text = xcalloc(3, strlen(path) + 48), *o = text;
    o += sprintf(o, *path == '/' ? "file://" : "file:");
    for (const char *p = path; *p; p++)
        if (strchr("?#%", *p) || (unsigned char)*p < ' ')
            o += sprintf(o, "%%%02x", (unsigned char)*p);
        else
            *o++ = *p;
    if (mode == DATABASE_WRITE)
        strcpy(o, "?mode=rwc");
    else if (is_removed(path))
        strcpy(o, "?mode=ro&immutable=1&vfs=as-named");
    else if (database_is_whole(path))
        strcpy(o, "?mode=ro&immutable=1");
    else
        strcpy(o, log_alone(path) ? "?mode=ro&vfs=unix-none" : "?mode=ro");
    return text;
}

int database_open(sqlite3 **out, const char *path, enum database_mode mode, int busy_ms)
{
    int flags =
        mode == DATABASE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    char *name = make_database_uri(path, mode);
    *out = NULL;
    pthread_once(&once, register_as_named);
    int rc = sqlite3_open_v2(name, out, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(name);
    if (rc != SQLITE_OK)
        return rc;
    database_guard(*out);
    sqlite3_busy_timeout(*out, busy_ms);
    if (mode == DATABASE_READ && log_alone(path))
        sqlite3_exec(*out, "PRAGMA locking_mode=EXCLUSIVE", NULL, NULL, NULL);
    return sqlite3_exec(*out, "PRAGMA cell_size_check=1", NULL, NULL, NULL);
}

void database_close(sqlite3 *db)
{
    sqlite3_close(db);
}

/* --- what is read --- */

/* Whether a query with one parameter returns a row. */
static bool has_database_row(sqlite3 *db, const char *sql, const char *name)
{
    sqlite3_stmt *st = NULL;
    bool yes = sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
               sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
               sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    return yes;
}

bool database_table(sqlite3 *db, const char *name)
{
    return has_database_row(db,
                            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND "
                            "name = ?1 COLLATE NOCASE",
                            name) &&
           !has_database_row(db, "SELECT 1 FROM pragma_table_xinfo(?1) WHERE hidden > 0", name);
}

int database_stopped(const char *path, struct error *err)
{
    int rc = watch_check(path, err);
    return rc != 0 ? rc
                   : error_set(err, ERROR_INPUT, ETIME,
                               "the file may be made so that reading it never ends", path,
                               "reading it takes too long");
}

/* The folder of a path; the caller frees it. */
static char *find_database_folder(const char *path)
{
    char *folder = xstrdup(path), *slash = strrchr(folder, '/');
    if (!slash)
        strcpy(folder, *folder ? "." : "");
    else
        slash[slash == folder] = '\0';
    return folder;
}

int database_no_room(sqlite3 *db, const char *path, const char *help, struct error *err)
{
    enum { LEAST = 64 << 10 }; /* of the index of a log; the rest is smaller */
    const int failed = sqlite3_errcode(db) & 0xff;
    int code = failed == SQLITE_FULL ? ENOSPC : 0;
    if (failed == SQLITE_IOERR || failed == SQLITE_CANTOPEN) {
        char *folder = find_database_folder(path);
        code = disk_space_missing(folder, LEAST);
        free(folder);
    }
    if (code == 0)
        return 0;
    return error_set(err, ERROR_OUTPUT, code, help, path, "%s",
                     code == ENOSPC ? "no space is left on its disk" : strerror(code));
}
