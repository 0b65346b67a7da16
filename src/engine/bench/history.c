#include "engine/bench/history_impl.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/list.h"
#include "base/state_dir.h"
#include "base/watch.h"
#include "engine/bench/server.h"

enum { SAMPLES_KEPT = 5000, COUNTERS_TEXT = 400, ENDS_TEXT = 64 };

static const char *const steps[] = {
    "ALTER TABLE point ADD COLUMN compiler TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE point ADD COLUMN counters TEXT NOT NULL DEFAULT ''", /* "cycles=5e9 switches=3" */
    /* "60 7 5": runs, those that failed, their status; '' = unknown */
    "ALTER TABLE point ADD COLUMN ends TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE point ADD COLUMN branch TEXT NOT NULL DEFAULT ''",
};

static const struct state_db_kind usual = {
    .file = "bench.db",
    .what = "the history of benchmarks",
    .application_id = 0x72746268, /* "rtbh" */
    .version = HISTORY_SCHEMA,
    .steps = steps,
    .oldest_read = 1,
    .schema = HISTORY_TABLES,
};

/* bench.db of the state folder. To read a damaged one is an error: it is not an empty one. */
static int open_usual(struct state_db *s, bool readonly, char *note, size_t size, struct error *err)
{
    char dir[STATE_DB_PATH];
    if (!state_dir(dir, sizeof dir, err))
        return err && err->kind != ERROR_NONE
                   ? -EACCES
                   : error_set(err, ERROR_OUTPUT, ENOENT, "set HOME, or name a file by --db",
                               "history", "there is no state folder");
    int rc = state_db_open(s, &usual, dir, readonly, note, size, err);
    if (rc != 0 || !readonly || s->db || !size || !*note)
        return rc;
    *note = '\0';
    return error_set(err, ERROR_INPUT, EINVAL,
                     "rooftop compare bench and --import rename it and begin a new one", s->path,
                     "the history of benchmarks is damaged");
}

static int open_state(struct bench_history **out, const char *path, enum history_use use,
                      char *note, size_t size, struct error *err)
{
    const bool readonly = use != HISTORY_WRITES;
    char dir[STATE_DB_PATH];
    struct state_db_kind kind = usual;
    *out = xcalloc(1, sizeof **out);
    if (size)
        *note = '\0';
    if (!path)
        path = env_get("ROOFTOP_HISTORY");
    if (server_is_url(path))
        return team_open(&(*out)->team, &(*out)->s, path, use, note, size, err);
    if (!path)
        return open_usual(&(*out)->s, readonly, note, size, err);
    const char *slash = strrchr(path, '/');
    if (strlen(path) >= sizeof dir)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, NULL, "--db", "the path is too long");
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
    kind.file = slash ? slash + 1 : path;
    kind.chosen = true;
    if (readonly && access(path, F_OK) != 0)
        return error_set(err, ERROR_INPUT, errno,
                         errno == ENOENT ? "rooftop compare bench and --import make it" : NULL,
                         path, "%s", errno == ENOENT ? "there is no such file" : strerror(errno));
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return error_set(err, ERROR_INPUT, EISDIR, "name a file in it", path, "it is a folder");
    if (stat(dir, &st) != 0) /* a mistyped one is not made */
        return error_set(err, ERROR_INPUT, errno, "the folder must exist", path, "%s",
                         strerror(errno));
    return state_db_open(&(*out)->s, &kind, dir, readonly, note, size, err);
}

static int open_history(struct bench_history **out, const char *path, enum history_use use,
                        char *note, size_t size, struct error *err)
{
    sqlite3_stmt *st = NULL;
    int rc = open_state(out, path, use, note, size, err);
    if (rc != 0 || !(*out)->s.db)
        return rc;
    if (sqlite3_prepare_v2((*out)->s.db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        (*out)->version = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return 0;
}

int bench_history_open(struct bench_history **out, const char *path, bool readonly, char *note,
                       size_t size, struct error *err)
{
    return open_history(out, path, readonly ? HISTORY_READS : HISTORY_WRITES, note, size, err);
}

int bench_history_reopen(struct bench_history **out, const char *path, char *note, size_t size,
                         struct error *err)
{
    return open_history(out, path, HISTORY_READS_AGAIN, note, size, err);
}

void bench_history_close(struct bench_history *h)
{
    if (h) {
        team_close(h->team);
        state_db_close(&h->s);
    }
    free(h);
}

bool bench_history_late(const struct bench_history *h)
{
    return h->team && team_is_late(h->team);
}

/* What was changed in the copy is kept there where the server does not take it now. */
static void tell_team(struct bench_history *h)
{
    struct error later = ERROR_INIT;
    if (h->team && team_send(h->team, &later) != 0)
        team_set_late(h->team);
}

int bench_history_check(const char *path, char *note, size_t size, struct error *err)
{
    struct bench_history *h = NULL;
    int rc = bench_history_open(&h, path, false, note, size, err);
    bench_history_close(h);
    return rc;
}

/* --- adding --- */

static int prepare_history_query(struct bench_history *h, sqlite3_stmt **st, const char *sql,
                                 struct error *err)
{
    *st = NULL;
    if (!h->s.db)
        return error_set(err, ERROR_OUTPUT, EROFS, "name a file by --db", "history of benchmarks",
                         "it is not there");
    return sqlite3_prepare_v2(h->s.db, sql, -1, st, NULL) == SQLITE_OK ? 0
                                                                       : state_db_fail(&h->s, err);
}

/* Ends a statement that returns no row. */
static int finish_history_query(struct bench_history *h, sqlite3_stmt *st, struct error *err)
{
    int rc = sqlite3_step(st) == SQLITE_DONE ? 0 : state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return rc;
}

static int add_series(struct bench_history *h, const struct bench_result *r, const char *host,
                      struct error *err)
{
    sqlite3_stmt *st;
    int rc = prepare_history_query(
        h, &st,
        "INSERT OR IGNORE INTO series(name, host, unit, more_is_good, accepted_ns)"
        " VALUES(?,?,?,?,0)",
        err);
    if (rc != 0)
        return rc;
    sqlite3_bind_text(st, 1, r->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, host, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 3, r->unit, -1, SQLITE_STATIC);
    sqlite3_bind_int(st, 4, r->more_is_good);
    return finish_history_query(h, st, err);
}

/* "cycles=5e+09 switches=3": those that are known. */
static const char *counters_text(const double *counters, char out[COUNTERS_TEXT])
{
    size_t used = 0;
    *out = '\0';
    for (int c = 0; c < BENCH_COUNTERS && used < COUNTERS_TEXT; c++)
        if (isfinite(counters[c]))
            used += (size_t)snprintf(out + used, COUNTERS_TEXT - used, "%s%s=%.9g", used ? " " : "",
                                     bench_counter_names[c], counters[c]);
    return out;
}

static void parse_counters(const char *text, double *counters)
{
    for (int c = 0; c < BENCH_COUNTERS; c++) {
        const char *name = bench_counter_names[c];
        size_t n = strlen(name);
        counters[c] = NAN;
        for (const char *at = text; at && *at; at = strchr(at, ' '), at = at ? at + 1 : NULL)
            if (strncmp(at, name, n) == 0 && at[n] == '=')
                counters[c] = strtod(at + n + 1, NULL);
        if (!(counters[c] >= 0 && counters[c] < 1e18))
            counters[c] = NAN;
    }
}

static const char *ends_text(const struct bench_ends *e, char out[ENDS_TEXT])
{
    *out = '\0';
    if (e->runs)
        snprintf(out, ENDS_TEXT, "%zu %zu %d", e->runs, e->failed, e->status);
    return out;
}

static struct bench_ends parse_ends(const char *text)
{
    struct bench_ends e = {.runs = 0};
    if (!text || sscanf(text, "%zu %zu %d", &e.runs, &e.failed, &e.status) != 3 ||
        e.failed > e.runs)
        return (struct bench_ends){.runs = 0};
    return e;
}

static int add_point(struct bench_history *h, const struct bench_results *all,
                     const struct bench_result *r, struct error *err)
{
    const struct bench_conditions *p = &all->conditions;
    const char *texts[] = {p->commit, p->cpu, p->kernel,   p->governor,
                           p->turbo,  p->smt, p->microcode};
    size_t n = r->n < SAMPLES_KEPT ? r->n : SAMPLES_KEPT;
    char counters[COUNTERS_TEXT], ends[ENDS_TEXT];
    sqlite3_stmt *st;
    int rc = prepare_history_query(
        h, &st,
        "INSERT OR IGNORE INTO point(time_ns, tool, value, load, commit_id, cpu,"
        " kernel, governor, turbo, smt, microcode, samples, compiler, counters,"
        " ends, branch, series) SELECT ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?, id FROM series WHERE "
        "name=? AND"
        " host=?",
        err);
    if (rc != 0)
        return rc;
    sqlite3_bind_int64(st, 1, (sqlite3_int64)all->wall_ns);
    sqlite3_bind_text(st, 2, all->tool, -1, SQLITE_STATIC);
    sqlite3_bind_double(st, 3, r->value);
    if (isfinite(r->load))
        sqlite3_bind_double(st, 4, r->load);
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(st, 5 + i, texts[i], -1, SQLITE_STATIC);
    sqlite3_bind_blob(st, 12, r->v, (int)(n * sizeof *r->v), SQLITE_STATIC);
    sqlite3_bind_text(st, 13, r->compiler ? r->compiler : "", -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 14, counters_text(r->counters, counters), -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 15, ends_text(&r->ends, ends), -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 16, p->branch, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 17, r->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 18, p->host, -1, SQLITE_STATIC);
    return finish_history_query(h, st, err);
}

int bench_history_add(struct bench_history *h, const struct bench_results *r, size_t *added,
                      struct error *err)
{
    size_t n = 0;
    int rc = h->s.db ? state_db_exec(&h->s, "BEGIN IMMEDIATE", err) : 0;
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        rc = add_series(h, &r->list[i], r->conditions.host, err);
        if (rc == 0)
            rc = add_point(h, r, &r->list[i], err);
        n += rc == 0 && sqlite3_changes(h->s.db) > 0;
    }
    if (rc == 0)
        rc = state_db_exec(&h->s, "COMMIT", err);
    else if (h->s.db)
        state_db_exec(&h->s, "ROLLBACK", NULL);
    if (added)
        *added = rc == 0 ? n : 0;
    if (rc == 0)
        tell_team(h);
    return rc;
}

int bench_history_accept(struct bench_history *h, const char *name, size_t *changed,
                         struct error *err)
{
    sqlite3_stmt *st;
    int rc = prepare_history_query(
        h, &st,
        "UPDATE series SET accepted_ns = coalesce((SELECT max(time_ns) FROM point"
        " WHERE series = series.id), 0) WHERE name = ?",
        err);
    *changed = 0;
    if (rc != 0)
        return rc;
    sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    rc = finish_history_query(h, st, err);
    *changed = rc == 0 ? (size_t)sqlite3_changes(h->s.db) : 0;
    if (rc == 0)
        tell_team(h);
    return rc;
}

/* --- reading --- */

static const char *text_column(struct arena *a, sqlite3_stmt *st, int col)
{
    const char *s = (const char *)sqlite3_column_text(st, col);
    return s ? arena_strdup(a, s) : "";
}

static void copy_column(char *out, size_t size, sqlite3_stmt *st, int col)
{
    const char *s = (const char *)sqlite3_column_text(st, col);
    snprintf(out, size, "%s", s ? s : "");
}

/* The points of a series, the first first. */
static int read_points(struct bench_history *h, struct history_list *l, struct history_series *s,
                       sqlite3_int64 id, sqlite3_int64 accepted_ns, struct error *err)
{
    sqlite3_stmt *st;
    static const char *const newer[] = {"'', '', '', ''", "compiler, counters, '', ''",
                                        "compiler, counters, ends, ''",
                                        "compiler, counters, ends, branch"};
    char sql[512];
    int version = h->version < 1 ? 1 : h->version;
    snprintf(sql, sizeof sql,
             "SELECT time_ns, tool, value, load, commit_id, cpu, kernel, governor, turbo, smt,"
             " microcode, length(samples), id, %s FROM (SELECT * FROM point WHERE series=?"
             " ORDER BY time_ns DESC LIMIT ?) ORDER BY time_ns",
             newer[(version > HISTORY_SCHEMA ? HISTORY_SCHEMA : version) - 1]);
    int code, rc = prepare_history_query(h, &st, sql, err);
    if (rc != 0)
        return rc;
    sqlite3_bind_int64(st, 1, id);
    sqlite3_bind_int(st, 2, HISTORY_POINTS_MOST);
    while ((code = sqlite3_step(st)) == SQLITE_ROW) {
        struct history_point p = {.time_ns = (uint64_t)sqlite3_column_int64(st, 0),
                                  .value = sqlite3_column_double(st, 2),
                                  .load = sqlite3_column_double(st, 3),
                                  .n = (size_t)sqlite3_column_int64(st, 11) / sizeof(double),
                                  .id = sqlite3_column_int64(st, 12)};
        if (!(p.value > 0 && p.value < 1e15))
            continue;
        if (sqlite3_column_type(st, 3) == SQLITE_NULL)
            p.load = NAN;
        p.tool = text_column(&l->arena, st, 1);
        copy_column(p.conditions.commit, sizeof p.conditions.commit, st, 4);
        copy_column(p.conditions.cpu, sizeof p.conditions.cpu, st, 5);
        copy_column(p.conditions.kernel, sizeof p.conditions.kernel, st, 6);
        copy_column(p.conditions.governor, sizeof p.conditions.governor, st, 7);
        copy_column(p.conditions.turbo, sizeof p.conditions.turbo, st, 8);
        copy_column(p.conditions.smt, sizeof p.conditions.smt, st, 9);
        copy_column(p.conditions.microcode, sizeof p.conditions.microcode, st, 10);
        p.compiler = text_column(&l->arena, st, 13);
        parse_counters((const char *)sqlite3_column_text(st, 14), p.counters);
        p.ends = parse_ends((const char *)sqlite3_column_text(st, 15));
        copy_column(p.conditions.branch, sizeof p.conditions.branch, st, 16);
        LIST_ADD(s->points, s->n, s->cap, p);
        s->accepted += p.time_ns <= (uint64_t)accepted_ns;
    }
    rc = code == SQLITE_DONE ? 0 : state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return rc;
}

/* Copies a blob of numbers; nothing if it has a value that cannot be a measurement. */
static void copy_samples(const void *bytes, size_t n, double **v, size_t *out_n)
{
    if (!bytes || n == 0 || n > SAMPLES_KEPT)
        return;
    *v = xcalloc(n, sizeof **v);
    memcpy(*v, bytes, n * sizeof **v);
    for (size_t i = 0; i < n; i++)
        if (!((*v)[i] > 0 && (*v)[i] < 1e15)) {
            free(*v);
            *v = NULL;
            return;
        }
    *out_n = n;
}

int bench_history_samples(struct bench_history *h, int64_t id, double **v, size_t *n,
                          struct error *err)
{
    sqlite3_stmt *st;
    *v = NULL;
    *n = 0;
    int rc = prepare_history_query(h, &st, "SELECT samples FROM point WHERE id=?", err);
    if (rc != 0)
        return rc;
    sqlite3_bind_int64(st, 1, id);
    int code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        copy_samples(sqlite3_column_blob(st, 0),
                     (size_t)sqlite3_column_bytes(st, 0) / sizeof(double), v, n);
    else if (code != SQLITE_DONE)
        rc = state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return rc;
}

/* How many series there are with the text in their name. */
static size_t count_series(struct bench_history *h, const char *name)
{
    sqlite3_stmt *st;
    size_t n = 0;
    if (prepare_history_query(h, &st, "SELECT count(*) FROM series WHERE instr(name, ?) > 0",
                              NULL) != 0)
        return 0;
    sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(st) == SQLITE_ROW)
        n = (size_t)sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

/* Reads and judges the series of a row. */
static int read_series(struct bench_history *h, sqlite3_stmt *st, const struct change_rule *rule,
                       struct history_list *out, struct error *err)
{
    struct history_series s = {.name = text_column(&out->arena, st, 1),
                               .host = text_column(&out->arena, st, 2),
                               .unit = text_column(&out->arena, st, 3),
                               .more_is_good = sqlite3_column_int(st, 4) != 0};
    int rc = read_points(h, out, &s, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 5), err);
    LIST_ADD(out->list, out->n, out->cap, s);
    if (rc == 0 && rule)
        history_judge(&out->list[out->n - 1], rule);
    return rc;
}

int bench_history_load(struct bench_history *h, const char *name, const struct change_rule *rule,
                       const struct history_progress *progress, struct history_list *out,
                       struct error *err)
{
    sqlite3_stmt *st;
    int code = SQLITE_DONE, rc = 0;
    *out = (struct history_list){0};
    if (!h->s.db) /* nothing was stored yet */
        return 0;
    name = name ? name : "";
    size_t total = progress ? count_series(h, name) : 0;
    rc = prepare_history_query(
        h, &st,
        "SELECT id, name, host, unit, more_is_good, accepted_ns FROM series WHERE"
        " instr(name, ?) > 0 ORDER BY name, host",
        err);
    if (rc != 0)
        return rc;
    sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    while (rc == 0 && !watch_given_up() && (code = sqlite3_step(st)) == SQLITE_ROW) {
        rc = read_series(h, st, rule, out, err);
        if (progress)
            progress->tell(progress->ctx, out->n, total);
    }
    if (rc == 0 && code != SQLITE_DONE && code != SQLITE_ROW)
        rc = state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return watch_given_up() ? watch_check("the history of benchmarks", err) : rc;
}

void bench_history_list_free(struct history_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->list[i].points);
        free(l->list[i].changes);
    }
    free(l->list);
    arena_free(&l->arena);
    *l = (struct history_list){0};
}
