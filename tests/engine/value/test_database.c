/* Hostile databases: opening them runs none of their code, and never takes for ever. (One thread:
 * not for TSan.) */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/watch.h"
#include "engine/session/session.h"
#include "engine/value/database.h"
#include "engine/value/state_db.h"
#include "support/patience.h"
#include "support/scenes.h"
#include "support/test.h"

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "

static char dir[64], path[96];

FIXTURE_STATUS(set_up)
{
    strcpy(dir, "/tmp/rooftop-database-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/s.rooftop", dir);
    return 0;
}

FIXTURE_STATUS(tear_down)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[128];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    return rmdir(dir);
}

static void sql(const char *text)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static sqlite3 *open_it(void)
{
    sqlite3 *db;
    assert_int_equal(database_open(&db, path, DATABASE_READ, 0), SQLITE_OK);
    return db;
}

static int run(sqlite3 *db, const char *text)
{
    return sqlite3_exec(db, text, NULL, NULL, NULL);
}

/* --- any database --- */

TEST_WITH(views_and_computed_columns_are_no_tables, set_up, tear_down)
{
    sql("CREATE TABLE plain(a, b);"
        "CREATE VIEW endless AS " ENDLESS "i AS a FROM n;"
        "CREATE TABLE computed(a, b AS (hex(zeroblob(100000000))));"
        "CREATE TABLE kept(a, b AS (a + 1) STORED);");
    sqlite3 *db = open_it();
    assert_true(database_table(db, "plain"));
    assert_true(database_table(db, "PLAIN"));
    assert_false(database_table(db, "endless"));
    assert_false(database_table(db, "computed"));
    assert_false(database_table(db, "kept"));
    assert_false(database_table(db, "absent"));
    assert_int_not_equal(run(db, "SELECT count(*) FROM endless"), SQLITE_OK);
    database_close(db);
}

TEST_WITH(triggers_do_nothing, set_up, tear_down)
{
    sqlite3 *db;
    sql("CREATE TABLE a(x); CREATE TABLE b(x);"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES(new.x); END;");
    assert_int_equal(database_open(&db, path, DATABASE_WRITE, 0), SQLITE_OK);
    assert_int_equal(run(db, "INSERT INTO a VALUES(1)"), SQLITE_OK);
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM b", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(st, 0), 0);
    sqlite3_finalize(st);
    database_close(db);
}

TEST_WITH(other_files_are_not_attached, set_up, tear_down)
{
    sql("CREATE TABLE a(x)");
    sqlite3 *db = open_it();
    assert_int_not_equal(run(db, "ATTACH ':memory:' AS other"), SQLITE_OK);
    database_close(db);
}

TEST_WITH(a_reader_changes_nothing, set_up, tear_down)
{
    struct stat before, after;
    sql("CREATE TABLE a(x)");
    assert_int_equal(stat(path, &before), 0);
    sqlite3 *db = open_it();
    assert_int_not_equal(run(db, "INSERT INTO a VALUES(1)"), SQLITE_OK);
    database_close(db);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_size, after.st_size);
}

TEST_WITH(what_nobody_wants_ends_at_the_next_look, set_up, tear_down)
{
    struct patience p = {.most = 3};
    const struct watch w = {patience_lasts, &p};
    struct error err = ERROR_INIT;
    sql("CREATE TABLE a(x)");
    sqlite3 *db = open_it();
    const struct watch *before = watch_set(&w);
    assert_int_equal(run(db, ENDLESS "count(*) FROM n"), SQLITE_INTERRUPT);
    assert_int_equal(database_stopped(path, &err), -ECANCELED);
    watch_set(before);
    assert_int_equal(p.looks, 4); /* database_stopped makes one of them */
    database_close(db);
}

/* Each statement has its own time limit, because a dashboard that runs for long asks again and
 * again. */
TEST_WITH(unwatched_work_ends_too, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    sql("CREATE TABLE a(x)");
    sqlite3 *db = open_it();
    for (int i = 0; i < 2; i++)
        assert_int_equal(run(db, ENDLESS "count(*) FROM n"), SQLITE_INTERRUPT);
    assert_int_equal(run(db, "SELECT * FROM a"), SQLITE_OK);
    assert_int_equal(database_stopped(path, &err), -ETIME);
    database_close(db);
}

/* --- sessions --- */

static void make_session(void)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    assert_int_equal(
        session_create(&w, &(struct session_config){.path = path, .replace = true}, &err), 0);
    for (int t = 0; t < 300; t++) {
        struct snapshot *s = scene("command", t % 50);
        s->time_ns = 1000000000u * (uint64_t)(t + 1);
        assert_int_equal(session_write(w, s, &err), 0);
        snapshot_unref(s);
    }
    assert_int_equal(session_close(w, &err), 0);
}

/* Opens a session that is given up after so many checks; returns what err says. */
static int open_session(unsigned most, unsigned *looks, struct error *err)
{
    struct patience p = {.most = most};
    const struct watch w = {patience_lasts, &p}, *before = watch_set(&w);
    struct recording *r;
    int rc = session_open(&r, path, err);
    watch_set(before);
    recording_free(r);
    *looks = p.looks;
    return rc;
}

TEST_WITH(a_session_of_views_is_refused_at_once, set_up, tear_down)
{
    static const char *const hostile[] = {
        "DROP TABLE block; CREATE VIEW block AS " ENDLESS
        "i AS id, i AS first_ns, i AS last_ns, 1 AS frames, x'' AS times, x'' AS levels,"
        " x'' AS data FROM n",
        "DROP TABLE tail; CREATE VIEW tail AS " ENDLESS
        "i AS seq, 1 AS time_ns, 1 AS level, x'' AS data FROM n WHERE i < 0",
        ("DROP TABLE tail; CREATE TABLE tail(seq INTEGER PRIMARY KEY, time_ns, level,"
         " data AS (hex(zeroblob(100000000))))"),
        "DROP TABLE block; CREATE VIRTUAL TABLE block USING dbstat",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct error err = ERROR_INIT;
        unsigned looks;
        make_session();
        sql(hostile[i]);
        assert_true(open_session(100, &looks, &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        assert_true(looks < 10);
        if (!strstr(err.why, "is no table"))
            fail_msg("%zu: '%s'", i, err.why);
    }
}

/* A table may be large: then reading ends when the user gives up. */
TEST_WITH(a_session_without_an_end_is_given_up, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    unsigned looks;
    make_session();
    sql("INSERT INTO block(first_ns, last_ns, frames, times, levels, data) " ENDLESS
        "1000000000000, 1000000000000, 1, x'', x'', x'' FROM n LIMIT 20000");
    assert_int_equal(open_session(5, &looks, &err), -ECANCELED);
    assert_int_equal(err.code, ECANCELED);
    assert_true(looks <= 7);
    assert_int_equal(open_session(1000, &looks, &err), 0);
}

/* --- what rooftop keeps for itself --- */

static const struct state_db_kind kind = {
    .file = "s.rooftop",
    .what = "a test",
    .application_id = 0x11223344,
    .version = 1,
    .schema = "CREATE TABLE run(a); CREATE TABLE folder(b);",
};

TEST_WITH(a_state_database_of_views_is_set_aside, set_up, tear_down)
{
    struct state_db s;
    struct error err = ERROR_INIT;
    char note[256];
    sql("PRAGMA application_id = 287454020; PRAGMA user_version = 1; CREATE TABLE folder(b);"
        "CREATE VIEW run AS " ENDLESS "i AS a FROM n");
    assert_int_equal(state_db_open(&s, &kind, dir, true, note, sizeof note, &err), 0);
    assert_null(s.db);
    assert_non_null(strstr(note, "damaged"));
    state_db_close(&s);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
