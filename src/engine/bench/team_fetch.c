/* A team's history: from the server into the copy. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/bench/team_impl.h"

enum { TEXT_MOST = 1 << 16, MARK_TEXT = 24 };

/* The index is of a digest: an index row has at most 2704 bytes, and a command line may have more
 * (PostgreSQL's documentation, "B-Tree Indexes"). The lock is for several who begin at once. */
static const char server_tables[] =
    "BEGIN; SELECT pg_advisory_xact_lock(1920229992);" /* "rtbh" */
    "CREATE SCHEMA IF NOT EXISTS rooftop;"
    "CREATE TABLE IF NOT EXISTS rooftop.about(version integer NOT NULL, id text NOT NULL);"
    "CREATE TABLE IF NOT EXISTS rooftop.series(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " name text NOT NULL, host text NOT NULL, unit text NOT NULL, more_is_good boolean NOT NULL,"
    " accepted_ns bigint NOT NULL DEFAULT 0);"
    "CREATE UNIQUE INDEX IF NOT EXISTS series_of ON rooftop.series(md5(name), md5(host));"
    "CREATE TABLE IF NOT EXISTS rooftop.point(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " series bigint NOT NULL REFERENCES rooftop.series, time_ns bigint NOT NULL, value double"
    " precision NOT NULL, load double precision, samples bytea, tool text NOT NULL, commit_id text"
    " NOT NULL, cpu text NOT NULL, kernel text NOT NULL, governor text NOT NULL, turbo text NOT"
    " NULL, smt text NOT NULL, microcode text NOT NULL, compiler text NOT NULL, counters text NOT"
    " NULL, ends text NOT NULL, branch text NOT NULL, added_by bigint NOT NULL DEFAULT "
    "txid_current());"
    "CREATE UNIQUE INDEX IF NOT EXISTS point_of ON rooftop.point(series, time_ns);"
    "CREATE INDEX IF NOT EXISTS point_added ON rooftop.point(added_by);"
    "INSERT INTO rooftop.about SELECT 4, md5(random()::text || clock_timestamp()::text) WHERE NOT"
    " EXISTS (SELECT 1 FROM rooftop.about); COMMIT";
_Static_assert(HISTORY_SCHEMA == 4, "the server's tables have the version, too");

struct about {
    char id[TEAM_ABOUT], mark[MARK_TEXT]; /* mark: the oldest transaction that still runs there */
    long version;
};

static int take_about(void *ctx, const struct server_row *r, struct error *err)
{
    struct about *a = ctx;
    const char *version = server_text(r, 0), *id = server_text(r, 1), *mark = server_text(r, 2);
    (void)err;
    a->version = version ? strtol(version, NULL, 10) : 0;
    snprintf(a->id, sizeof a->id, "%s", id ? id : "");
    snprintf(a->mark, sizeof a->mark, "%s", mark ? mark : "");
    return 0;
}

static int ask_about(struct team *t, struct about *a, struct error *err)
{
    static const char sql[] = "SELECT version, id, txid_snapshot_xmin(txid_current_snapshot())"
                              " FROM rooftop.about";
    int rc = server_query(t->server, sql, NULL, 0, take_about, a, err);
    if (rc != 0 && server_lacks_table(t->server)) {
        *err = (struct error)ERROR_INIT;
        rc = server_exec(t->server, server_tables, err);
        if (rc == 0)
            rc = server_query(t->server, sql, NULL, 0, take_about, a, err);
    }
    if (rc == 0 && a->version != HISTORY_SCHEMA)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "use that rooftop", t->name,
                         a->version > HISTORY_SCHEMA ? "its tables are of a later rooftop"
                                                     : "its tables are not a history of rooftop");
    return rc;
}

/* Binds a column of the server's row; what is missing or too long becomes "". */
static void bind_row_text(sqlite3_stmt *st, int at, const struct server_row *r, int column)
{
    const char *text = server_text(r, column);
    if (!text || strlen(text) > TEXT_MOST)
        text = "";
    sqlite3_bind_text(st, at, text, -1, SQLITE_TRANSIENT);
}

static int64_t row_integer(const struct server_row *r, int column)
{
    const char *text = server_text(r, column);
    return text ? strtoll(text, NULL, 10) : 0;
}

struct arriving {
    struct team *t;
    sqlite3_stmt *st;
};

static int store_arrived(struct arriving *a, struct error *err)
{
    const int rc = sqlite3_step(a->st) == SQLITE_DONE ? 0 : state_db_fail(a->t->s, err);
    sqlite3_reset(a->st);
    sqlite3_clear_bindings(a->st);
    return rc;
}

static int take_series_row(void *ctx, const struct server_row *r, struct error *err)
{
    struct arriving *a = ctx;
    const char *more = server_text(r, 3);
    for (int i = 0; i < 3; i++)
        bind_row_text(a->st, 1 + i, r, i);
    sqlite3_bind_int(a->st, 4, more && *more == 't');
    sqlite3_bind_int64(a->st, 5, row_integer(r, 4));
    return store_arrived(a, err);
}

static int take_point_row(void *ctx, const struct server_row *r, struct error *err)
{
    struct arriving *a = ctx;
    size_t bytes;
    const char *value = server_text(r, 3), *load = server_text(r, 4);
    bind_row_text(a->st, 1, r, 0);
    bind_row_text(a->st, 2, r, 1);
    sqlite3_bind_int64(a->st, 3, row_integer(r, 2));
    sqlite3_bind_double(a->st, 4, value ? strtod(value, NULL) : 0);
    if (load)
        sqlite3_bind_double(a->st, 5, strtod(load, NULL));
    unsigned char *samples = server_bytes(r, 5, &bytes);
    if (samples && bytes <= TEXT_MOST)
        sqlite3_bind_blob(a->st, 6, samples, (int)bytes, SQLITE_TRANSIENT);
    server_bytes_free(samples);
    for (int i = 0; i < POINT_TEXTS_N; i++)
        bind_row_text(a->st, 7 + i, r, 6 + i);
    return store_arrived(a, err);
}

/* Rows of the server into a table of this connection, so that the copy is not locked meanwhile. */
static int fetch_rows(struct team *t, const char *ask, const struct server_value *values, int n,
                      const char *store, server_row_fn *each, struct error *err)
{
    struct arriving a = {.t = t};
    int rc = team_prepare(t, &a.st, store, err);
    if (rc == 0)
        rc = server_query(t->server, ask, values, n, each, &a, err);
    sqlite3_finalize(a.st);
    return rc;
}

#define OF_SERIES                                                                                  \
    "(SELECT o.accepted_ns FROM on_server o WHERE o.name = series.name AND o.host = series.host)"
static const char keep_arrived[] =
    "INSERT OR IGNORE INTO series(name, host, unit, more_is_good, accepted_ns)"
    " SELECT name, host, unit, more_is_good, 0 FROM on_server;"
    "UPDATE series SET accepted_ns = " OF_SERIES " WHERE accepted_ns < coalesce(" OF_SERIES ", 0);"
    "INSERT OR IGNORE INTO point(series, time_ns, value, load, samples, " POINT_TEXTS ")"
    " SELECT s.id, a.time_ns, a.value, a.load, a.samples, " POINT_TEXTS
    " FROM arrived a JOIN series s USING(name, host);"
    "DELETE FROM waits WHERE point IN (SELECT p.id FROM arrived a JOIN series s USING(name, host)"
    " JOIN point p ON p.series = s.id AND p.time_ns = a.time_ns)";

/* Tables that were made anew: what was read from those before is no longer there. */
static int drop_former(struct team *t, const char *former, const struct about *a, struct error *err)
{
    if (!*former || strcmp(former, a->id) == 0)
        return 0;
    return state_db_exec(t->s,
                         "DELETE FROM point WHERE id NOT IN (SELECT point FROM waits);"
                         "DELETE FROM series WHERE id NOT IN (SELECT series FROM point)",
                         err);
}

static int store_mark(struct team *t, const struct about *a, struct error *err)
{
    sqlite3_stmt *st;
    int rc = team_prepare(t, &st, "INSERT OR REPLACE INTO team VALUES(1, ?, ?, ?)", err);
    if (rc != 0)
        return rc;
    sqlite3_bind_text(st, 1, a->id, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, a->mark, -1, SQLITE_STATIC);
    sqlite3_bind_int64(st, 3, (int64_t)env_wall_ns());
    rc = sqlite3_step(st) == SQLITE_DONE ? 0 : state_db_fail(t->s, err);
    sqlite3_finalize(st);
    return rc;
}

static int keep_all(struct team *t, const char *former, const struct about *a, struct error *err)
{
    int rc = state_db_exec(t->s, "BEGIN IMMEDIATE", err);
    if (rc != 0)
        return rc;
    rc = drop_former(t, former, a, err);
    if (rc == 0)
        rc = state_db_exec(t->s, keep_arrived, err);
    if (rc == 0)
        rc = store_mark(t, a, err);
    if (rc == 0)
        rc = state_db_exec(t->s, "COMMIT", err);
    if (rc != 0)
        state_db_exec(t->s, "ROLLBACK", NULL);
    return rc;
}

/* What the copy has: the server's tables that it is of, and from which transaction on it lacks. */
static int read_mark(struct team *t, struct about *had, struct error *err)
{
    sqlite3_stmt *st;
    int rc = team_prepare(t, &st, "SELECT about, mark FROM team", err);
    if (rc == 0 && sqlite3_step(st) == SQLITE_ROW) {
        snprintf(had->id, sizeof had->id, "%s", (const char *)sqlite3_column_text(st, 0));
        snprintf(had->mark, sizeof had->mark, "%s", (const char *)sqlite3_column_text(st, 1));
    }
    sqlite3_finalize(st);
    return rc;
}

int team_fetch(struct team *t, struct error *err)
{
    static const char series[] =
        "SELECT name, host, unit, more_is_good, accepted_ns FROM rooftop.series";
    static const char points[] =
        "SELECT s.name, s.host, p.time_ns, p.value, p.load, p.samples, " POINT_TEXTS
        " FROM rooftop.point p JOIN rooftop.series s ON s.id = p.series"
        " WHERE p.added_by >= $1::bigint AND p.value > 0 ORDER BY p.id";
    struct about now = {.version = 0}, had = {.version = 0};
    int rc = ask_about(t, &now, err);
    if (rc == 0)
        rc = read_mark(t, &had, err);
    /* tables made anew, or restored from before: all of them */
    if (strcmp(had.id, now.id) != 0 || strtoll(had.mark, NULL, 10) > strtoll(now.mark, NULL, 10))
        snprintf(had.mark, sizeof had.mark, "0");
    if (rc == 0)
        rc = fetch_rows(t, series, NULL, 0, "INSERT OR REPLACE INTO on_server VALUES(?,?,?,?,?)",
                        take_series_row, err);
    const struct server_value from = {.text = had.mark};
    if (rc == 0)
        rc = fetch_rows(t, points, &from, 1,
                        "INSERT INTO arrived VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                        take_point_row, err);
    return rc == 0 ? keep_all(t, had.id, &now, err) : rc;
}
