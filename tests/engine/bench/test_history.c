/* The history keeps what it is given, finds the planted change, and alarms only where it should. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/bench/history.h"
#include "engine/statistics/noise.h"
#include "support/test.h"

static char path[64], note[256];

FIXTURE_STATUS(set_up)
{
    snprintf(path, sizeof path, "/tmp/history-XXXXXX");
    return mkdtemp(path) && strcat(path, "/h.db") ? 0 : -1;
}

FIXTURE_STATUS(tear_down)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char file[80];
    for (size_t i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s%s", path, endings[i]);
        unlink(file);
    }
    *strrchr(path, '/') = '\0';
    return rmdir(path);
}

static struct bench_history *open_it(bool readonly)
{
    struct bench_history *h;
    struct error err = ERROR_INIT;
    if (bench_history_open(&h, path, readonly, note, sizeof note, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return h;
}

/* A result of that value at that hour. */
static void add_value(struct bench_history *h, const char *unit, bool more, size_t hour,
                      double value, const char *commit)
{
    struct error err = ERROR_INIT;
    double samples[3] = {value * 0.99, value, value * 1.01};
    struct bench_result one = {.name = "it",
                               .unit = unit,
                               .v = samples,
                               .n = 3,
                               .value = value,
                               .load = 0.5,
                               .more_is_good = more};
    struct bench_results r = {.tool = "rooftop", .list = &one, .n = 1};
    r.wall_ns = (uint64_t)(hour + 1) * 3600000000000u;
    snprintf(r.conditions.commit, sizeof r.conditions.commit, "%s", commit);
    snprintf(r.conditions.host, sizeof r.conditions.host, "h");
    assert_int_equal(bench_history_add(h, &r, NULL, &err), 0);
}

/* 60 points; the level is multiplied at 40. */
static void add_series(struct bench_history *h, const char *unit, bool more, double level,
                       double step)
{
    double x[60];
    noise_seed = 8;
    noise_fill(CONSTANT, x, 60);
    for (size_t i = 0; i < 60; i++)
        add_value(h, unit, more, i, level * exp(x[i]) * (i >= 40 ? step : 1), i >= 40 ? "b" : "a");
}

static void load(struct bench_history *h, struct history_list *l)
{
    struct error err = ERROR_INIT;
    assert_int_equal(bench_history_load(h, NULL, &change_rule_usual, NULL, l, &err), 0);
    assert_int_equal(l->n, 1);
}

TEST_WITH(a_planted_change_alarms_until_it_is_accepted, set_up, tear_down)
{
    struct history_list l;
    struct error err = ERROR_INIT;
    size_t changed;
    char reason[128];
    struct bench_history *h = open_it(false);
    add_series(h, "s", false, 1, 1.1);
    load(h, &l);
    assert_int_equal(l.list[0].n, 60);
    assert_int_equal(l.list[0].points[0].n, 3);
    assert_int_equal(l.list[0].nchanges, 1);
    assert_in_range(l.list[0].changes[0].at, 38, 42);
    assert_int_equal(l.list[0].alarm, HISTORY_CHANGED);
    assert_string_equal(history_reason(&l.list[0], 40, reason, sizeof reason), "commit a to b");
    assert_string_equal(history_reason(&l.list[0], 41, reason, sizeof reason), "");
    bench_history_list_free(&l);
    assert_int_equal(bench_history_accept(h, "other", &changed, &err), 0);
    assert_int_equal(changed, 0);
    assert_int_equal(bench_history_accept(h, "it", &changed, &err), 0);
    assert_int_equal(changed, 1);
    bench_history_close(h);
    h = open_it(true);
    load(h, &l);
    assert_int_equal(l.list[0].nchanges, 1);
    assert_false(history_alarmed(&l.list[0]));
    bench_history_list_free(&l);
    bench_history_close(h);
}

/* What is better in one unit is worse in another. */
TEST_WITH(the_direction_is_the_units, set_up, tear_down)
{
    static const struct {
        bool more;
        double step;
        enum history_alarm alarm;
    } cases[] = {
        {false, 0.9, HISTORY_QUIET}, {true, 0.9, HISTORY_CHANGED}, {true, 1.1, HISTORY_QUIET}};
    for (size_t i = 0; i < 3; i++) {
        struct history_list l;
        struct bench_history *h = open_it(false);
        add_series(h, "GB/s", cases[i].more, 10, cases[i].step);
        load(h, &l);
        assert_int_equal(l.list[0].nchanges, 1);
        assert_int_equal(l.list[0].alarm, cases[i].alarm);
        bench_history_list_free(&l);
        bench_history_close(h);
        tear_down(state);
        set_up(state);
    }
}

TEST_WITH(operations_per_cycle_have_a_gate, set_up, tear_down)
{
    static const struct {
        double value;
        enum history_alarm alarm;
    } cases[] = {
        {2.49, HISTORY_LOW}, {2.5, HISTORY_WARN}, {2.89, HISTORY_WARN}, {2.9, HISTORY_QUIET}};
    for (size_t i = 0; i < 4; i++) {
        struct history_point p = {.value = cases[i].value};
        struct history_series s = {.unit = "ops/cycle", .more_is_good = true, .points = &p, .n = 1};
        history_judge(&s, &change_rule_usual);
        assert_int_equal(s.alarm, cases[i].alarm);
        assert_int_equal(history_alarmed(&s), cases[i].alarm == HISTORY_LOW);
        free(s.changes);
    }
}

TEST_WITH(what_is_there_is_not_added_again, set_up, tear_down)
{
    struct history_list l;
    struct bench_history *h = open_it(false);
    add_value(h, "s", false, 1, 5, "");
    add_value(h, "s", false, 1, 6, "");
    load(h, &l);
    assert_int_equal(l.list[0].n, 1);
    assert_true(l.list[0].points[0].value == 5);
    bench_history_list_free(&l);
    bench_history_close(h);
}

TEST_WITH(another_file_is_refused_and_kept, set_up, tear_down)
{
    struct bench_history *h;
    struct error err = ERROR_INIT;
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("my diary", f);
    fclose(f);
    assert_true(bench_history_open(&h, path, false, note, sizeof note, &err) < 0);
    bench_history_close(h);
    assert_int_equal(access(path, F_OK), 0);
}

TEST_WITH(samples_are_read_when_they_are_asked_for, set_up, tear_down)
{
    struct history_list l;
    struct error err = ERROR_INIT;
    double *v;
    size_t n;
    struct bench_history *h = open_it(false);
    add_value(h, "s", false, 1, 5, "");
    load(h, &l);
    struct history_point p = l.list[0].points[0];
    assert_int_equal(p.n, 3);
    assert_int_equal(bench_history_samples(h, p.id, &v, &n, &err), 0);
    assert_int_equal(n, 3);
    assert_true(v[0] == 5 * 0.99 && v[1] == 5 && v[2] == 5 * 1.01);
    free(v);
    p.id += 1000; /* no point */
    assert_int_equal(bench_history_samples(h, p.id, &v, &n, &err), 0);
    assert_null(v);
    assert_int_equal(n, 0);
    bench_history_list_free(&l);
    bench_history_close(h);
}

TEST_WITH(a_named_file_must_be_there, set_up, tear_down)
{
    struct bench_history *h;
    struct error err = ERROR_INIT;
    assert_int_equal(bench_history_open(&h, path, true, note, sizeof note, &err), -ENOENT);
    assert_int_equal(err.kind, ERROR_INPUT);
    bench_history_close(h);
    fclose(fopen(path, "w")); /* an empty one is a history without series */
    h = open_it(true);
    bench_history_close(h);
}

/* Runs statements on the file, as an older or a later rooftop might have. */
static void change_file(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    sqlite3_close(db);
}

/* The first version had neither compilers nor counters: it is read as it is, and made new when it
 * is written. */
TEST_WITH(an_older_file_is_read_and_made_new, set_up, tear_down)
{
    struct history_list l;
    struct bench_history *h = open_it(false);
    add_value(h, "s", false, 1, 5, "");
    bench_history_close(h);
    change_file("ALTER TABLE point DROP COLUMN compiler; ALTER TABLE point DROP COLUMN counters;"
                "ALTER TABLE point DROP COLUMN ends; ALTER TABLE point DROP COLUMN branch;"
                "PRAGMA user_version=1");
    h = open_it(true);
    load(h, &l);
    assert_int_equal(l.list[0].n, 1);
    assert_string_equal(l.list[0].points[0].compiler, "");
    assert_true(isnan(l.list[0].points[0].counters[COUNTER_CYCLES]));
    bench_history_list_free(&l);
    bench_history_close(h);
    h = open_it(false);
    add_value(h, "s", false, 2, 5, "");
    load(h, &l);
    assert_int_equal(l.list[0].n, 2);
    bench_history_list_free(&l);
    bench_history_close(h);
    change_file("PRAGMA user_version=99");
    struct error err = ERROR_INIT;
    assert_int_equal(bench_history_open(&h, path, true, note, sizeof note, &err), -ENOTSUP);
    bench_history_close(h);
}

TEST_WITH(compilers_and_counters_are_kept, set_up, tear_down)
{
    struct history_list l;
    struct error err = ERROR_INIT;
    char text[256];
    struct bench_history *h = open_it(false);
    for (int i = 0; i < 2; i++) {
        struct bench_result one = {.name = "it",
                                   .unit = "s",
                                   .value = 1,
                                   .load = NAN,
                                   .compiler = i ? "gcc 13" : "gcc 12"};
        struct bench_results r = {.tool = "rooftop", .list = &one, .n = 1};
        for (int c = 0; c < BENCH_COUNTERS; c++)
            one.counters[c] = c % 2 ? NAN : 1e9 * c + i;
        r.wall_ns = 3600000000000u * (unsigned)(i + 1);
        assert_int_equal(bench_history_add(h, &r, NULL, &err), 0);
    }
    load(h, &l);
    for (int c = 0; c < BENCH_COUNTERS; c++) {
        double got = l.list[0].points[1].counters[c];
        if (c % 2 ? !isnan(got) : !(fabs(got - (1e9 * c + 1)) <= 100))
            fail_msg("%s: %g", bench_counter_names[c], got);
    }
    assert_string_equal(history_reason(&l.list[0], 1, text, sizeof text),
                        "compiler gcc 12 to gcc 13");
    bench_history_list_free(&l);
    bench_history_close(h);
}
