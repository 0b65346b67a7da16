/*
 * A history that a team shares. Its tables are on a PostgreSQL server, in the schema "rooftop";
 * each machine has a copy of them in the state folder, which all reading uses, so that judging,
 * views and alarms are those of a file. What is measured is added to the copy first, and waits
 * there until the server has it: nothing is lost while the server is away, and adding the same
 * twice changes nothing.
 *
 * What others added is found by the number of the transaction that did it: a later exchange asks
 * for all from the oldest one that was still running at the last. (A row's own number would not do:
 * numbers are given before transactions end.)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/plural.h"
#include "base/state_dir.h"
#include "engine/bench/team_impl.h"

static const struct state_db_kind copy_kind = {
    .what = "the copy of a team's history",
    .application_id = 0x72746274, /* "rtbt" */
    .version = HISTORY_SCHEMA,
    .schema = HISTORY_TABLES
    "CREATE TABLE waits(point INTEGER PRIMARY KEY);"
    "CREATE TABLE team(one INTEGER PRIMARY KEY, about TEXT NOT NULL, mark TEXT NOT NULL,"
    " read_ns INTEGER NOT NULL);",
};

static const char arrived_tables[] =
    "CREATE TEMP TABLE IF NOT EXISTS on_server(name TEXT, host TEXT, unit TEXT, more_is_good"
    " INTEGER, accepted_ns INTEGER, PRIMARY KEY(name, host));"
    "CREATE TEMP TABLE IF NOT EXISTS arrived(name TEXT, host TEXT, time_ns INTEGER, value REAL,"
    " load REAL, samples BLOB, tool TEXT, commit_id TEXT, cpu TEXT, kernel TEXT, governor TEXT,"
    " turbo TEXT, smt TEXT, microcode TEXT, compiler TEXT, counters TEXT, ends TEXT, branch TEXT);"
    "DELETE FROM on_server; DELETE FROM arrived";

static int open_copy(struct team *t, char *note, size_t size, struct error *err)
{
    char dir[STATE_DB_PATH], file[64];
    struct state_db_kind kind = copy_kind;
    if (!state_dir(dir, sizeof dir, err))
        return err && err->kind != ERROR_NONE
                   ? -EACCES
                   : error_set(err, ERROR_OUTPUT, ENOENT, "set HOME",
                               "the copy of a team's history", "there is no state folder");
    snprintf(file, sizeof file, "team-%016llx.db", (unsigned long long)hash_text(0, t->name));
    kind.file = file;
    return state_db_open(t->s, &kind, dir, false, note, size, err);
}

int team_prepare(struct team *t, sqlite3_stmt **st, const char *sql, struct error *err)
{
    *st = NULL;
    if (!t->s->db)
        return error_set(err, ERROR_OUTPUT, EROFS, NULL, t->name, "its copy is not there");
    return sqlite3_prepare_v2(t->s->db, sql, -1, st, NULL) == SQLITE_OK ? 0
                                                                        : state_db_fail(t->s, err);
}

static int64_t copy_number(struct team *t, const char *sql)
{
    sqlite3_stmt *st;
    int64_t v = 0;
    if (team_prepare(t, &st, sql, NULL) == 0 && sqlite3_step(st) == SQLITE_ROW)
        v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* --- opening --- */

static int exchange_results(struct team *t, struct error *err)
{
    int rc = server_connect(&t->server, t->url, t->name, err);
    if (rc == 0)
        rc = team_fetch(t, err);
    if (rc == 0)
        return team_send(t, err);
    server_close(t->server);
    t->server = NULL;
    return rc;
}

/* "db:5432/perf: the server does not answer; read as of 2026-11-29 14:03, 3 results wait for it".
 */
static void write_late_note(struct team *t, const struct error *why, char *note, size_t size)
{
    char when[32] = "", waits[64] = "";
    const time_t at = (time_t)(copy_number(t, "SELECT read_ns FROM team") / 1000000000);
    const long long n = copy_number(t, "SELECT count(*) FROM waits");
    struct tm tm;
    if (at > 0 && localtime_r(&at, &tm))
        strftime(when, sizeof when, "; read as of %Y-%m-%d %H:%M", &tm);
    if (n > 0)
        snprintf(waits, sizeof waits, "; %lld %s for it", n,
                 plural((uint64_t)n, "result waits", "results wait"));
    snprintf(note, size, "%.60s: %.110s%s%s", t->name, why->why, when, waits);
}

int team_open(struct team **out, struct state_db *s, const char *url, enum history_use use,
              char *note, size_t size, struct error *err)
{
    struct team *t = *out = xcalloc(1, sizeof *t);
    struct error why = ERROR_INIT;
    t->s = s;
    if (strlen(url) >= sizeof t->url)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, NULL, "--db", "the address is too long");
    snprintf(t->url, sizeof t->url, "%s", url);
    int rc = server_name(url, t->name, err);
    if (rc == 0)
        rc = open_copy(t, note, size, err);
    if (rc == 0)
        rc = state_db_exec(s, arrived_tables, err);
    if (rc != 0 || use == HISTORY_READS_AGAIN)
        return rc;
    rc = exchange_results(t, &why);
    t->late = rc != 0;
    if (rc == -ECANCELED ||
        (rc != 0 && use == HISTORY_READS && copy_number(t, "SELECT count(*) FROM team") == 0)) {
        *err = why;
        return rc;
    }
    if (rc != 0)
        write_late_note(t, &why, note, size);
    return state_db_exec(s,
                         "CREATE TEMP TRIGGER point_waits AFTER INSERT ON main.point BEGIN"
                         " INSERT OR IGNORE INTO waits VALUES(NEW.id); END",
                         err);
}

void team_close(struct team *t)
{
    if (t)
        server_close(t->server);
    free(t);
}

bool team_is_late(const struct team *t)
{
    return t->late;
}

void team_set_late(struct team *t)
{
    t->late = true;
}
