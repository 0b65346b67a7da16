#include "engine/replay/replay_store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/document.h"
#include "engine/value/state_db.h"

enum { SAMPLES_KEPT = 65536, FOLDERS_KEPT = 64 };

struct replay_store {
    struct state_db s;
};

static const struct state_db_kind kind = {
    .file = "replays.db",
    .what = "the history of replays",
    .application_id = 0x72747270, /* "rtrp" */
    .version = REPLAY_STORE_SCHEMA,
    .schema =
        "CREATE TABLE run(id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, kernel TEXT NOT NULL,"
        " capture TEXT NOT NULL, code TEXT NOT NULL, hsaco TEXT NOT NULL, job TEXT NOT NULL,"
        " mode TEXT NOT NULL, agent TEXT NOT NULL, emulated INTEGER NOT NULL, iterations INTEGER,"
        " average REAL, min REAL, max REAL, stddev REAL, median REAL, samples BLOB,"
        " verify INTEGER NOT NULL, restore_rate REAL, result TEXT);"
        "CREATE INDEX run_of ON run(kernel, capture, time_ns);"
        "CREATE TABLE folder(path TEXT PRIMARY KEY, time_ns INTEGER NOT NULL) WITHOUT ROWID;",
};

int replay_store_open(struct replay_store **out, const char *dir, bool readonly, char *note,
                      size_t size, struct error *err)
{
    *out = xcalloc(1, sizeof **out);
    return state_db_open(&(*out)->s, &kind, dir, readonly, note, size, err);
}

void replay_store_close(struct replay_store *h)
{
    if (!h)
        return;
    state_db_close(&h->s);
    free(h);
}

/* --- reading --- */

static const char *column_text(struct arena *a, sqlite3_stmt *st, int col)
{
    const unsigned char *s = sqlite3_column_text(st, col);
    return s ? arena_strdup(a, (const char *)s) : "";
}

static void read_kept_samples(struct replay_pasts *out, struct replay_timing *t, sqlite3_stmt *st,
                              int col)
{
    const void *bytes = sqlite3_column_blob(st, col);
    size_t n = (size_t)sqlite3_column_bytes(st, col) / sizeof(double);
    if (!bytes || n == 0 || n > SAMPLES_KEPT)
        return;
    t->samples = arena_alloc(&out->arena, n * sizeof *t->samples);
    memcpy(t->samples, bytes, n * sizeof *t->samples);
    t->n = n;
    for (size_t i = 0; i < n; i++)
        if (!(t->samples[i] >= 0 && t->samples[i] < 1e18)) /* no real measurement */
            t->n = 0;
}

static enum replay_job job_of(const char *name)
{
    for (int i = 0; i < REPLAY_JOBS; i++)
        if (strcmp(name, replay_job_name((enum replay_job)i)) == 0)
            return (enum replay_job)i;
    return REPLAY_FULL_VM;
}

static void read_row(struct replay_pasts *out, sqlite3_stmt *st)
{
    struct replay_past *p = &out->rows[out->n++];
    struct replay_timing *t = &p->timing;
    p->time_ns = (uint64_t)sqlite3_column_int64(st, 0);
    p->code = column_text(&out->arena, st, 1);
    p->hsaco = column_text(&out->arena, st, 2);
    p->job = job_of(column_text(&out->arena, st, 3));
    p->mode = column_text(&out->arena, st, 4);
    p->agent = column_text(&out->arena, st, 5);
    p->emulated = sqlite3_column_int(st, 6) != 0;
    t->iterations = (uint64_t)sqlite3_column_int64(st, 7);
    t->known = sqlite3_column_type(st, 8) != SQLITE_NULL;
    t->average = sqlite3_column_double(st, 8);
    t->min = sqlite3_column_double(st, 9);
    t->max = sqlite3_column_double(st, 10);
    t->stddev = sqlite3_column_double(st, 11);
    t->median = sqlite3_column_double(st, 12);
    read_kept_samples(out, t, st, 13);
    p->stats = stats_of(t->samples, t->n);
    p->verify = sqlite3_column_int(st, 14);
    p->restore_rate = sqlite3_column_double(st, 15);
}

int replay_store_results(struct replay_store *h, const struct replay_key *key, size_t most,
                         struct replay_pasts *out, struct error *err)
{
    sqlite3_stmt *st = NULL;
    *out = (struct replay_pasts){0};
    if (!h->s.db)
        return 0;
    most = most < REPLAY_STORE_KEPT ? most : REPLAY_STORE_KEPT;
    if (sqlite3_prepare_v2(h->s.db,
                           "SELECT time_ns, code, hsaco, job, mode, agent, emulated, iterations,"
                           " average, min, max, stddev, median, samples, verify, restore_rate"
                           " FROM run WHERE kernel=? AND capture=?"
                           " ORDER BY time_ns DESC, id DESC LIMIT ?",
                           -1, &st, NULL) != SQLITE_OK)
        return state_db_fail(&h->s, err);
    sqlite3_bind_text(st, 1, key->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, key->capture, -1, SQLITE_STATIC);
    sqlite3_bind_int64(st, 3, (sqlite3_int64)most);
    out->rows = arena_alloc(&out->arena, (most + 1) * sizeof *out->rows);
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW && out->n < most)
        read_row(out, st);
    rc = rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return rc;
}

void replay_pasts_free(struct replay_pasts *p)
{
    arena_free(&p->arena);
    *p = (struct replay_pasts){0};
}

/* --- writing --- */

static int refuse_history(struct replay_store *h, struct error *err)
{
    return error_set(err, ERROR_OUTPUT, EROFS, NULL,
                     h->s.path[0] ? h->s.path : "history of replays",
                     h->s.readonly ? "started with --readonly" : "there is no state folder");
}

static int step_done(struct replay_store *h, sqlite3_stmt *st, struct error *err)
{
    int rc = sqlite3_step(st) == SQLITE_DONE ? 0 : state_db_fail(&h->s, err);
    sqlite3_finalize(st);
    return rc;
}

static void bind_timing(sqlite3_stmt *st, int at, const struct replay_timing *t)
{
    const double v[] = {t->average, t->min, t->max, t->stddev, t->median};
    size_t n = t->n < SAMPLES_KEPT ? t->n : SAMPLES_KEPT;
    for (int i = 0; i < 5 && t->known; i++)
        sqlite3_bind_double(st, at + i, v[i]);
    sqlite3_bind_blob(st, at + 5, t->samples, (int)(n * sizeof *t->samples), SQLITE_STATIC);
}

/* What is stored besides the key. */
struct history_row {
    enum replay_job job;
    const struct replay_result *r;
    const struct replay_timing *timing;
    const char *hsaco;
    int verify;
    uint64_t time_ns;
};

static int insert_result(struct replay_store *h, const struct replay_key *key,
                         const struct history_row *w, struct error *err)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(h->s.db,
                           "INSERT INTO run(time_ns, kernel, capture, code, hsaco, job, mode,"
                           " agent, emulated, iterations, average, min, max, stddev, median,"
                           " samples, verify, restore_rate, result)"
                           " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                           -1, &st, NULL) != SQLITE_OK)
        return state_db_fail(&h->s, err);
    const char *texts[] = {
        key->kernel, key->capture, key->code, w->hsaco ? w->hsaco : "", replay_job_name(w->job),
        w->r->mode,  w->r->agent};
    sqlite3_bind_int64(st, 1, (sqlite3_int64)w->time_ns);
    for (int i = 0; i < 7; i++)
        sqlite3_bind_text(st, 2 + i, texts[i], -1, SQLITE_STATIC);
    sqlite3_bind_int(st, 9, w->r->emulated);
    sqlite3_bind_int64(st, 10, (sqlite3_int64)(w->timing->n ? w->timing->n : w->r->iterations));
    bind_timing(st, 11, w->timing);
    sqlite3_bind_int(st, 17, w->verify);
    sqlite3_bind_double(st, 18, w->r->restore_rate);
    if (strlen(w->r->json) < (1 << 20))
        sqlite3_bind_text(st, 19, w->r->json, -1, SQLITE_STATIC);
    return step_done(h, st, err);
}

static int forget_results(struct replay_store *h, const struct replay_key *key, struct error *err)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(h->s.db,
                           "DELETE FROM run WHERE kernel=?1 AND capture=?2 AND id NOT IN (SELECT id"
                           " FROM run WHERE kernel=?1 AND capture=?2"
                           " ORDER BY time_ns DESC, id DESC LIMIT ?3)",
                           -1, &st, NULL) != SQLITE_OK)
        return state_db_fail(&h->s, err);
    sqlite3_bind_text(st, 1, key->kernel, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, key->capture, -1, SQLITE_STATIC);
    sqlite3_bind_int(st, 3, REPLAY_STORE_KEPT);
    return step_done(h, st, err);
}

static int insert_all(struct replay_store *h, const struct replay_key *key, struct history_row *w,
                      struct error *err)
{
    const struct replay_result *r = w->r;
    int rc = r->nvariants ? 0 : insert_result(h, key, w, err);
    for (size_t i = 0; i < r->nvariants && rc == 0; i++) {
        const struct replay_variant *v = &r->variants[i];
        if (!v->timing.known)
            continue;
        struct replay_key own = *key;
        bool captured = strcmp(v->path, "captured") == 0;
        if (!captured)
            replay_key_code(&own, v->path);
        w->timing = &v->timing;
        w->hsaco = captured ? "" : v->path;
        w->verify = v->equal;
        rc = insert_result(h, &own, w, err);
    }
    return rc ? rc : forget_results(h, key, err);
}

int replay_store_add(struct replay_store *h, const struct replay_key *key, enum replay_job job,
                     const struct replay_result *r, const char *hsaco, uint64_t time_ns,
                     struct error *err)
{
    struct history_row w = {
        .job = job,
        .r = r,
        .timing = &r->timing,
        .hsaco = hsaco,
        .verify = replay_equality_of(r->verify.reported, r->verify.equal, r->verify.exact),
        .time_ns = time_ns};
    if (!h->s.db || h->s.readonly)
        return refuse_history(h, err);
    int rc = state_db_exec(&h->s, "BEGIN IMMEDIATE", err);
    if (rc != 0)
        return rc;
    rc = insert_all(h, key, &w, err);
    if (rc == 0)
        return state_db_exec(&h->s, "COMMIT", err);
    state_db_exec(&h->s, "ROLLBACK", NULL);
    return rc;
}

int replay_store_remember(struct replay_store *h, const char *folder, uint64_t time_ns,
                          struct error *err)
{
    sqlite3_stmt *st = NULL;
    char sql[160];
    if (!h->s.db || h->s.readonly)
        return refuse_history(h, err);
    if (sqlite3_prepare_v2(h->s.db, "INSERT OR REPLACE INTO folder(path, time_ns) VALUES(?, ?)", -1,
                           &st, NULL) != SQLITE_OK)
        return state_db_fail(&h->s, err);
    sqlite3_bind_text(st, 1, folder, -1, SQLITE_STATIC);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)time_ns);
    int rc = step_done(h, st, err);
    snprintf(sql, sizeof sql,
             "DELETE FROM folder WHERE path NOT IN (SELECT path FROM folder ORDER BY time_ns DESC,"
             " path LIMIT %d)",
             FOLDERS_KEPT);
    return rc ? rc : state_db_exec(&h->s, sql, err);
}

size_t replay_store_folders(struct replay_store *h, struct arena *arena, const char **out,
                            size_t most)
{
    sqlite3_stmt *st = NULL;
    size_t n = 0;
    if (!h->s.db ||
        sqlite3_prepare_v2(h->s.db, "SELECT path FROM folder ORDER BY time_ns DESC, path", -1, &st,
                           NULL) != SQLITE_OK)
        return 0;
    while (n < most && sqlite3_step(st) == SQLITE_ROW)
        out[n++] = column_text(arena, st, 0);
    sqlite3_finalize(st);
    return n;
}

/* --- comparing --- */

const char *replay_past_compare(const struct replay_past *a, const struct replay_past *b,
                                struct replay_difference_of *out)
{
    *out = (struct replay_difference_of){.low = 1, .p = 1};
    if (a->emulated != b->emulated)
        return "one is EMULATED: its times say nothing of a GPU";
    if (!a->timing.known || !b->timing.known || !(a->timing.average > 0))
        return "it has no times";
    out->percent = 100 * (b->timing.average - a->timing.average) / a->timing.average;
    if (a->stats.n == 0 || b->stats.n == 0)
        return NULL;
    const double mean = a->stats.mean;
    struct stats_difference d = stats_compare(&a->stats, &b->stats);
    out->percent = mean > 0 ? 100 * d.difference / mean : out->percent;
    out->p = d.p;
    out->low = d.low <= d.high && mean > 0 ? 100 * d.low / mean : 1;
    out->high = d.low <= d.high && mean > 0 ? 100 * d.high / mean : 0;
    return NULL;
}

/* --- documents --- */

struct value replay_past_time(const struct replay_past *p, double us)
{
    return p->timing.known ? value_ok(us / 1e6, UNIT_SECONDS)
                           : value_missing("it has no times", UNIT_SECONDS);
}

static bool was_compared(const struct replay_past *p)
{
    return p->verify != REPLAY_NOT_COMPARED;
}

#define LIST_ROW   struct replay_past
#define LIST_FILE  "engine/replay/replay_past_fields.def"
#define LIST_TABLE replay_past_fields
#include "engine/value/list_field_table.h"
