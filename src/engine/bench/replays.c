#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/bench/results.h"
#include "engine/value/database.h"

enum { BUSY_MS = 3000, SAMPLES_MOST = 65536, REPLAYS_ID = 0x72747270 /* "rtrp" */ };

bool bench_is_database(const char *path)
{
    char head[16];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) /* looking into a pipe would consume it */
        return false;
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    return n == sizeof head && memcmp(head, "SQLite format 3", sizeof head) == 0;
}

/* Whether it is the table that rooftop's replays are kept in. */
static bool has_replays(sqlite3 *db)
{
    sqlite3_stmt *st = NULL;
    bool is = sqlite3_prepare_v2(db, "PRAGMA application_id", -1, &st, NULL) == SQLITE_OK &&
              sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) == REPLAYS_ID;
    sqlite3_finalize(st);
    return is && database_table(db, "run");
}

static const char *text_of(sqlite3_stmt *st, int col)
{
    const char *s = (const char *)sqlite3_column_text(st, col);
    return s ? s : "";
}

/* A row as a result: times are in microseconds there. *n 0: it holds no time. */
static void fill_result(struct bench_results *r, struct bench_result *one, sqlite3_stmt *st)
{
    const char *hsaco = text_of(st, 4);
    const double *samples = sqlite3_column_blob(st, 8);
    size_t n = (size_t)sqlite3_column_bytes(st, 8) / sizeof *samples;
    double *v = arena_alloc(&r->arena, (n + 1) * sizeof *v);
    n = samples && n <= SAMPLES_MOST ? n : 0;
    if (n)
        memcpy(v, samples, n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] *= 1e-6;
    const char *name = arena_printf(&r->arena, "%.400s, capture %.64s%s%.400s%s", text_of(st, 1),
                                    text_of(st, 2), *hsaco ? ", code " : "", hsaco,
                                    sqlite3_column_int(st, 6) ? " (emulated)" : "");
    bench_result_fill(one, name, v, n, sqlite3_column_double(st, 7) * 1e-6);
    r->wall_ns = (uint64_t)sqlite3_column_int64(st, 0);
    snprintf(r->conditions.commit, sizeof r->conditions.commit, "%s", text_of(st, 3));
    snprintf(r->conditions.cpu, sizeof r->conditions.cpu, "%s", text_of(st, 5));
}

static int read_rows(sqlite3 *db, const char *path, bench_results_fn *each, void *ctx,
                     struct error *err)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(db,
                                  "SELECT time_ns, kernel, capture, code, hsaco, agent, emulated,"
                                  " median, samples FROM run WHERE median > 0 ORDER BY time_ns",
                                  -1, &st, NULL);
    int rc = 0;
    while ((code == SQLITE_OK || code == SQLITE_ROW) && rc == 0 &&
           (code = sqlite3_step(st)) == SQLITE_ROW) {
        struct bench_result one;
        struct bench_results r = {.tool = "rooftop replay", .list = &one, .n = 1};
        fill_result(&r, &one, st);
        if (one.value > 0 && one.value < 1e9)
            rc = each(ctx, &r, err);
        arena_free(&r.arena);
    }
    if (rc == 0 && code != SQLITE_DONE)
        rc = code == SQLITE_INTERRUPT
                 ? database_stopped(path, err)
                 : error_set(err, ERROR_INPUT, EIO, NULL, path, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(st);
    return rc;
}

int bench_replays_read(const char *path, bench_results_fn *each, void *ctx, struct error *err)
{
    sqlite3 *db = NULL;
    int rc;
    if (database_open(&db, path, DATABASE_READ, BUSY_MS) != SQLITE_OK)
        rc = error_set(err, ERROR_INPUT, EIO, NULL, path, "%s",
                       db ? sqlite3_errmsg(db) : "no memory");
    else if (!has_replays(db))
        rc = error_set(err, ERROR_INPUT, EINVAL, "replays.db of the state folder is one", path,
                       "it is a database, but not that of rooftop's replays");
    else
        rc = read_rows(db, path, each, ctx, err);
    database_close(db);
    return rc;
}
