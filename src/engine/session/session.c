#include "engine/session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/watch.h"
#include "engine/session/session_impl.h"
#include "engine/value/database.h"

enum { TAIL_ID = -1, BUSY_MS = 2000, MIGRATE_PAGES = 1000 };

struct session {
    struct blocks blocks; /* must be the first member: a session is a recording */
    sqlite3 *db;
    sqlite3_stmt *get;
    char *path;
    struct bytes tail; /* the frames that table tail had, as one block */
    /* reads the blocks of a damaged file; NULL: they are read from db */
    struct session_salvage *salvage;
    char note[256];
};

bool session_recognise(const char *path)
{
    static const char magic[16] = "SQLite format 3";
    unsigned char head[72] = {0};
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) /* not a regular file, such as a pipe: looking
                                                         at its content would consume it */
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, head, sizeof head);
    close(fd);
    uint32_t id =
        (uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 | head[71];
    return n == (ssize_t)sizeof head && memcmp(head, magic, sizeof magic) == 0 &&
           id == SESSION_APPLICATION_ID;
}

static int load_block(struct blocks *b, size_t i, struct bytes *raw, struct error *err)
{
    struct session *s = (struct session *)b;
    raw->n = 0;
    if (b->info[i].id == TAIL_ID) {
        bytes_put(raw, s->tail.p, s->tail.n);
        return 0;
    }
    int rc = -EINVAL;
    if (s->salvage)
        return session_salvage_load(s->salvage, (size_t)b->info[i].id, raw)
                   ? 0
                   : error_set(err, ERROR_INPUT, EINVAL, NULL, s->path, "it has changed");
    sqlite3_bind_int64(s->get, 1, b->info[i].id);
    if (sqlite3_step(s->get) == SQLITE_ROW)
        rc = block_unpack(raw, sqlite3_column_blob(s->get, 0),
                          (size_t)sqlite3_column_bytes(s->get, 0));
    sqlite3_reset(s->get);
    if (rc != 0)
        return error_set(err, ERROR_INPUT, EINVAL, "other parts can still be read", s->path,
                         "block %lld is damaged", (long long)b->info[i].id);
    return 0;
}

static void session_free(struct recording *r)
{
    struct session *s = (struct session *)r;
    blocks_release(&s->blocks);
    sqlite3_finalize(s->get);
    database_close(s->db);
    session_salvage_free(s->salvage);
    free(s->tail.p);
    free(s->path);
    free(s);
}

static const struct recording_ops session_ops = {.count = blocks_count,
                                                 .time_ns = blocks_time,
                                                 .level = blocks_level,
                                                 .scan = blocks_scan,
                                                 .free = session_free};

static int refuse_damaged_session(const struct session *s, const char *what, struct error *err)
{
    return error_set(err, ERROR_INPUT, EBADMSG, "record again", s->path, "damaged: %s", what);
}

/* *last is set to the time of the last frame. */
static int read_session_blocks(struct session *s, uint64_t *last, struct error *err)
{
    sqlite3_stmt *st = NULL;
    int rc = 0, step;
    int64_t last_id = 0;
    if (sqlite3_prepare_v2(
            s->db, "SELECT rowid, first_ns, frames, times, levels FROM block ORDER BY rowid", -1,
            &st, NULL) != SQLITE_OK)
        return session_sql_fail(s->db, s->path, err);
    while (rc == 0 && (step = sqlite3_step(st)) == SQLITE_ROW) {
        struct block_index x = {.n = (size_t)sqlite3_column_int64(st, 2)};
        int64_t id = sqlite3_column_int64(st, 0);
        if (x.n == 0 || x.n > BLOCK_FRAMES ||
            id <= last_id /* ids that do not grow: a damaged page leads back to an earlier one */ ||
            !session_sql_read_index(st, 3, 4, (uint64_t)sqlite3_column_int64(st, 1), &x) ||
            x.time_ns[0] < *last)
            rc = refuse_damaged_session(s, "the times of a block", err);
        else
            blocks_append(&s->blocks, &x, id);
        last_id = id;
        *last = rc == 0 ? x.time_ns[x.n - 1] : 0;
    }
    if (rc == 0 && step != SQLITE_DONE)
        rc = session_sql_fail(s->db, s->path, err);
    sqlite3_finalize(st);
    return rc;
}

static int read_session_tail(struct session *s, uint64_t last, struct error *err)
{
    sqlite3_stmt *st = NULL;
    struct block_index x = {0};
    int rc = 0, step;
    if (sqlite3_prepare_v2(s->db, "SELECT time_ns, level, data FROM tail ORDER BY rowid", -1, &st,
                           NULL) != SQLITE_OK)
        return session_sql_fail(s->db, s->path, err);
    while (rc == 0 && (step = sqlite3_step(st)) == SQLITE_ROW) {
        if (x.n == BLOCK_FRAMES || s->tail.n > BLOCK_UNPACKED_MAX) {
            rc = refuse_damaged_session(s, "too many frames after the last block", err);
            break;
        }
        x.time_ns[x.n] = (uint64_t)sqlite3_column_int64(st, 0);
        x.level[x.n] = (uint8_t)sqlite3_column_int(st, 1);
        if (x.time_ns[x.n] < last)
            rc = refuse_damaged_session(s, "the times after the last block", err);
        last = x.time_ns[x.n];
        bytes_put(&s->tail, sqlite3_column_blob(st, 2), (size_t)sqlite3_column_bytes(st, 2));
        x.n++;
    }
    if (rc == 0 && step != SQLITE_DONE)
        rc = session_sql_fail(s->db, s->path, err);
    sqlite3_finalize(st);
    if (rc == 0 && x.n)
        blocks_append(&s->blocks, &x, TAIL_ID);
    return rc;
}

/* Copies an older file into memory and migrates the copy. */
static int migrate_session_copy(struct session *s, int version, struct error *err)
{
    sqlite3 *copy = NULL;
    int rc = sqlite3_open(":memory:", &copy) == SQLITE_OK ? 0 : -ENOMEM;
    sqlite3_backup *b = rc == 0 ? sqlite3_backup_init(copy, "main", s->db, "main") : NULL;
    if (b) {
        while (rc == 0 && sqlite3_backup_step(b, MIGRATE_PAGES) == SQLITE_OK)
            rc = watch_check(s->path, err);
        int finished = sqlite3_backup_finish(b);
        if (rc != 0) {
            database_close(copy);
            return rc;
        }
        rc = finished == SQLITE_OK ? 0 : -EIO;
        database_guard(copy);
    }
    if (rc != 0 || !b)
        rc = session_sql_fail(copy, s->path, err);
    for (size_t i = (size_t)version; rc == 0 && i < SESSION_SCHEMA; i++)
        rc = session_sql_exec(copy, session_sql_migrations[i], s->path, err);
    database_close(s->db);
    s->db = copy;
    return rc;
}

static int check_version(struct session *s, struct error *err)
{
    int version = session_sql_version(s->db, s->path, err);
    if (version < 0)
        return version;
    if (version > SESSION_SCHEMA)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "open it with a newer rooftop", s->path,
                         "written by a newer rooftop (schema %d; this one reads up to %d)", version,
                         SESSION_SCHEMA);
    if (version < 1)
        return refuse_damaged_session(s, "it has no schema version", err);
    return version < SESSION_SCHEMA ? migrate_session_copy(s, version, err) : 0;
}

/* Checks that the tables are real tables and not, for example, views, whose content a damaged or
 * hostile file could compute. */
static int check_tables(struct session *s, struct error *err)
{
    static const char *const tables[] = {"block", "tail"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (database_table(s->db, tables[i]))
            continue;
        int code = sqlite3_errcode(s->db);
        if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
            return session_sql_fail(s->db, s->path, err);
        return error_set(err, ERROR_INPUT, EINVAL, "record again", s->path,
                         "not a session file, or a damaged one (%s is no table)", tables[i]);
    }
    return 0;
}

static int read_frames(struct session *s, struct error *err)
{
    uint64_t last = 0;
    int rc = 0;
    if (database_open(&s->db, s->path, DATABASE_READ, BUSY_MS) != SQLITE_OK)
        rc = session_sql_fail(s->db, s->path, err);
    if (rc == 0)
        rc = check_tables(s, err);
    if (rc == 0)
        rc = check_version(s, err);
    /* one transaction: a recorder that is still writing does not change what is read */
    if (rc == 0)
        rc = session_sql_exec(s->db, "BEGIN", s->path, err);
    if (rc == 0)
        rc = read_session_blocks(s, &last, err);
    if (rc == 0)
        rc = read_session_tail(s, last, err);
    if (rc == 0)
        rc = session_sql_exec(s->db, "COMMIT", s->path, err);
    if (rc == 0 && s->blocks.n == 0)
        rc = error_set(err, ERROR_INPUT, ENODATA, "record again", s->path, "it holds no samples");
    if (rc == 0 && sqlite3_prepare_v2(s->db, "SELECT data FROM block WHERE rowid = ?", -1, &s->get,
                                      NULL) != SQLITE_OK)
        rc = session_sql_fail(s->db, s->path, err);
    return rc;
}

/* Whether the end of the file was cut off. SQLite does not report a cut within the last page; the
 * block in it would fail only when it is shown. */
static bool is_cut(const char *path)
{
    unsigned char head[32] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool known = fd >= 0 && fstat(fd, &st) == 0 && read(fd, head, sizeof head) == sizeof head;
    if (fd >= 0)
        close(fd);
    uint64_t page = (uint64_t)head[16] << 8 | head[17];
    uint64_t pages =
        (uint64_t)head[28] << 24 | (uint64_t)head[29] << 16 | (uint64_t)head[30] << 8 | head[31];
    return known && (uint64_t)st.st_size < pages * page && database_is_whole(path);
}

/* Recovers the intact blocks of a damaged file. SQLite stops at the first damage, but the blocks
 * do not depend on each other. */
static int salvage_session(struct session *s, struct error *err)
{
    struct error failed = ERROR_INIT;
    struct block_index x;
    uint64_t last = 0, once, bytes;
    size_t frames = 0;
    blocks_release(&s->blocks);
    s->blocks = (struct blocks){.recording = {.ops = &session_ops}, .load = load_block};
    int rc = session_salvage_open(&s->salvage, s->path, &failed);
    for (size_t i = 0; rc == 0 && i < session_salvage_count(s->salvage); i++)
        if (session_salvage_index(s->salvage, i, &x) && x.time_ns[0] >= last) {
            blocks_append(&s->blocks, &x, (int64_t)i);
            last = x.time_ns[x.n - 1];
            frames += x.n;
        }
    if (rc == -ECANCELED)
        *err = failed;
    if (rc != 0 || s->blocks.n == 0)
        return rc == -ECANCELED ? rc : -EBADMSG; /* err already says what is wrong */
    bytes = session_salvage_bytes(s->salvage, &once);
    int n =
        snprintf(s->note, sizeof s->note,
                 "the session is damaged: the %zu samples that are whole are shown, the rest is "
                 "lost",
                 frames);
    if (bytes < once)
        snprintf(s->note + n, sizeof s->note - (size_t)n, " (%llu of %llu bytes are there)",
                 (unsigned long long)bytes, (unsigned long long)once);
    s->blocks.recording.note = s->note;
    return 0;
}

int session_open(struct recording **out, const char *path, struct error *err)
{
    *out = NULL;
    if (access(path, R_OK) != 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    if (!session_recognise(path))
        return error_set(err, ERROR_INPUT, EINVAL, "sessions are written by rooftop record", path,
                         "not a session file of rooftop");
    struct session *s = xcalloc(1, sizeof *s);
    s->blocks.recording.ops = &session_ops;
    s->blocks.load = load_block;
    s->path = xstrdup(path);
    int rc = is_cut(path) ? refuse_damaged_session(s, "it is cut off", err) : read_frames(s, err);
    if (rc == -EBADMSG)
        rc = salvage_session(s, err);
    if (rc == 0)
        *out = &s->blocks.recording;
    else
        session_free(&s->blocks.recording);
    return rc;
}
