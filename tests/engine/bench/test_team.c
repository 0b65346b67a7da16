/*
 * A history that a team shares, with a real PostgreSQL server: what one machine adds another reads,
 * nothing is lost while the server is away or is killed, and nothing is there twice. What the
 * server has is asked by psql. Forks: not for TSan.
 */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/pq_library.h"
#include "base/watch.h"
#include "engine/bench/history.h"
#include "engine/bench/server.h"
#include "support/postgres.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

static char note[256];
static int test_number;

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL);
}

FIXTURE_STATUS(end)
{
    postgres_end();
    return temp_folder_remove(NULL);
}

/* The server, without tables, for machines that know nothing of it. */
static const char *start_server(void)
{
    static const char *address;
    if (!pq_library())
        skip_because("a history on a server: libpq is not installed (Debian: libpq5)");
    if (!address)
        address = postgres_start();
    else
        postgres_says("DROP SCHEMA IF EXISTS rooftop CASCADE", NULL);
    test_number++;
    return address;
}

/* The machine whose state folder it is. */
static void be_machine(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d-%s", temp_folder, test_number, name);
    env_put("XDG_STATE_HOME", path);
}

static struct bench_history *open_team(const char *address, bool readonly)
{
    struct bench_history *h;
    struct error err = ERROR_INIT;
    if (bench_history_open(&h, address, readonly, note, sizeof note, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return h;
}

static int add_named(struct bench_history *h, const char *name, const char *host, size_t minute,
                     double value)
{
    struct error err = ERROR_INIT;
    double samples[3] = {value * 0.99, value, value * 1.01};
    struct bench_result one = {.name = name,
                               .unit = "s",
                               .v = samples,
                               .n = 3,
                               .value = value,
                               .load = minute % 2 ? 0.5 : 0.0 / 0.0,
                               .compiler = "GNU C17 12.2.0 -O2",
                               .ends = {.runs = 3}};
    for (int i = 0; i < BENCH_COUNTERS; i++)
        one.counters[i] = i + 0.25;
    struct bench_results r = {.tool = "rooftop", .list = &one, .n = 1};
    r.wall_ns = 1780000000000000123u + minute * 60000000000u;
    snprintf(r.conditions.commit, sizeof r.conditions.commit, "c%zu", minute);
    snprintf(r.conditions.cpu, sizeof r.conditions.cpu, "Zen \"5\" of %s", host);
    snprintf(r.conditions.host, sizeof r.conditions.host, "%s", host);
    return bench_history_add(h, &r, NULL, &err);
}

static void add_points(const char *address, const char *machine, size_t from, size_t n)
{
    be_machine(machine);
    struct bench_history *h = open_team(address, false);
    for (size_t i = from; i < from + n; i++)
        assert_int_equal(add_named(h, "it's", machine, i, 1.0 / 3 + 0.001 * (double)i), 0);
    bench_history_close(h);
}

static void load_all(const char *address, struct history_list *l)
{
    struct error err = ERROR_INIT;
    struct bench_history *h = open_team(address, true);
    assert_int_equal(bench_history_load(h, NULL, &change_rule_usual, NULL, l, &err), 0);
    bench_history_close(h);
}

static void expect_points(const char *address, const char *machine, size_t series, size_t each)
{
    struct history_list l;
    be_machine(machine);
    load_all(address, &l);
    assert_int_equal(l.n, series);
    for (size_t i = 0; i < l.n; i++)
        assert_int_equal(l.list[i].n, each);
    bench_history_list_free(&l);
}

/* What a file would have of the same results is what another machine reads, to the last bit. */
TEST(what_one_adds_another_reads)
{
    const char *address = start_server();
    char file[128];
    struct history_list team, alone;
    add_points(address, "a", 0, 25);
    assert_string_equal(note, "");
    snprintf(file, sizeof file, "%s/alone.db", temp_folder);
    add_points(file, "a", 0, 25);
    be_machine("b");
    load_all(address, &team);
    load_all(file, &alone);
    assert_int_equal(team.n, 1);
    assert_int_equal(team.list[0].n, 25);
    for (size_t i = 0; i < 25; i++) {
        const struct history_point *p = &team.list[0].points[i], *q = &alone.list[0].points[i];
        assert_true(p->time_ns == q->time_ns && p->value == q->value && p->n == q->n);
        assert_true(p->load == q->load || (p->load != p->load && q->load != q->load));
        assert_memory_equal(p->counters, q->counters, sizeof p->counters);
        assert_memory_equal(&p->ends, &q->ends, sizeof p->ends);
        assert_string_equal(p->conditions.commit, q->conditions.commit);
        assert_string_equal(p->conditions.cpu, q->conditions.cpu);
        assert_string_equal(p->compiler, q->compiler);
    }
    struct error err = ERROR_INIT;
    double *v;
    size_t n;
    struct bench_history *h = open_team(address, true);
    assert_int_equal(bench_history_samples(h, team.list[0].points[24].id, &v, &n, &err), 0);
    assert_int_equal(n, 3);
    assert_true(v[1] == 1.0 / 3 + 0.001 * 24);
    free(v);
    bench_history_close(h);
    bench_history_list_free(&team);
    bench_history_list_free(&alone);
    postgres_says("SELECT count(*) || ' ' || count(load) || ' ' || max(time_ns) FROM rooftop.point",
                  "25 12 1780001440000000123");
    add_points(address, "b", 0, 25);
    expect_points(address, "a", 2, 25);
    expect_points(address, "b", 2, 25);
}

TEST(nothing_is_lost_while_it_is_away)
{
    const char *address = start_server();
    struct error err = ERROR_INIT;
    struct bench_history *h;
    add_points(address, "a", 0, 3);
    postgres_end();
    add_points(address, "a", 3, 4);
    assert_non_null(strstr(note, "read as of 20"));
    expect_points(address, "a", 1, 7);
    assert_non_null(strstr(note, "4 results wait for it"));
    h = open_team(address, true);
    assert_true(bench_history_late(h));
    bench_history_close(h);
    be_machine("b"); /* which never saw it: there is nothing to read */
    assert_true(bench_history_open(&h, address, true, note, sizeof note, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    bench_history_close(h);
    postgres_again();
    expect_points(address, "b", 1, 3);
    expect_points(address, "a", 1, 7);
    expect_points(address, "b", 1, 7);
    assert_string_equal(note, "");
    postgres_says("SELECT count(*) FROM rooftop.point", "7");
}

/* One writes all the time; the server is killed in between, several times. */
TEST(a_server_that_is_killed_while_it_writes)
{
    const char *address = start_server();
    int told[2];
    assert_int_equal(pipe(told), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        close(told[0]);
        be_machine("a");
        for (size_t i = 0; i < 120; i++) {
            struct bench_history *h = open_team(address, false);
            const int rc = add_named(h, "it", "a", i, 1);
            bench_history_close(h);
            if (rc != 0 || write(told[1], "x", 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    close(told[1]);
    char x;
    for (size_t n = 0; read(told[0], &x, 1) == 1; n++) {
        if (n % 30 == 10)
            postgres_end();
        if (n % 30 == 20)
            postgres_again();
    }
    close(told[0]);
    int status = 0;
    waitpid(writer, &status, 0);
    assert_int_equal(status, 0);
    expect_points(address, "a", 1, 120);
    assert_string_equal(note, "");
    postgres_says("SELECT count(*) || ' ' || count(DISTINCT time_ns) FROM rooftop.point",
                  "120 120");
}

/* Eight machines begin at once, on a server that has no tables yet. */
TEST(many_writers)
{
    const char *address = start_server();
    pid_t pid[8];
    for (int i = 0; i < 8; i++) {
        char machine[16];
        snprintf(machine, sizeof machine, "m%d", i);
        pid[i] = fork();
        if (pid[i] == 0) {
            add_points(address, machine, 0, 20);
            _exit(*note != '\0');
        }
    }
    for (int i = 0; i < 8; i++) {
        int status = 0;
        waitpid(pid[i], &status, 0);
        assert_int_equal(status, 0);
    }
    postgres_says("SELECT count(*) FROM rooftop.point", "160");
    expect_points(address, "m3", 8, 20);
    expect_points(address, "another", 8, 20);
}

TEST(an_accepted_level_is_accepted_everywhere)
{
    const char *address = start_server();
    struct error err = ERROR_INIT;
    struct history_list l;
    size_t changed;
    add_points(address, "a", 0, 5);
    be_machine("b");
    struct bench_history *h = open_team(address, false);
    assert_int_equal(bench_history_accept(h, "it's", &changed, &err), 0);
    assert_int_equal(changed, 1);
    bench_history_close(h);
    be_machine("a");
    load_all(address, &l);
    assert_int_equal(l.list[0].accepted, 5);
    bench_history_list_free(&l);
}

/* Tables that were made anew have what they have, and not what a copy remembers of those before;
 * what was not sent yet goes there. */
TEST(tables_made_anew)
{
    const char *address = start_server();
    add_points(address, "a", 0, 5);
    postgres_says("DROP SCHEMA rooftop CASCADE", NULL);
    add_points(address, "b", 0, 2);
    expect_points(address, "a", 1, 2);
    postgres_says("SELECT count(*) FROM rooftop.point", "2");
}

TEST(strange_names)
{
    const char *address = start_server();
    char name[10000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    be_machine("a");
    struct bench_history *h = open_team(address, false);
    assert_int_equal(add_named(h, name, "a", 0, 1), 0);
    assert_int_equal(add_named(h, "'); DROP SCHEMA rooftop CASCADE; --", "a", 0, 1), 0);
    assert_int_equal(add_named(h, "not \xff UTF-8", "a", 0, 1), 0);
    bench_history_close(h);
    postgres_says("SELECT count(*) || ' ' || max(length(name)) FROM rooftop.series", "3 9999");
    expect_points(address, "b", 3, 1);
}

/* A view reads a pair of runs for each row that is selected: the server is not asked for it. */
TEST(what_was_listed_is_read_again_without_the_server)
{
    const char *address = start_server();
    struct error err = ERROR_INIT;
    struct bench_history *h;
    add_points(address, "a", 0, 3);
    add_points(address, "b", 0, 2);
    be_machine("a"); /* it does not know of b's */
    assert_int_equal(bench_history_reopen(&h, address, note, sizeof note, &err), 0);
    struct history_list l;
    assert_int_equal(bench_history_load(h, NULL, NULL, NULL, &l, &err), 0);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.list[0].n, 3);
    bench_history_list_free(&l);
    bench_history_close(h);
}

static void is_refused(const char *address, const char *why)
{
    struct bench_history *h;
    struct error err = ERROR_INIT;
    be_machine("refused");
    assert_true(bench_history_open(&h, address, true, note, sizeof note, &err) < 0);
    if (!strstr(err.why, why))
        fail_msg("%s: %s, not %s", address, err.why, why);
    bench_history_close(h);
}

TEST(what_is_refused)
{
    char other[160];
    const char *address = start_server();
    is_refused("postgresql://host:port:port/", "port");
    snprintf(other, sizeof other, "postgresql:///none?host=%s/pg&user=postgres", temp_folder);
    is_refused(other, "\"none\" does not exist");
    add_points(address, "a", 0, 1);
    postgres_says("UPDATE rooftop.about SET version = 9", NULL);
    is_refused(address, "later rooftop");
}

/* Wanted until it was asked so often. */
static bool is_wanted(void *ctx)
{
    atomic_int *asked = ctx;
    return atomic_fetch_sub(asked, 1) > 0;
}

static int open_for_a_while(const char *address, int asked, struct error *err)
{
    atomic_int left = asked;
    const struct watch watch = {.wanted = is_wanted, .ctx = &left}, *before = watch_set(&watch);
    struct bench_history *h;
    const int rc = bench_history_open(&h, address, true, note, sizeof note, err);
    bench_history_close(h);
    watch_set(before);
    return rc;
}

/* Waits until no statement with this text runs on the server. */
static void assert_ended_there(const char *text)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "CREATE OR REPLACE FUNCTION public.runs() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN "
             "PERFORM pg_stat_clear_snapshot(), pg_sleep(0.05); RETURN EXISTS (SELECT FROM "
             "pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE "
             "'%%%s%%'); END $$",
             text);
    postgres_says(sql, NULL);
    postgres_says("DO $$ BEGIN FOR i IN 1..600 LOOP EXIT WHEN NOT public.runs(); END LOOP; END $$",
                  NULL);
    postgres_says("SELECT public.runs()", "f");
}

/* What takes too long is given up when nobody wants it any more. */
TEST(it_is_given_up)
{
    const char *address = start_server();
    struct error err = ERROR_INIT;
    be_machine("a");
    assert_int_equal(open_for_a_while(address, 0, &err), -ECANCELED);
    add_points(address, "a", 0, 1);
    postgres_says("ALTER TABLE rooftop.series RENAME TO hidden; CREATE VIEW rooftop.series AS "
                  "SELECT h.* FROM rooftop.hidden h, pg_sleep(3600)",
                  NULL);
    assert_int_equal(open_for_a_while(address, 20, &err), -ECANCELED);
    assert_ended_there("accepted_ns"); /* it would sleep on, and lock the tables */
}

/* Each row comes ten seconds after the one before. */
static uint64_t slow_now;

static uint64_t read_slow_clock(void *ctx)
{
    (void)ctx;
    return slow_now;
}

static int take_slow_row(void *ctx, const struct server_row *r, struct error *err)
{
    size_t *rows = ctx;
    (void)r, (void)err;
    ++*rows;
    slow_now += UINT64_C(10000000000);
    return 0;
}

TEST(an_answer_that_never_ends_is_given_up_and_the_server_is_told)
{
    const char *address = start_server();
    struct error err = ERROR_INIT;
    struct server *s;
    size_t rows = 0;
    assert_int_equal(server_connect(&s, address, "team", &err), 0);
    env_set_clock(read_slow_clock, NULL);
    /* larger than what the server keeps until it sends */
    const int rc = server_query(
        s, "SELECT generate_series(1, 1000000000), repeat('x', 20000), pg_sleep(0.001)", NULL, 0,
        take_slow_row, &rows, &err);
    env_set_clock(NULL, NULL);
    assert_int_equal(rc, -ETIMEDOUT);
    assert_non_null(strstr(err.why, "five minutes"));
    assert_true(rows >= 30 && rows < 10000);
    server_close(s); /* a server that writes to who no longer reads is told by that alone */
    assert_ended_there("pg_sleep(0.001)");
}

/* In the place of the C library's, for libpq: a name server that does not answer for this name as
 * long as the test runs. */
static atomic_bool name_server_hangs, asked_for_name;

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **result)
{
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
    while (name && strcmp(name, "hangs.example") == 0 && atomic_load(&name_server_hangs)) {
        atomic_store(&asked_for_name, true);
        usleep(1000);
    }
    return next(name, service, hints, result);
}

static uint64_t run_fast(void *ctx)
{
    uint64_t *now = ctx;
    return *now += 10000000;
}

TEST(a_name_server_that_hangs_is_not_waited_for)
{
    static const char address[] = "postgresql://hangs.example/perf";
    struct error err = ERROR_INIT;
    struct bench_history *h;
    uint64_t now = 1;
    start_server(); /* skips where there is none */
    be_machine("a");
    atomic_store(&name_server_hangs, true);
    assert_int_equal(open_for_a_while(address, 100, &err), -ECANCELED);
    assert_true(atomic_load(&asked_for_name));
    err = (struct error)ERROR_INIT;
    env_set_clock(run_fast, &now);
    assert_int_equal(bench_history_open(&h, address, true, note, sizeof note, &err), -ETIMEDOUT);
    bench_history_close(h);
    env_set_clock(NULL, NULL);
    assert_non_null(strstr(err.why, "the one that knows its address"));
    atomic_store(&name_server_hangs, false);
}

TEST_MAIN(begin, end)
