#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/session/session.h"
#include "engine/session/session_impl.h"
#include "engine/value/database.h"

enum { PAGE_BYTES = 4096 };
#define COMMIT_NS                                                                                  \
    500000000u /* a recorder that is killed loses at most what it sampled since the last commit */

struct session_writer {
    sqlite3 *db;
    sqlite3_stmt *add_tail, *add_block;
    char *path;
    int claim; /* descriptor that holds the lock (session_claim.c) */
    uint64_t max_bytes, committed_ns;
    uint64_t *dropped; /* NULL: not counted */
    bool in_transaction;
    struct block_writer open;
    size_t tail_bytes; /* bytes of open.raw that table tail has already */
};

static int fail_session(struct session_writer *w, struct error *err)
{
    return session_sql_fail(w->db, w->path, err);
}

static int run_session_sql(struct session_writer *w, const char *sql, struct error *err)
{
    return session_sql_exec(w->db, sql, w->path, err);
}

static int create_session_tables(struct session_writer *w, const struct session_config *config,
                                 struct error *err)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "PRAGMA page_size=%d; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
             "PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=1048576;"
             "PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN;",
             PAGE_BYTES, SESSION_APPLICATION_ID, SESSION_SCHEMA);
    int rc = run_session_sql(w, sql, err);
    if (rc == 0)
        rc = run_session_sql(w, session_sql_schema, err);
    if (rc != 0)
        return rc;
    sqlite3_stmt *st = NULL;
    sqlite3_prepare_v2(w->db, "INSERT INTO meta VALUES('generator', ?)", -1, &st, NULL);
    sqlite3_bind_text(st, 1, config->generator ? config->generator : "rooftop", -1, SQLITE_STATIC);
    rc = sqlite3_step(st) == SQLITE_DONE ? 0 : fail_session(w, err);
    sqlite3_finalize(st);
    if (rc == 0) /* write the header to the file itself, so that it is recognised as a session;
                    until now only the log has it */
        rc = run_session_sql(w, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", err);
    if (rc == 0 &&
        (sqlite3_prepare_v2(w->db, "INSERT INTO tail VALUES(?, ?, ?, ?)", -1, &w->add_tail, NULL) ||
         sqlite3_prepare_v2(w->db,
                            "INSERT INTO block(first_ns, last_ns, frames, times, levels, data)"
                            " VALUES(?, ?, ?, ?, ?, ?)",
                            -1, &w->add_block, NULL)))
        rc = fail_session(w, err);
    return rc;
}

int session_create(struct session_writer **out, const struct session_config *config,
                   struct error *err)
{
    *out = NULL;
    int rc = 0, claim = session_claim(config->path, config->replace, err);
    if (claim < 0)
        return claim;
    struct session_writer *w = xcalloc(1, sizeof *w);
    w->path = xstrdup(config->path);
    w->max_bytes = config->max_bytes;
    w->dropped = config->dropped;
    w->claim = claim;
    if (database_open(&w->db, config->path, DATABASE_WRITE, 0) != SQLITE_OK)
        rc = fail_session(w, err);
    else
        rc = create_session_tables(w, config, err);
    if (rc == 0)
        *out = w;
    else
        session_close(w, NULL);
    return rc;
}

static int begin_transaction(struct session_writer *w, struct error *err)
{
    if (w->in_transaction)
        return 0;
    w->in_transaction = true;
    return run_session_sql(w, "BEGIN", err);
}

static int commit_session(struct session_writer *w, struct error *err)
{
    if (!w->in_transaction)
        return 0;
    w->in_transaction = false;
    return run_session_sql(w, "COMMIT", err);
}

static int step_session_statement(struct session_writer *w, sqlite3_stmt *st, struct error *err)
{
    int rc = sqlite3_step(st) == SQLITE_DONE ? 0 : fail_session(w, err);
    sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return rc;
}

/* Writes the bytes by which the open block has grown as a row of the tail. Row 1 also has the
 * bytes before the first frame. */
static int write_tail(struct session_writer *w, struct error *err)
{
    const struct block_index *x = &w->open.index;
    sqlite3_bind_int64(w->add_tail, 1, (sqlite3_int64)x->n);
    sqlite3_bind_int64(w->add_tail, 2, (sqlite3_int64)x->time_ns[x->n - 1]);
    sqlite3_bind_int(w->add_tail, 3, x->level[x->n - 1]);
    sqlite3_bind_blob(w->add_tail, 4, w->open.raw.p + w->tail_bytes,
                      (int)(w->open.raw.n - w->tail_bytes), SQLITE_STATIC);
    w->tail_bytes = w->open.raw.n;
    return step_session_statement(w, w->add_tail, err);
}

static sqlite3_int64 pragma_number(struct session_writer *w, const char *sql)
{
    sqlite3_stmt *st = NULL;
    sqlite3_int64 v = 0;
    if (sqlite3_prepare_v2(w->db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

static uint64_t bytes_used(struct session_writer *w)
{
    return (uint64_t)(pragma_number(w, "PRAGMA page_count") -
                      pragma_number(w, "PRAGMA freelist_count")) *
           PAGE_BYTES;
}

/* Deletes the oldest blocks until the pages in use leave `next` bytes for the coming block's
 * rows. */
static int delete_oldest_blocks(struct session_writer *w, uint64_t next, struct error *err)
{
    int rc = 0;
    if (!w->max_bytes)
        return 0;
    for (;;) {
        if (bytes_used(w) + next <= w->max_bytes ||
            pragma_number(w, "SELECT count(*) FROM block") <= 1)
            break;
        if (w->dropped)
            *w->dropped +=
                (uint64_t)pragma_number(w, "SELECT frames FROM block ORDER BY id LIMIT 1");
        rc = run_session_sql(w, "DELETE FROM block WHERE id = (SELECT min(id) FROM block)", err);
        if (rc != 0)
            return rc;
    }
    return run_session_sql(w, "PRAGMA incremental_vacuum", err);
}

static int write_closed_block(struct session_writer *w, struct error *err)
{
    const struct block_index *x = &w->open.index;
    struct bytes packed = {0};
    if (x->n == 0)
        return 0;
    block_pack(&packed, &w->open.raw);
    sqlite3_bind_int64(w->add_block, 1, (sqlite3_int64)x->time_ns[0]);
    sqlite3_bind_int64(w->add_block, 2, (sqlite3_int64)x->time_ns[x->n - 1]);
    sqlite3_bind_int64(w->add_block, 3, (sqlite3_int64)x->n);
    session_sql_bind_index(w->add_block, 4, 5, x);
    sqlite3_bind_blob(w->add_block, 6, packed.p, (int)packed.n, SQLITE_STATIC);
    uint64_t with_tail = bytes_used(w), tail = 0;
    int rc = run_session_sql(w, "DELETE FROM tail", err);
    if (rc == 0) {
        tail = with_tail - bytes_used(w);
        rc = step_session_statement(w, w->add_block, err);
    }
    free(packed.p);
    block_end(&w->open);
    w->tail_bytes = 0;
    /* keep room for the next tail, which may be a quarter larger */
    return rc == 0 ? delete_oldest_blocks(w, tail + tail / 4 + BLOCK_BYTES / 4, err) : rc;
}

int session_write(struct session_writer *w, const struct snapshot *s, struct error *err)
{
    uint64_t now = env_now_ns();
    int rc = begin_transaction(w, err);
    if (rc == 0 && !block_add(&w->open, s)) {
        rc = write_closed_block(w, err);
        block_add(&w->open, s);
    }
    if (rc == 0)
        rc = write_tail(w, err);
    /* a killed recorder loses less than a second, but at 20 Hz not every sample costs a commit */
    if (rc == 0 && (now - w->committed_ns >= COMMIT_NS || s->interval_s >= 0.5)) {
        rc = commit_session(w, err);
        w->committed_ns = now;
    }
    return rc;
}

int session_close(struct session_writer *w, struct error *err)
{
    int rc = 0;
    if (!w)
        return 0;
    if (w->add_block) {
        rc = begin_transaction(w, err);
        if (rc == 0)
            rc = write_closed_block(w, err);
        if (rc == 0)
            rc = commit_session(w, err);
        if (rc == 0) /* removes the log, so that the session is one file that can be copied */
            rc = run_session_sql(w, "PRAGMA journal_mode=DELETE", err);
    }
    block_end(&w->open);
    sqlite3_finalize(w->add_tail);
    sqlite3_finalize(w->add_block);
    database_close(w->db);
    close(w->claim);
    free(w->path);
    free(w);
    return rc;
}

struct copy {
    struct session_writer *w;
    struct error *err;
    int rc;
};

static bool copy_frame(void *ctx, const struct snapshot *s)
{
    struct copy *c = ctx;
    c->rc = session_write(c->w, s, c->err);
    return c->rc == 0;
}

int session_save(struct recording *from, const struct session_config *config, struct error *err)
{
    struct copy c = {.err = err};
    size_t n = recording_count(from);
    if (n == 0)
        return error_set(err, ERROR_OUTPUT, ENODATA, "wait for the first sample", config->path,
                         "there is nothing to write yet");
    int rc = session_create(&c.w, config, err);
    if (rc != 0)
        return rc;
    rc = recording_scan(from, 0, n, RECORDING_ALL, copy_frame, &c, err);
    if (rc == 0)
        rc = c.rc;
    int closed = session_close(c.w, rc == 0 ? err : NULL);
    return rc != 0 ? rc : closed;
}
