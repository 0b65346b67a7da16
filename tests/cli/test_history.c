/* rooftop history as a user and a nightly job run it. (Forks: not for TSan.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/statistics/noise.h"
#include "support/program.h"

static char dir[] = "/tmp/rooftop-history-XXXXXX";

/* Sixty documents of rooftop bench, one an hour; the last twenty are 10 % slower. */
static int begin(void **state)
{
    char path[128];
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    setenv("DIR", dir, 1);
    noise_seed = 9;
    for (int i = 0; i < 60; i++) {
        double x;
        noise_fill(CONSTANT, &x, 1);
        snprintf(path, sizeof path, "%s/%02d.json", dir, i);
        FILE *f = fopen(path, "w");
        if (!f)
            return -1;
        fprintf(f,
                "{\"schema\":\"rooftop.bench/1\",\"time\":\"2026-01-%02dT%02d:00:00Z\",\"place\":"
                "{\"host\":\"h\\u001b[31m\",\"kernel\":\"%s\"},\"results\":[{\"name\":\"it\","
                "\"unit\":\"s\","
                "\"value\":%.9g}]}",
                1 + i / 24, i % 24, i < 40 ? "6.1" : "6.2", exp(x) * (i < 40 ? 1 : 1.1));
        fclose(f);
    }
    return 0;
}

static int end(void **state)
{
    struct program p;
    (void)state;
    program_run(&p, "rm -rf $DIR");
    program_free(&p);
    return 0;
}

static void a_nightly_job(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"$BIN history --db $DIR/h.db", 3, "", "no such file"},
        {"$BIN history --db $DIR/h.db --fail-on alarm", 3, "", "no such file"},
        {"XDG_STATE_HOME=$DIR/empty $BIN history", 0, "no series is stored", ""},
        {"XDG_STATE_HOME=$DIR/empty $BIN history --fail-on alarm", 3, "", "nothing is stored"},
        {"$BIN history --db $DIR/h.db --import --fail-on alarm $DIR/[0-3]?.json", 0, "in 40 runs",
         "1 of them new"},
        {"$BIN history --db $DIR/h.db --import --fail-on alarm $DIR/*.json", 9, "WORSE",
         "0 of them new"},
        {"$BIN history --db $DIR/h.db", 0, "kernel 6.1 to 6.2", ""},
        {"$BIN history --db $DIR/h.db --format json", 0, "\"worse\":\ttrue", ""},
        {"$BIN history --db $DIR/h.db --format csv", 0, "worse", ""},
        {"$BIN history --db $DIR/h.db --ascii --fail-on alarm nothing", 2, "", "'nothing'"},
        {"$BIN history --db $DIR/h.db nothing", 2, "", "'nothing'"},
        {"$BIN history --db $DIR/h.db --fail-on alarm it", 9, "WORSE", ""},
        {"touch $DIR/new.db && $BIN history --db $DIR/new.db", 0, "no series is stored", ""},
        {"$BIN history --db $DIR/new.db --fail-on alarm", 3, "", "nothing is stored"},
        {"$BIN history --db $DIR/h.db --fail-on alarm --margin 20%", 0, "in 60 runs", ""},
        {"$BIN history --db $DIR/h.db --accept no", 2, "", "there is no series 'no'"},
        {"$BIN history --db $DIR/h.db --accept it --fail-on alarm", 0, "accepted", ""},
        {"$BIN history --db $DIR/h.db --fail-on alarm", 0, "accepted", ""},
        {"$BIN history --db $DIR/00.json", 3, "", "is not the history of benchmarks"},
        {"$BIN history --import", 2, "", "there is no file"},
        {"$BIN history --db $DIR/h.db --import /dev/null", 3, "", "not known"},
        {"$BIN history a b", 2, "", "one name"},
        {"$BIN bench --db $DIR/b.db --runs 3 -- true -- true x && $BIN history --db $DIR/b.db", 0,
         "true x / true on", ""},
        {"$BIN bench --db $DIR/none.db --no-store --runs 3 -- true; ls $DIR", 0, "b.db", ""},
        {"$BIN bench --db $DIR/00.json --runs 3 -- true", 3, "", "00.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, cases[i].out, cases[i].err);
}

static void a_hostile_host_is_printed_safely(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "json", "csv"};
    for (size_t i = 0; i < 3; i++) {
        char line[128];
        struct program p;
        snprintf(line, sizeof line, "$BIN history --db $DIR/h.db --format %s", formats[i]);
        program_expect(&p, line, 0);
        program_lacks(&p, "\033");
        program_free(&p);
    }
}

/* The view at three sizes, in both alphabets: rows, graph, the change and its reason. */
static void the_view_shows_the_same(void **state)
{
    (void)state;
    static const char *const sizes[] = {"80x24", "120x40 --ascii", "200x50"};
    struct program p;
    program_expect(
        &p, "mkdir $DIR/rooftop && XDG_STATE_HOME=$DIR $BIN history --import $DIR/*.json", 0);
    program_free(&p);
    for (size_t i = 0; i < 3; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "XDG_STATE_HOME=$DIR $BIN --headless --frames 1 --view history --size %s",
                 sizes[i]);
        program_expect(&p, line, 0);
        program_sees(&p, "SERIES");
        program_sees(&p, "worse");
        program_sees(&p, "1: worse");
        program_sees(&p, "kernel 6.1 to 6.2");
        program_sees(&p, i == 1 ? "*" : "•");
        program_lacks(&p, "\033");
        for (const char *c = p.out; i == 1 && *c; c++)
            assert_true((unsigned char)*c < 128);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_nightly_job),
                                       cmocka_unit_test(a_hostile_host_is_printed_safely),
                                       cmocka_unit_test(the_view_shows_the_same)};
    return cmocka_run_group_tests(tests, begin, end);
}
