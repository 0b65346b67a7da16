/* A snapshot as OpenMetrics: what two readers that are not ours say, prometheus_client and
 * promtool, and that its values are those of JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/python.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Writes a session as both documents and lets the judge compare them. */
static void compare_documents(const char *session)
{
    struct program p;
    setenv("SESSION", session, 1);
    python_needed("prometheus_client.openmetrics", "python3-prometheus-client");
    program_expect(&p,
                   "cd $D && $BIN --headless --format json -o s.json $TOP/$SESSION && "
                   "$BIN --headless --format openmetrics -o s.prom $TOP/$SESSION && "
                   "$PY -B $TOP/tests/cli/openmetrics.py s.prom s.json",
                   0);
    program_free(&p);
}

TEST(values_are_those_of_json)
{
    compare_documents("tests/data/session/frames-4.rooftop");
}

/* What is in a profile is no number of this host, in no format of numbers. */
TEST(a_file_that_is_no_session_is_refused)
{
    static const struct {
        const char *file, *format, *help;
    } cases[] = {
        {"job", "openmetrics", "report --format json FILE"},
        {"hang", "openmetrics", "report --format json FILE"},
        {"samples/go_cpu.pprof", "openmetrics", "report --format json FILE"},
        {"job", "json", "report --format json FILE"},
        {"hang", "jsonl", "report --format json FILE"},
        {"rocpd/synthetic_schema3.db", "json", "report --format json FILE"},
        {"rocpd/synthetic_schema3.db", "csv", "report --format csv FILE"},
        {"gpu/hsaco/vector.gfx9.v6.hsaco", "csv", "report --format csv FILE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[160];
        snprintf(line, sizeof line, "$BIN --headless --format %s $TOP/tests/data/%s",
                 cases[i].format, cases[i].file);
        program_answers(line, 2, "", cases[i].help);
        snprintf(line, sizeof line, "$BIN report --format %s $TOP/tests/data/%s",
                 strstr(cases[i].help, "csv") ? "csv" : "json", cases[i].file);
        program_answers(line, 0, "", ""); /* what is advised works */
    }
    /* beside what is watched, the numbers are of that */
    program_answers("$BIN --headless -d 0.1 --frames 1 --format json -p $$ $TOP/tests/data/job", 0,
                    "\"kind\":\t\"pids\"", "");
}

/* A saved trace and samples are a snapshot in which nothing of this host is. */
TEST(a_snapshot_of_a_file_has_nothing_of_this_host)
{
    static const char *const files[] = {"renacer/pipe.json", "samples/go_cpu.pprof"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct program p;
        char line[160];
        snprintf(line, sizeof line, "$BIN --headless --format json $TOP/tests/data/%s", files[i]);
        program_expect(&p, line, 0);
        program_sees(&p, files[i]);
        program_lacks(&p, "this host");
        program_free(&p);
    }
}

TEST(promtool_complains_of_nothing)
{
    struct program p;
    if (system("command -v promtool >/dev/null") != 0)
        skip_because("promtool (package prometheus) is not installed: the second reader");
    program_expect(&p,
                   "$BIN --headless -d 0.1 --format openmetrics -- sleep 0.3 | tee $D/a.prom | "
                   "promtool check metrics 2>&1",
                   0);
    assert_string_equal(p.out, "");
    program_free(&p);
}

/* --- documents for a night's verdicts --- */

static void write_budgets(void)
{
    temp_folder_put("b.toml", "[[assertion]]\nname = \"few \\\"calls\\\"\"\ntype = \"span_count\"\n"
                              "max_spans = 100000\n[[assertion]]\nname = \"no calls\"\n"
                              "type = \"span_count\"\nmax_spans = 1\n");
}

/* It ends as it must, others can read it, and promtool finds nothing wrong in it. */
static void is_clean_document(const char *file)
{
    struct program p;
    char line[128];
    snprintf(line, sizeof line, "tail -n 1 $D/%s; [ $(stat -c %%a $D/%s) = 644 ]", file, file);
    program_expect(&p, line, 0);
    assert_string_equal(p.out, "# EOF\n");
    program_free(&p);
    if (system("command -v promtool >/dev/null") != 0)
        skip_because("promtool (package prometheus) is not installed: the second reader");
    snprintf(line, sizeof line, "promtool check metrics <$D/%s 2>&1", file);
    program_expect(&p, line, 0);
    assert_string_equal(p.out, "");
    program_free(&p);
}

TEST(a_check_for_prometheus)
{
    struct program p;
    write_budgets();
    program_expect(
        &p, "umask 022; cd $D && $BIN check --format openmetrics -o c.prom b.toml -- true", 9);
    program_free(&p);
    program_expect(&p, "grep -v '^#' $D/c.prom", 0);
    program_sees(&p, "rooftop_check_passed{program=\"true\"} 0\n");
    program_sees(
        &p,
        "rooftop_check_budget_kept{program=\"true\",budget=\"few \\\"calls\\\"\",line=\"1\"} 1\n");
    program_sees(&p,
                 "rooftop_check_budget_kept{program=\"true\",budget=\"no calls\",line=\"5\"} 0\n");
    program_sees(&p,
                 "rooftop_check_budget_limit{program=\"true\",budget=\"no calls\",line=\"5\"} 1\n");
    program_free(&p);
    is_clean_document("c.prom");
}

TEST(a_bench_for_prometheus)
{
    struct program p;
    program_expect(&p,
                   "umask 022; cd $D && $BIN compare bench --no-store --runs 8 --format "
                   "openmetrics -o b.prom -- true -- true",
                   0);
    program_free(&p);
    program_expect(&p, "grep -v '^#' $D/b.prom", 0);
    program_sees(&p, "rooftop_bench_runs{side=\"a\",command=\"true\"} ");
    program_sees(&p, "rooftop_bench_median_seconds{side=\"b\",command=\"true\"} 0.");
    program_sees(&p, "rooftop_bench_second_by_first_ratio ");
    program_free(&p);
    is_clean_document("b.prom");
}

/* The two files are of different kinds, so each has some numbers that the other lacks. */
TEST(a_comparison_for_prometheus_has_the_numbers_of_csv)
{
    struct program p;
    python_needed("prometheus_client.openmetrics", "python3-prometheus-client");
    program_expect(&p,
                   "umask 022; cd $D && A=$TOP/tests/data/session/frames-4.rooftop && "
                   "B=$TOP/tests/data/chrome/two_programs.json && "
                   "$BIN compare --format csv -o k.csv $A $B && "
                   "$BIN compare --format openmetrics -o k.prom $A $B && "
                   "$PY -B $TOP/tests/cli/openmetrics_compare.py k.prom k.csv",
                   0);
    program_free(&p);
    is_clean_document("k.prom");
}

TEST(the_verdict_of_a_comparison_for_prometheus)
{
    struct program p;
    program_expect(&p,
                   "F=tests/data/session/frames-4.rooftop && "
                   "$BIN compare --format openmetrics $F $F | grep -v '^#'",
                   0);
    program_sees(&p, "rooftop_compare_slower 0\nrooftop_compare_faster 0\n");
    program_sees(&p, "rooftop_compare_differs{group=\"time\",number=\"elapsed\"} 0\n");
    program_sees(&p, "rooftop_compare_change_ratio{group=\"time\",number=\"elapsed\"} 0\n");
    program_free(&p);
    program_answers("$BIN compare --format openmetrics tests/data/job tests/data/job", 2, "",
                    "not made of jobs");
}

TEST(a_file_is_replaced_whole_by_each_sample)
{
    struct program p;
    program_expect(&p,
                   "cd $D && $BIN --headless -d 0.05 --frames 4 --format openmetrics -o w.prom && "
                   "tail -n 1 w.prom && grep -c '^# EOF' w.prom && ls | grep -c '^w' && "
                   "grep '^rooftop_uptime_seconds' w.prom",
                   0);
    program_sees(&p, "# EOF\n1\n1\nrooftop_uptime_seconds ");
    program_free(&p);
}

TEST(standard_output_gets_one_document)
{
    struct program p;
    program_expect(&p, "$BIN --headless -d 0.05 --frames 3 --format openmetrics", 0);
    program_sees(&p, "# UNIT rooftop_cpu_total_busy_ratio ratio\nrooftop_cpu_total_busy_ratio ");
    assert_int_equal(program_lines(p.out) > 20, 1);
    program_free(&p);
    program_expect(&p, "$BIN --headless -d 0.05 --frames 3 --format openmetrics | grep -c '^# EOF'",
                   0);
    program_sees(&p, "1\n");
    program_free(&p);
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
