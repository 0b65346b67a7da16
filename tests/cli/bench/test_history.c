/* rooftop history as a user and a nightly job run it. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/statistics/noise.h"
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Sixty documents of rooftop bench, one an hour; the last twenty are 10 % slower. */
FIXTURE_STATUS(begin)
{
    char path[128];
    if (temp_folder_make(NULL) != 0)
        return -1;
    noise_seed = 9;
    for (int i = 0; i < 60; i++) {
        double x;
        noise_fill(CONSTANT, &x, 1);
        snprintf(path, sizeof path, "%s/%02d.json", temp_folder, i);
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

TEST(a_nightly_job)
{
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"$BIN history --db $D/h.db", 3, "", "no such file"},
        {"$BIN history --db $D/h.db --fail-on alarm", 3, "", "no such file"},
        {"XDG_STATE_HOME=$D/empty $BIN history", 0, "no series is stored", ""},
        {"XDG_STATE_HOME=$D/empty $BIN history --fail-on alarm", 3, "", "nothing is stored"},
        {"$BIN history --db $D/h.db --import --fail-on alarm $D/[0-3]?.json", 0, "in 40 runs",
         "1 of them new"},
        {"$BIN history --db $D/h.db --import --fail-on alarm $D/*.json", 9, "WORSE",
         "0 of them new"},
        {"$BIN history --db $D/h.db", 0, "kernel 6.1 to 6.2", ""},
        {"$BIN history --brief --db $D/h.db", 0, "next: rooftop compare history --db /", ""},
        {"$BIN history --brief --db $D/h.db", 0, "/h.db it\n", ""},
        {"$BIN history --db $D/h.db --format json", 0, "\"worse\":\ttrue", ""},
        {"$BIN history --db $D/h.db --format csv", 0, "worse", ""},
        {"$BIN history --db $D/h.db --ascii --fail-on alarm nothing", 2, "", "'nothing'"},
        {"$BIN history --db $D/h.db nothing", 2, "", "'nothing'"},
        {"$BIN history --db $D/h.db --fail-on alarm it", 9, "WORSE", ""},
        {"touch $D/new.db && $BIN history --db $D/new.db", 0, "no series is stored", ""},
        {"$BIN history --db $D/new.db --fail-on alarm", 3, "", "nothing is stored"},
        {"$BIN history --db $D/h.db --fail-on alarm --margin 20%", 0, "in 60 runs", ""},
        {"$BIN history --db $D/h.db --accept no", 2, "", "there is no series 'no'"},
        {"$BIN history --db $D/h.db --accept it --fail-on alarm", 0, "accepted", ""},
        {"$BIN history --db $D/h.db --fail-on alarm", 0, "accepted", ""},
        {"$BIN history --db $D/00.json", 3, "", "is not the history of benchmarks"},
        {"mkdir -p $D/bad/rooftop && cp $D/00.json $D/bad/rooftop/bench.db && "
         "XDG_STATE_HOME=$D/bad $BIN history",
         3, "", "is damaged"},
        {"XDG_STATE_HOME=$D/bad $BIN history compare it", 3, "", "is damaged"},
        {"XDG_STATE_HOME=$D/bad $BIN --headless --frames 1 --view history", 0, "is damaged", ""},
        {"$BIN history --import", 2, "", "there is no file"},
        {"cat $D/00.json | $BIN history --db $D/pipe.db --import /dev/stdin", 0, "in 1 run",
         "1 of them new"},
        {"$BIN history --db $D/h.db --import /dev/null", 3, "", "not known"},
        {"$BIN history a b", 2, "", "one name"},
        {"$BIN history --db $D", 3, "", "it is a folder"},
        {"$BIN history --db $D/no/h.db --import $D/00.json; s=$?; test ! -e $D/no && exit $s", 3,
         "", "the folder must exist"},
        {"$BIN bench --runs 2 -- true -- true -- true", 2, "", "there is a third command"},
        {"$BIN lab validate balanced", 2, "", "balanced: it takes no such word"},
        {"$BIN lab roofs fast", 2, "", "fast: it takes no such word"},
        {"for i in 0 3; do echo $i >$D/f; $BIN bench --db $D/f.db --any-status --runs 9 -- sh "
         "-c 'exit $(cat $D/f)' >/dev/null; done; $BIN history --db $D/f.db",
         0, "runs failed in 1 of 2 measurements, in the last of these all 9 runs failed (status 3)",
         ""},
        {"$BIN bench --db $D/b.db --runs 3 -- true -- true x && $BIN history --db $D/b.db", 0,
         "true x / true on", ""},
        {"$BIN bench --db $D/none.db --no-store --runs 3 -- true; ls $D", 0, "b.db", ""},
        {"$BIN bench --db $D/00.json --runs 3 -- true", 3, "", "00.json"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, cases[i].out, cases[i].err);
}

/* Two runs, chosen by number or by commit; what is wrong is said. */
TEST(two_runs_are_compared)
{
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"", 2, "", "no series is named"},
        {"p", 0, "run 2 (2026-02-02 00:00) compared with run 1 (2026-02-01 00:00), before it", ""},
        {"p", 0, "worse: +10.00 %", ""},
        {"p", 0, "commit 0123456789 to abcdef0123", ""},
        {"p 2 1", 0, "better: -9.09 %", ""},
        {"p abcdef0 1", 0, "run 1 (2026-02-01 00:00) compared with run 2", ""},
        {"--fail-on worse p", 9, "worse", ""},
        {"--fail-on worse p 2 1", 0, "better", ""},
        {"--fail-on worse p 1", 9, "worse", ""},
        {"'p on two'", 0, "p on two\n", ""},
        {"--format json p 2 1", 0, "\"verdict\":\t\"better\"", ""},
        {"--format json p 2 1", 0, "\"schema\":\t\"rooftop.history-compare/1\"", ""},
        {"p 1 1", 2, "", "both are run 1"},
        {"p 3", 2, "", "none of which is '3'"},
        {"p 0", 2, "", "none of which is '0'"},
        {"p abc", 2, "", "none of which is 'abc'"},
        {"p abcdeg1", 2, "", "none of which is 'abcdeg1'"},
        {"p 1 2 3", 2, "", "two runs are compared"},
        {"q", 2, "", "there is no series with 'q'"},
        {"once", 3, "", "the series has 1 run"},
        {"once 'once on three'", 2, "", "none of which is 'once on three'"},
        {"o", 2, "", "2 series have 'o'"},
        {"--db $D/none.db p", 3, "", "no such file"},
    };
    for (int i = 1; i <= 2; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/two%d.json", temp_folder, i);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fprintf(f,
                "{\"schema\":\"rooftop.bench/1\",\"time\":\"2026-02-%02dT00:00:00Z\",\"place\":"
                "{\"host\":\"two\",\"commit\":\"%s\"},\"results\":[",
                i, i == 1 ? "0123456789ab" : "abcdef012345");
        if (i == 1)
            fputs("{\"name\":\"once\",\"unit\":\"s\",\"value\":1},"
                  "{\"name\":\"twofold\",\"unit\":\"s\",\"value\":1},",
                  f);
        fputs("{\"name\":\"p\",\"unit\":\"s\",\"samples\":[", f);
        for (int k = 0; k < 40; k++)
            fprintf(f, "%s%.6f", k ? "," : "", i == 1 ? 1.0 : 1.1);
        fputs("]}]}", f);
        fclose(f);
    }
    program_answers("$BIN history --db $D/two.db --import $D/two?.json", 0, "", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200];
        snprintf(line, sizeof line, "$BIN history compare %s %s",
                 strstr(cases[i].line, "--db") ? "" : "--db $D/two.db", cases[i].line);
        program_answers(line, cases[i].status, cases[i].out, cases[i].err);
    }
}

/* The view at three sizes, in both alphabets: rows, graph, the change and its reason. */
TEST(the_view_shows_the_same)
{
    static const char *const sizes[] = {"80x24", "120x40 --ascii", "200x50"};
    struct program p;
    program_answers("mkdir $D/rooftop && XDG_STATE_HOME=$D $BIN history --import $D/*.json", 0, "",
                    "");
    for (size_t i = 0; i < 3; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "XDG_STATE_HOME=$D $BIN --headless --frames 1 --view history --size %s", sizes[i]);
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

/* The list shows start and end of a name that does not fit, and below it is all of it. */
TEST(a_long_name_is_whole_somewhere)
{
    struct program p;
    program_expect(&p,
                   "mkdir -p $D/long/rooftop && printf '"
                   "{\"schema\":\"rooftop.bench/1\",\"time\":\"2026-02-01T00:00:00Z\","
                   "\"place\":{\"host\":\"h\"},\"results\":[{\"name\":\"./prog "
                   "--size 1000 --threads 8 --mode fast --seed 12345 --rounds 100 "
                   "--input /data/first.bin\",\"unit\":\"s\",\"value\":1}]}' "
                   ">$D/long.json && XDG_STATE_HOME=$D/long $BIN history --import "
                   "$D/long.json && XDG_STATE_HOME=$D/long $BIN --headless --frames 1 --view "
                   "history --size 80x24",
                   0);
    program_sees(&p, "│ ./prog --size 10");
    program_sees(&p, "…");
    program_sees(&p, "irst.bin       ");
    program_sees(&p, "│ ./prog --size 1000 --threads 8 --mode fast --seed 12345 --rounds 100 ");
    program_sees(&p, "/data/first.bin: last run");
    program_free(&p);
}

TEST(a_hostile_host_is_printed_safely)
{
    static const char *const formats[] = {"text", "json", "csv"};
    for (size_t i = 0; i < 3; i++) {
        char line[128];
        struct program p;
        snprintf(line, sizeof line, "$BIN history --db $D/h.db --format %s", formats[i]);
        program_expect(&p, line, 0);
        program_lacks(&p, "\033");
        program_free(&p);
    }
}

/* Writes a run of 30 samples around the value, which host, branch and processor had. */
static void put_run(const char *file, const char *host, const char *branch, const char *cpu,
                    int day, double value)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", temp_folder, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "{\"schema\":\"rooftop.bench/1\",\"time\":\"2026-03-%02dT00:00:00Z\",\"place\":{"
            "\"host\":\"%s\",\"branch\":\"%s\",\"cpu\":\"%s\"},\"results\":[{\"name\":\"p\","
            "\"unit\":\"s\",\"samples\":[",
            day, host, branch, cpu);
    for (int i = 0; i < 30; i++)
        fprintf(f, "%s%g", i ? "," : "", value * (1 + 0.0001 * (i % 7 - 3)));
    fputs("]}]}", f);
    fclose(f);
}

/* One branch is judged without the other; two machines are compared where they are alike. */
TEST(runs_of_a_branch_and_of_two_hosts)
{
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"history --where branch=main", 0, "in 2 runs", ""},
        {"history --where branch=main,host=e1 --format csv", 0, "p,e1,s,2026-03-01", ""},
        {"history --where cpu=9654 --format json", 0, "\"branch\":\t\"slow\"", ""},
        {"history --where branch=mai", 2, "", "no run is 'branch=mai'"},
        {"history --where colour=red", 2, "", "'colour' is not known of a run; host="},
        {"history --where branch", 2, "", "'branch' has no value"},
        {"history compare 'p on e1' 'p on e2'", 0, "worse: +50.00 %", ""},
        {"history compare --fail-on worse 'p on e1' 'p on e2'", 9, "the last run on e2", ""},
        {"history compare --fail-on worse 'p on e2' 'p on e1'", 0, "better", ""},
        {"history compare --fail-on worse 'p on e1' 'p on other'", 0,
         "not alike: CPU EPYC 9654 to EPYC 7763", ""},
        {"history compare --format json 'p on e1' 'p on other'", 0, "\"verdict\":\t\"\"", ""},
        {"history compare --format json 'p on e1' 'p on e2'", 0, "\"second_host\":\t\"e2\"", ""},
    };
    put_run("b1.json", "e1", "main", "EPYC 9654", 1, 1);
    put_run("b2.json", "e1", "slow", "EPYC 9654", 2, 2);
    put_run("b3.json", "e1", "main", "EPYC 9654", 3, 1);
    put_run("b4.json", "e2", "", "EPYC 9654", 3, 1.5);
    put_run("b5.json", "other", "", "EPYC 7763", 3, 9);
    program_answers("$BIN history --db $D/w.db --import $D/b?.json", 0, "p on other", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256];
        snprintf(line, sizeof line, "$BIN %s --db $D/w.db", cases[i].line);
        program_answers(line, cases[i].status, cases[i].out, cases[i].err);
    }
    struct program p;
    program_run(&p, "$BIN history --db $D/w.db --where branch=main --format csv");
    program_lacks(&p, "slow");
    program_free(&p);
}

TEST_MAIN(begin, temp_folder_remove)
