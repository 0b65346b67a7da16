/* rooftop bench as a user runs it. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/bench/results.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

/* Two programs whose times differ by a factor that no disturbance hides. */
#define SHORT "sh -c 'i=0; while [ $i -lt 200 ]; do i=$((i+1)); done'"
#define LONG  "sh -c 'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'"

/* As many runs as are asked for, however busy the machine is: --for is long. */
TEST(answers)
{
    static const struct {
        const char *line;
        int status;
        const char *out, *err;
    } cases[] = {
        {"$BIN bench --for 120 --runs 20 -- " SHORT, 0, "20 runs", ""},
        {"$BIN bench --for 120 --runs 20 -- " SHORT " -- " LONG, 0, "B is slower", ""},
        {"$BIN bench --for 120 --runs 20 --fail-on slower=5% -- " SHORT " -- " LONG, 9,
         "B is slower", ""},
        {"$BIN bench --for 120 --runs 20 --fail-on slower -- " LONG " -- " SHORT, 0, "B is faster",
         ""},
        {"$BIN bench --for 120 --runs 20 --fail-on not-faster -- " LONG " -- " SHORT, 0,
         "B is faster", ""},
        {"$BIN bench --runs 2 --fail-on not-faster -- true -- true", 9, "not decided", ""},
        {"$BIN bench --cpu-time --runs 200 --for 120 --margin 99% --precision 90% -- true -- true",
         0, "equivalent, within 99 %", ""},
        {"$BIN bench --cpu-time --for 120 --runs 30 -- " SHORT " -- " LONG, 0, "B is slower", ""},
        {"$BIN bench --cpu-time --for 120 --runs 8 --warmup 0 -- sleep 0.01 -- sh -c 'sleep 0.2'",
         0, "of CPU time", ""},
        {"$BIN bench", 2, "", "there is no command"},
        {"$BIN bench -- true --", 2, "", "after the second --"},
        {"$BIN bench 'sleep 9' -- true", 2, "", "a line in quotes beside a command"},
        {"$BIN bench --fail-on slower -- true", 2, "", "two commands"},
        {"$BIN bench --duet -- true", 2, "", "two commands"},
        {"$BIN bench --margin x -- true", 2, "", "'x' is not understood"},
        {"$BIN bench --margin nan -- true", 2, "", "'nan' is not understood"},
        {"$BIN bench --margin 100% -- true", 2, "", "'100%' is out of range"},
        {"$BIN bench --margin 0.02 -- true", 2, "", "write the sign: 0.02%, or 2%"},
        {"$BIN bench --confidence 0.95 -- true", 2, "", "write the sign: 0.95%, or 95%"},
        {"$BIN bench --confidence 1 -- true", 2, "", "'1' is less than 50%"},
        {"$BIN bench --for 120 --runs 20 --confidence 95 --format json -- true", 0,
         "\"confidence\":\t0.95,", ""},
        {"$BIN bench --fail-on x -- true -- true", 2, "", "'x' is not understood"},
        {"$BIN bench -o /nonesuch/x -- touch /nonesuch/y", 7, "", "/nonesuch/x"}, /* nothing ran */
        {"$BIN bench -- /nonesuch", 127, "", "/nonesuch"},
        {"$BIN bench -- /etc/passwd", 126, "", "/etc/passwd"},
        {"$BIN bench -- false", 4, "", "it ended with status 1"},
        {"$BIN bench --runs 2 --any-status -- false", 0, "2 runs", ""},
        {"$BIN bench --runs 2 --any-status -- false", 0, "all 2 runs failed (status 1)", ""},
        {"$BIN bench --for 120 --runs 20 --any-status -- " LONG " -- sh -c 'exit 3'", 0,
         "no verdict: in A no run failed, in B all 20 runs failed (status 3)", ""},
        {"$BIN bench --for 120 --runs 20 --any-status -- sh -c 'exit 3' -- " LONG, 0,
         "no verdict: in A all 20 runs failed (status 3), in B no run failed", ""},
        {"$BIN bench --for 120 --runs 20 --any-status --fail-on slower -- " LONG
         " -- sh -c 'exit 3'",
         4, "no verdict", "cannot be compared"},
        {"$BIN bench --for 120 --runs 9 --any-status --fail-on not-faster -- " LONG " -- false", 9,
         "no verdict", ""},
        {"$BIN bench --for 120 --runs 20 --any-status -- sh -c 'exit 3' -- sh -c 'exit 4'", 0,
         "no verdict", ""},
        {"$BIN bench --for 120 --runs 40 --any-status -- sh -c 'exit 3' -- " LONG "';exit 3'", 0,
         "B is slower", ""}, /* grep and diff end with 1 as a rule */
        {"cd $(mktemp -d); $BIN bench --for 120 --runs 14 --warmup 0 --any-status --precision "
         "0.001% -- sh "
         "-c 'echo >>n; [ $(wc -l <n) -ne 7 ]'; rm n",
         0, "1 of 14 runs failed (status 1)", ""},
        {"$BIN bench --for 120 --runs 9 --any-status --format json -- true -- false", 0,
         "\"verdict\":\t\"none\"", ""},
        {"$BIN bench --for 120 --runs 9 --any-status --format json -- true -- false", 0,
         "\"failed\":\t9", ""},
        {"$BIN bench --runs 1 -- true", 0, ", 1 run: too few for an interval; more --runs", ""},
        {"$BIN bench --runs 2 -- sh -c 'kill -9 $$'", 4, "", "status 137"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, cases[i].out, cases[i].err);
}

/* The first ^C ends the runs and prints what is known; the shell sees the signal. */
TEST(a_signal_ends_it_with_what_is_known)
{
    program_answers(
        "cd $(mktemp -d); $BIN bench --warmup 0 --for 600 -- sh -c 'echo >>n; [ $(wc -l "
        "<n) -lt 5 ] || kill -INT $PPID'; test $? = 130",
        0, ", 4 runs: too few for an interval; more --runs", "stopped early");
    program_answers(
        "cd $(mktemp -d); $BIN bench --warmup 0 --for 600 -- sh -c 'echo >>n; [ $(wc -l "
        "<n) -lt 5 ] || kill -TERM $PPID; sleep 0.01' -- true; echo status $?",
        0, "status 143\n", "not kept in the history");
    program_answers("$BIN bench --warmup 0 -- sh -c 'kill -INT $PPID; exec sleep 600'; echo $?", 0,
                    "130\n", "before the first run that counts had ended");
    /* a second one ends also what does not listen */
    program_answers(
        "$BIN bench --warmup 0 -- sh -c 'trap \"\" INT; while kill -INT $PPID; do sleep "
        "0.1; done'; echo $?",
        0, "130\n", "");
}

/* A signal that comes before a program runs, or that a program does not listen to, ends it too. */
TEST(a_signal_ends_it_at_any_time)
{
    program_answers("cd $(mktemp -d); touch a.o b.o; echo '[ -e sent ] || kill -TERM $PPID; >sent' "
                    ">link; $BIN bench "
                    "--warmup 0 --relink 'sh link a.o b.o' -- sleep 600; echo status $?",
                    0, "status 143\n", "before the first run that counts had ended");
    program_answers("$BIN bench --warmup 0 -- sh -c 'trap \"\" TERM; kill -TERM $PPID; exec sleep "
                    "600'; echo status $?",
                    0, "status 143\n", "before the first run that counts had ended");
}

/* A shell that ends by a signal would leave its command running. */
TEST(a_signal_ends_what_the_program_started)
{
    program_answers(
        "cd $(mktemp -d); $BIN compare bench --warmup 0 'sleep 600 & echo $! >pid; kill "
        "-TERM $PPID; wait'; echo status $?; n=0; while grep -qs sleep /proc/$(cat "
        "pid)/cmdline && [ $n -lt 200 ]; do n=$((n + 1)); sleep 0.05; done; kill -KILL "
        "$(cat pid) 2>/dev/null; [ $n -lt 200 ] && echo nothing is left",
        0, "status 143\nnothing is left", "");
}

/* Both orders occur, with and without the other program at the same time. */
TEST(chance_orders_the_pairs)
{
    struct program p;
    program_expect(
        &p,
        "cd $(mktemp -d) && $BIN bench --for 120 --runs 40 --warmup 0 --precision 0.001% -- sh -c "
        "'echo a >>log' -- sh -c 'echo b >>log' >&2; tr -d '\\n' <log; rm log",
        0);
    assert_int_equal(strlen(p.out), 80);
    int changed = 0;
    for (size_t i = 0; i < 80; i += 2) {
        assert_true(p.out[i] != p.out[i + 1]);
        changed += p.out[i] == 'b';
    }
    assert_in_range(changed, 4, 36); /* but for one in 10^8 */
    program_free(&p);
}

TEST(layouts_differ)
{
    struct program p;
    program_expect(
        &p,
        "cd $(mktemp -d) && $BIN bench --for 120 --runs 20 --precision 0.001% -- sh -c 'echo "
        "${#ROOFTOP_LAYOUT} >>log' >&2; sort -u log | wc -l; rm log",
        0);
    assert_true(atoi(p.out) > 10);
    program_free(&p);
}

/* What is written as another tool writes it is read as that tool's. */
TEST(documents_are_read_back)
{
    static const char *const formats[][2] = {{"json", "rooftop"},
                                             {"hyperfine", "hyperfine"},
                                             {"google-benchmark", "google-benchmark"},
                                             {"pytest-benchmark", "pytest-benchmark"},
                                             {"criterion", "criterion"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char line[128];
        struct program p;
        struct bench_results r;
        struct error err = ERROR_INIT;
        snprintf(line, sizeof line, "$BIN bench --runs 3 --format %s -- true -- true x",
                 formats[i][0]);
        program_expect(&p, line, 0);
        if (bench_results_read(&r, "x", p.out, p.out_len, &err) != 0)
            fail_msg("%s: %s", formats[i][0], err.why);
        assert_string_equal(r.tool, formats[i][1]);
        assert_int_equal(r.n, i == 0 ? 3 : 2);
        assert_string_equal(r.list[1].name, "true x");
        assert_int_equal(r.list[1].n, 3);
        bench_results_free(&r);
        program_free(&p);
    }
}

/* The objects come in other orders, each of them once; the file that is made stays where it is. */
TEST(objects_are_linked_in_another_order)
{
    static const struct {
        const char *line;
        int status;
        const char *err;
    } cases[] = {
        {"$BIN bench --relink 'cc -o prog a.o' -- true", 2, "two words that end in .o"},
        {"$BIN bench --relink '/nonesuch a.o b.o' -- true", 4, "/nonesuch"},
        {"$BIN bench --relink 'false a.o b.o' -- true", 4, "it ended with status 1"},
    };
    struct program p;
    program_expect(
        &p,
        "cd $(mktemp -d) && printf '#!/bin/sh\\necho $* >>log' >link && chmod +x link && "
        "$BIN bench --no-store --runs 30 --precision 0.001% --relink './link -o x.o a.o b.o "
        "c.o' -- true >&2; sort -u log; tr -dc abc <log | wc -c; rm log link",
        0);
    assert_true(program_lines(p.out) > 4); /* of six orders; but for one time in 10^5 */
    program_sees(&p, "-o x.o ");
    program_lacks(&p, "-o a.o");
    program_sees(&p, "96\n"); /* three of each: at first, for the warm-up, for 30 runs */
    program_free(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        program_answers(cases[i].line, cases[i].status, "", cases[i].err);
}

/* A history that cannot be written is said before anything is run. */
TEST(a_bad_database_is_said_first)
{
    struct program p;
    program_run(&p, "cd $(mktemp -d) && echo 'no database' >bad.db; "
                    "$BIN bench --db bad.db -- touch ran; echo $?; "
                    "$BIN bench --db /nonesuch/x.db -- touch ran; echo $?; "
                    "$BIN lab validate --keep --db bad.db; echo $?; ls");
    assert_int_equal(program_lines(p.out), 4); /* three statuses, and the file */
    program_lacks(&p, "0\n");
    program_lacks(&p, "ran\n");
    program_free(&p);
}

/* What was measured is in the history whatever became of the output, and printed whatever became of
 * the history. */
TEST(what_is_measured_is_not_lost)
{
    static const char *const outputs[] = {">/dev/full", "| true", "-o /dev/full"};
    struct program p;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        char line[512];
        const bool named = outputs[i][0] == '-';
        snprintf(line, sizeof line,
                 "cd $(mktemp -d) && { $BIN bench --db x.db --runs 3 %s -- sh -c 'sleep 0.1' "
                 "%s; $BIN history --db x.db; rm x.db; }",
                 named ? outputs[i] : "", named ? "" : outputs[i]);
        program_answers(line, 0, "sleep 0.1", "");
    }
    program_run(&p, "cd $(mktemp -d) && $BIN bench --db x.db --runs 3 -- sh -c 'rm -f x.db; mkdir "
                    "-p x.db'; echo status $?; rmdir x.db");
    program_sees(&p, "3 runs");
    program_sees(&p, "status 3");
    program_free(&p);
}

TEST(a_row_for_each_run)
{
    struct program p;
    program_expect(&p, "$BIN bench --runs 4 --format csv -- true -- true", 0);
    assert_int_equal(program_lines(p.out), 9);
    program_sees(&p, "command,run,time,elapsed_s");
    program_free(&p);
}

/* The number in a column of a CSV document's first row; -1 where it is empty. */
static double column(const char *csv, const char *name)
{
    const char *row = strchr(csv, '\n') + 1;
    size_t n = strlen(name);
    for (const char *head = csv; head && head < row; row = strchr(row, ',')) {
        row += *row == ',';
        if (strncmp(head, name, n) == 0 && (head[n] == ',' || head[n] == '\n'))
            return *row == ',' || *row == '\n' ? -1 : strtod(row, NULL);
        head = strchr(head, ',');
        head = head ? head + 1 : NULL;
        if (!strchr(row, ','))
            break;
    }
    return -1;
}

static void clock_is_cpu_time(const char *csv)
{
    double clock = column(csv, "task_clock");
    double used = column(csv, "user_s") + column(csv, "system_s");
    if (clock < 0.8 * used - 0.02 || clock > 1.2 * used + 0.02)
        fail_msg("task clock %g s, CPU time %g s", clock, used);
}

/* Oracle: the CPU time that wait4 tells. */
TEST(counts_of_a_run)
{
    struct program p;
    program_expect(&p,
                   "$BIN bench --no-store --warmup 0 --runs 1 --format csv -- sh -c 'sh -c \"i=0; "
                   "while [ \\$i -lt 200000 ]; do i=\\$((i+1)); done\"'",
                   0);
    /* the command has commas in no place, so columns are found by them */
    double clock = column(p.out, "task_clock");
    assert_true(column(p.out, "minor_faults") > 0);
    assert_true(column(p.out, "switches") >= 1); /* the shell waits for the one below */
    assert_true(column(p.out, "queued") <= column(p.out, "elapsed_s")); /* -1: not told */
    if (clock < 0) {
        program_free(&p);
        skip_because("perf events are not allowed here");
    }
    clock_is_cpu_time(p.out);
    program_free(&p);
}

/* Each side's counts are its own: the long one's are not in the short one's. */
TEST(counts_of_a_duet)
{
    struct program p;
    program_run(&p, "$BIN bench --no-store --warmup 0 --runs 1 --duet --format csv -- sh -c 'i=0; "
                    "while [ $i -lt 20 ]; do i=$((i+1)); done' -- sh -c 'sh -c \"i=0; while [ \\$i "
                    "-lt 400000 ]; do i=\\$((i+1)); done\"'");
    if (p.status == 6) {
        program_free(&p);
        skip_because("this process may use one core only");
    }
    assert_int_equal(p.status, 0);
    if (column(p.out, "task_clock") < 0) {
        program_free(&p);
        skip_because("perf events are not allowed here");
    }
    double short_one = column(p.out, "task_clock");
    clock_is_cpu_time(p.out);
    char *first = strchr(p.out, '\n') + 1, *second = strchr(first, '\n') + 1;
    memmove(first, second, strlen(second) + 1);
    clock_is_cpu_time(p.out);
    assert_true(column(p.out, "task_clock") > 4 * short_one);
    program_free(&p);
}

TEST(a_duet_runs_side_by_side)
{
    struct program p;
    program_run(&p, "$BIN bench --runs 8 --duet --warmup 0 -- sh -c 'taskset -cp $$; sleep 0.02' "
                    "-- sleep 0.02");
    if (p.status == 6) {
        program_free(&p);
        skip_because("this process may use one core only");
    }
    assert_int_equal(p.status, 0);
    program_sees(&p, "8 runs");
    program_free(&p);
}

/* A program that keeps every core busy is noticed, and said in text and JSON. */
TEST(a_duet_says_that_its_cores_are_not_idle)
{
    struct program p;
    program_run(&p, "for i in $(seq $(nproc)); do (while :; do :; done) & busy=\"$busy $!\"; done; "
                    "$BIN bench --runs 2 --duet --warmup 0 -- true -- true; status=$?; "
                    "$BIN bench --runs 2 --duet --format json -- true -- true | tr -d '\\n\\t'; "
                    "kill $busy; exit $status");
    if (p.status == 6) {
        program_free(&p);
        skip_because("this process may use one core only");
    }
    assert_int_equal(p.status, 0);
    program_sees(&p, "the duet's cores were not idle: CPU ");
    program_sees(&p, "\"busy_before\":");
    program_free(&p);
}
