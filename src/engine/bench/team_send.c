/* A team's history: what waits in the copy, to the server. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "engine/bench/team_impl.h"

enum { BATCH = 200, NUMBER_TEXT = 32 };

/* The server refuses what is not UTF-8: the rest is replaced. */
static struct server_value column_value(struct arena *a, sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    const size_t n = text ? strlen(text) : 0;
    char *out = arena_alloc(a, 3 * n + 1);
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        const size_t len = utf8_sequence(text + i, n - i);
        if (len)
            memcpy(out + used, text + i, len);
        else
            memcpy(out + used, UTF8_REPLACEMENT, 3);
        used += len ? len : 3;
        i += len ? len : 1;
    }
    out[used] = '\0';
    return (struct server_value){.text = out};
}

static int send_series(struct team *t, struct arena *a, sqlite3_stmt *st, struct error *err)
{
    static const char sql[] =
        "INSERT INTO rooftop.series(name, host, unit, more_is_good) VALUES($1, $2, $3,"
        " $4::integer <> 0) ON CONFLICT DO NOTHING";
    struct server_value v[4];
    for (int i = 0; i < 4; i++)
        v[i] = column_value(a, st, 1 + i);
    return server_query(t->server, sql, v, 4, NULL, NULL, err);
}

static int send_point(struct team *t, struct arena *a, sqlite3_stmt *st, struct error *err)
{
    static const char sql[] =
        "INSERT INTO rooftop.point(series, time_ns, value, load, samples, " POINT_TEXTS ")"
        " SELECT id, $3::bigint, $4::double precision, $5::double precision, $6::bytea, $7, $8, $9,"
        " $10, $11, $12, $13, $14, $15, $16, $17, $18 FROM rooftop.series WHERE md5(name) = md5($1)"
        " AND md5(host) = md5($2) ON CONFLICT DO NOTHING";
    char value[NUMBER_TEXT], load[NUMBER_TEXT];
    struct server_value v[6 + POINT_TEXTS_N] = {column_value(a, st, 1), column_value(a, st, 2),
                                                column_value(a, st, 5)};
    snprintf(value, sizeof value, "%.17g", sqlite3_column_double(st, 6));
    snprintf(load, sizeof load, "%.17g", sqlite3_column_double(st, 7));
    v[3].text = value;
    if (sqlite3_column_type(st, 7) != SQLITE_NULL)
        v[4].text = load;
    v[5].bytes = (size_t)sqlite3_column_bytes(st, 8);
    if (v[5].bytes)
        v[5].text = sqlite3_column_blob(st, 8);
    for (int i = 0; i < POINT_TEXTS_N; i++)
        v[6 + i] = column_value(a, st, 9 + i);
    return server_query(t->server, sql, v, 6 + POINT_TEXTS_N, NULL, NULL, err);
}

/* Sends at most BATCH points; ids: theirs. */
static int send_batch(struct team *t, int64_t ids[BATCH], size_t *n, struct error *err)
{
    struct arena a = {0};
    sqlite3_stmt *st;
    *n = 0;
    int rc = team_prepare(t, &st,
                          "SELECT p.id, s.name, s.host, s.unit, s.more_is_good, p.time_ns, p.value,"
                          " p.load, p.samples, " POINT_TEXTS " FROM waits w JOIN point p ON p.id ="
                          " w.point JOIN series s ON s.id = p.series ORDER BY p.id",
                          err);
    while (rc == 0 && *n < BATCH && sqlite3_step(st) == SQLITE_ROW) {
        if (*n == 0)
            rc = server_exec(t->server, "BEGIN", err);
        ids[(*n)++] = sqlite3_column_int64(st, 0);
        if (rc == 0)
            rc = send_series(t, &a, st, err);
        if (rc == 0)
            rc = send_point(t, &a, st, err);
    }
    sqlite3_finalize(st);
    arena_free(&a);
    if (rc == 0 && *n)
        rc = server_exec(t->server, "COMMIT", err);
    return rc;
}

static int forget_sent(struct team *t, const int64_t *ids, size_t n, struct error *err)
{
    sqlite3_stmt *st;
    int rc = state_db_exec(t->s, "BEGIN IMMEDIATE", err);
    if (rc != 0)
        return rc;
    rc = team_prepare(t, &st, "DELETE FROM waits WHERE point = ?", err);
    for (size_t i = 0; i < n && rc == 0; i++) {
        sqlite3_bind_int64(st, 1, ids[i]);
        rc = sqlite3_step(st) == SQLITE_DONE ? 0 : state_db_fail(t->s, err);
        sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    const int ended = state_db_exec(t->s, "COMMIT", rc == 0 ? err : NULL);
    return rc == 0 ? ended : rc;
}

/* Levels that were accepted here and not there. */
static int send_accepted(struct team *t, struct error *err)
{
    struct arena a = {0};
    sqlite3_stmt *st;
    int rc = team_prepare(t, &st,
                          "SELECT s.name, s.host, s.accepted_ns FROM series s LEFT JOIN on_server o"
                          " USING(name, host) WHERE s.accepted_ns > coalesce(o.accepted_ns, 0)",
                          err);
    while (rc == 0 && sqlite3_step(st) == SQLITE_ROW) {
        struct server_value v[3];
        for (int i = 0; i < 3; i++)
            v[i] = column_value(&a, st, i);
        rc = server_query(t->server,
                          "UPDATE rooftop.series SET accepted_ns = $3::bigint WHERE md5(name) ="
                          " md5($1) AND md5(host) = md5($2) AND accepted_ns < $3::bigint",
                          v, 3, NULL, NULL, err);
    }
    sqlite3_finalize(st);
    arena_free(&a);
    return rc;
}

static int refuse_away(struct team *t, struct error *err)
{
    return error_set(err, ERROR_INPUT, ENOTCONN, NULL, t->name, "the server did not answer before");
}

int team_send(struct team *t, struct error *err)
{
    int64_t ids[BATCH];
    size_t n = BATCH;
    int rc = t->server ? 0 : refuse_away(t, err);
    while (rc == 0 && n == BATCH) {
        rc = send_batch(t, ids, &n, err);
        if (rc == 0 && n)
            rc = forget_sent(t, ids, n, err);
    }
    if (rc == 0)
        rc = send_accepted(t, err);
    if (rc != 0 && t->server) { /* in the middle of something: of no more use */
        server_close(t->server);
        t->server = NULL;
    }
    return rc;
}
