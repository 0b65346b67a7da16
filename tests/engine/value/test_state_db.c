/* A database in the state folder: it is created, found again, and safe from damage, other users
 * and later versions. */
#include "engine/value/state_db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

static const struct state_db_kind kind = {
    .file = "things.db",
    .what = "the list of things",
    .application_id = 77,
    .version = 3,
    .schema = "CREATE TABLE thing(name TEXT);",
};
static char note[256];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    return path;
}

static void open_it(struct state_db *s, bool readonly)
{
    struct error err = ERROR_INIT;
    if (state_db_open(s, &kind, temp_folder, readonly, note, sizeof note, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

static int things(struct state_db *s)
{
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_prepare_v2(s->db, "SELECT count(*) FROM thing", -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    const int n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return n;
}

/* Creates one with a row. */
static void make_one(void)
{
    struct state_db s;
    open_it(&s, false);
    assert_int_equal(state_db_exec(&s, "INSERT INTO thing VALUES('x')", NULL), 0);
    state_db_close(&s);
}

static void sql_in_the_file(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of("things.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static bool is_aside(void)
{
    char line[128];
    struct program p;
    snprintf(line, sizeof line, "ls %s/things.db.damaged-*[0-9]", temp_folder);
    program_run(&p, line);
    const bool found = p.status == 0;
    program_free(&p);
    return found;
}

TEST_WITH(what_was_put_in_is_found_again, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    make_one();
    for (int readonly = 0; readonly < 2; readonly++) {
        open_it(&s, readonly);
        assert_string_equal(note, "");
        assert_int_equal(things(&s), 1);
        state_db_close(&s);
    }
}

TEST_WITH(damage_is_set_aside, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    make_one();
    FILE *f = fopen(path_of("things.db"), "w");
    assert_non_null(f);
    fputs("this is no database", f);
    fclose(f);
    open_it(&s, true); /* a reader leaves the file where it is */
    assert_non_null(strstr(note, "the list of things is damaged"));
    assert_null(s.db);
    assert_false(is_aside());
    state_db_close(&s);
    open_it(&s, false);
    assert_non_null(strstr(note, "the list of things was damaged: set aside"));
    assert_true(is_aside());
    assert_int_equal(things(&s), 0);
    state_db_close(&s);
}

TEST_WITH(a_strangers_is_set_aside, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    make_one();
    sql_in_the_file("PRAGMA application_id=78");
    open_it(&s, false);
    assert_non_null(strstr(note, "set aside"));
    assert_int_equal(things(&s), 0);
    state_db_close(&s);
}

TEST_WITH(a_later_version_is_left_alone, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    struct error err = ERROR_INIT;
    make_one();
    sql_in_the_file("PRAGMA user_version=4");
    assert_int_equal(state_db_open(&s, &kind, temp_folder, false, note, sizeof note, &err),
                     -ENOTSUP);
    assert_non_null(strstr(err.why, "later"));
    assert_false(is_aside());
    state_db_close(&s);
}

TEST_WITH(readonly_makes_nothing, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    struct stat st;
    open_it(&s, true);
    assert_null(s.db);
    assert_int_not_equal(stat(path_of("things.db"), &st), 0);
    state_db_close(&s);
}

TEST_WITH(without_a_folder_nothing_is_kept, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    struct error err = ERROR_INIT;
    char longer[2 * STATE_DB_PATH];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    const char *const none[] = {NULL, "", longer};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(state_db_open(&s, &kind, none[i], false, note, sizeof note, &err), 0);
        assert_null(s.db);
        state_db_close(&s);
    }
}

TEST_WITH(a_failure_says_what_and_where, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    struct error err = ERROR_INIT;
    open_it(&s, false);
    assert_int_not_equal(state_db_exec(&s, "SELECT nonsense", &err), 0);
    assert_non_null(strstr(err.what, "things.db"));
    assert_non_null(strstr(err.why, "nonsense"));
    state_db_close(&s);
}

/* A full disk is told as that, with what helps, and is no reason to rename what is there. */
TEST_WITH(a_full_disk_is_told_as_that, temp_folder_make, temp_folder_remove)
{
    struct state_db s;
    struct error err = ERROR_INIT;
    open_it(&s, false);
    assert_int_equal(state_db_exec(&s, "PRAGMA max_page_count=4", NULL), 0);
    assert_int_equal(state_db_exec(&s, "INSERT INTO thing VALUES(zeroblob(100000))", &err),
                     -ENOSPC);
    assert_int_equal(err.kind, ERROR_OUTPUT);
    assert_string_equal(err.what, path_of("things.db"));
    assert_string_equal(err.why, "no space is left on its disk");
    assert_non_null(strstr(err.help, "XDG_STATE_HOME"));
    state_db_close(&s);
}

/* A pipe is refused at once: opening it would wait for somebody to write. */
TEST_WITH(what_is_no_file_is_refused, temp_folder_make, temp_folder_remove)
{
    static const bool readonly[] = {true, false};
    struct state_db s;
    assert_int_equal(mkfifo(path_of("things.db"), 0600), 0);
    for (size_t i = 0; i < 2; i++) {
        struct error err = ERROR_INIT;
        assert_int_equal(
            state_db_open(&s, &kind, temp_folder, readonly[i], note, sizeof note, &err), -EINVAL);
        assert_string_equal(err.why, "it is no regular file");
        state_db_close(&s);
    }
}

/* Version 3 of version 1: both steps, once; a step that fails leaves everything as it was. */
TEST_WITH(older_schemas_become_new_ones, temp_folder_make, temp_folder_remove)
{
    static const char *const steps[] = {"ALTER TABLE thing ADD COLUMN size INTEGER DEFAULT 5;",
                                        "UPDATE thing SET size = size + 1;"};
    static const char *const bad[] = {"DELETE FROM thing;", "UPDATE nothing SET a = 1;"};
    struct state_db_kind k = kind;
    struct state_db s;
    struct error err = ERROR_INIT;
    make_one();
    open_it(&s, false);
    assert_int_equal(state_db_exec(&s, "PRAGMA user_version=1", NULL), 0);
    state_db_close(&s);
    k.steps = bad;
    assert_true(state_db_open(&s, &k, temp_folder, false, note, sizeof note, &err) < 0);
    k.steps = steps;
    assert_true(state_db_open(&s, &k, temp_folder, true, note, sizeof note, &err) < 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(state_db_open(&s, &k, temp_folder, false, note, sizeof note, &err), 0);
        assert_int_equal(things(&s), 1);
        sqlite3_stmt *st = NULL;
        assert_int_equal(sqlite3_prepare_v2(s.db, "SELECT size FROM thing", -1, &st, NULL),
                         SQLITE_OK);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(st, 0), 6);
        sqlite3_finalize(st);
        state_db_close(&s);
    }
}

TEST_WITH(a_chosen_file_is_never_renamed, temp_folder_make, temp_folder_remove)
{
    struct state_db_kind k = kind;
    struct state_db s;
    struct error err = ERROR_INIT;
    make_one();
    k.application_id = 78;
    k.chosen = true;
    assert_true(state_db_open(&s, &k, temp_folder, false, note, sizeof note, &err) < 0);
    assert_int_equal(access(path_of("things.db"), F_OK), 0);
    state_db_close(&s);
    open_it(&s, false);
    assert_int_equal(things(&s), 1);
    state_db_close(&s);
}
