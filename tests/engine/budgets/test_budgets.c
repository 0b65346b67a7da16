/* Runs that keep or break each kind of budget get the right verdict and numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/budgets/budgets.h"
#include "engine/golden/golden.h"
#include "support/syscall_scene.h"
#include "support/test.h"

/* 7 calls in 2 processes: "app" reads 100 bytes and writes 30, "child" fails to open a file. */
static struct run_facts *a_run(void)
{
    struct syscall_scene s = scene_begin();
    scene_exec(&s, "/usr/bin/app");
    scene_call(&s, "mmap", 0x7f0000000000, 0, 8192, 3, MAP_PRIVATE | MAP_ANONYMOUS);
    scene_path(&s, "openat", 3, 1, "/tmp/in");
    scene_call(&s, "read", 100, 3, 0, 4096, 0);
    s.call_ns = 5000000;
    scene_call(&s, "write", 30, 1, 0, 30, 0);
    s.call_ns = 1000;
    scene_start(&s, 200, "child");
    scene_path(&s, "openat", -2, 1, "/tmp/absent");
    scene_exit(&s, 0, 3000000);
    s.pid = s.tid = 100;
    scene_call(&s, "wait4", 200, 0, 0, 0, 0);
    scene_call(&s, "exit_group", 0, 0, 0, 0, 0);
    scene_exit(&s, 0, 5000000);
    run_facts_finish(s.facts);
    return s.facts;
}

static struct budget_verdict verdict_of(const char *fields, struct budget_run *run, bool *failed)
{
    static struct budget_file f; /* the verdict points into it */
    char text[512], message[800];
    struct error err = ERROR_INIT;
    struct budget_verdict all[8];
    snprintf(text, sizeof text, "[[assertion]]\nname = \"a\"\n%s\n", fields);
    budget_file_free(&f);
    if (budget_file_parse(&f, "f.toml", text, strlen(text), &err) != 0)
        fail_msg("%s", error_format(&err, message, sizeof message));
    budget_judge_all(&f, run, all, failed);
    return all[0];
}

static void expect(struct budget_run *run, const char *fields, double measured,
                   enum budget_state state)
{
    bool failed;
    struct budget_verdict v = verdict_of(fields, run, &failed);
    if (v.state != state || fabs(v.measured - measured) > 1e-9 * (1 + fabs(measured)))
        fail_msg("%s: %s, measured %.9g", fields, budget_state_name(v.state), v.measured);
    assert_int_equal(failed, state == BUDGET_VIOLATED || state == BUDGET_UNKNOWN);
}

TEST(test_kinds)
{
    struct run_facts *facts = a_run();
    struct budget_run run = {
        .facts = facts, .program = "app", .wall_ns = 9000000, .status = 0, .ended = true};
    expect(&run, "type=\"span_count\"\nmax_spans=7", 7, BUDGET_KEPT);
    expect(&run, "type=\"span_count\"\nmax_spans=6", 7, BUDGET_VIOLATED);
    expect(&run, "type=\"span_count\"\nmax_spans=1\nspan_name_pattern=\"open.*\"", 2,
           BUDGET_VIOLATED);
    expect(&run, "type=\"span_count\"\nmax_spans=0\nspan_name_pattern=\"pen.*\"", 0, BUDGET_KEPT);
    expect(&run, "type=\"syscall_count\"\nsyscall=\"read\"\nmax_count=0", 1, BUDGET_VIOLATED);
    expect(&run, "type=\"syscall_count\"\nsyscalls=[\"read\",\"write\"]\nmin_count=3", 2,
           BUDGET_VIOLATED);
    expect(&run, "type=\"total_time\"\nmax_time_ms=9", 0.009, BUDGET_KEPT);
    expect(&run, "type=\"total_time\"\nmax_time_ms=8.9", 0.009, BUDGET_VIOLATED);
    expect(&run, "type=\"min_time\"\nmin_time_ms=10", 0.009, BUDGET_VIOLATED);
    expect(&run, "type=\"critical_path\"\nmax_duration_ms=5", 0.005006, BUDGET_VIOLATED);
    expect(&run, "type=\"critical_path\"\nmax_duration_ms=5\ntrace_name_pattern=\"child\"", 1e-6,
           BUDGET_KEPT);
    expect(&run, "type=\"memory_usage\"\nmax_bytes=8191", 8192, BUDGET_VIOLATED);
    expect(&run, "type=\"memory_usage\"\nmax_bytes=5000000\ntracking_mode=\"rss\"", 5000000,
           BUDGET_KEPT);
    expect(&run, "type=\"io_bytes\"\nmax_bytes=129", 130, BUDGET_VIOLATED);
    expect(&run, "type=\"io_bytes\"\nmax_bytes=29\ndirection=\"write\"", 30, BUDGET_VIOLATED);
    expect(&run, "type=\"io_bytes\"\nmax_bytes=100\npath_pattern=\"/tmp/.*\"", 100, BUDGET_KEPT);
    expect(&run, "type=\"processes\"\nmax_count=1", 2, BUDGET_VIOLATED);
    expect(&run, "type=\"processes\"\nmax_count=1\nprocess_name_pattern=\"child\"", 1, BUDGET_KEPT);
    expect(&run, "type=\"files_opened\"\nmax_count=0", 1, BUDGET_VIOLATED);
    expect(&run, "type=\"syscall_errors\"\nmax_count=0", 1, BUDGET_VIOLATED);
    expect(&run, "type=\"latency\"\nsyscall=\"write\"\npercentile=100\nmax_ms=4", 0.005,
           BUDGET_VIOLATED);
    expect(&run, "type=\"exit_status\"\nstatus=0", 0, BUDGET_KEPT);
    expect(&run, "type=\"exit_status\"\nstatus=3", 0, BUDGET_VIOLATED);
    run_facts_free(facts);
}

/* Programs that were attached to, one after the other: neither caused the other. A thread of the
 * second one makes a child, which lives longer than all else that it caused. */
TEST(test_the_longest_chain_of_several)
{
    struct syscall_scene s = {.facts = run_facts_new(), .call_ns = 1000, .now_ns = 1000000000};
    struct budget_run run = {.facts = s.facts, .program = "one", .ended = true};
    scene_start(&s, 100, "one");
    s.call_ns = 2000000;
    scene_call(&s, "read", 1, 0, 0, 1, 0);
    s.now_ns += 4000000000;
    s.tid = 0;
    scene_start(&s, 300, "two");
    scene_call(&s, "read", 1, 0, 0, 1, 0);
    expect(&run, "type=\"critical_path\"\nmax_duration_ms=3", 0.002, BUDGET_KEPT);
    scene_thread(&s, 301);
    scene_start(&s, 400, "child");
    scene_call(&s, "read", 1, 0, 0, 1, 0);
    expect(&run, "type=\"critical_path\"\nmax_duration_ms=3", 0.004, BUDGET_VIOLATED);
    s.pid = s.tid = 100;
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    expect(&run, "type=\"critical_path\"\nmax_duration_ms=3", 4.008, BUDGET_VIOLATED);
    run_facts_free(s.facts);
}

TEST(test_share_of_time)
{
    struct run_facts *facts = a_run();
    struct budget_run run = {.facts = facts, .program = "app"};
    expect(&run, "check=\"syscall_percentage\"\nsyscall=\"write\"\nmax_percentage=99",
           100 * 5000.0 / 5006, BUDGET_VIOLATED);
    struct syscall_scene s = {.facts = facts, .pid = 100, .tid = 100, .call_ns = 90000000};
    scene_operation(&s, 22, 16); /* its time is no time of a thread */
    expect(&run, "check=\"syscall_percentage\"\nsyscall=\"write\"\nmax_percentage=99",
           100 * 5000.0 / 5006, BUDGET_VIOLATED);
    expect(&run, "check=\"syscall_percentage\"\nsyscall=\"io_uring:read\"\nmax_percentage=99", 0,
           BUDGET_KEPT);
    run_facts_free(facts);
}

TEST(test_expressions)
{
    struct run_facts *facts = a_run();
    struct budget_run run = {.facts = facts, .program = "app", .wall_ns = 9000000};
    expect(&run, "type=\"custom\"\nexpression=\"calls <= 7\"", 1, BUDGET_KEPT);
    expect(&run, "type=\"custom\"\nexpression=\"calls < 7\"", 0, BUDGET_VIOLATED);
    expect(&run, "type=\"custom\"\nexpression=\"write.ms / call_ms > 0.9 and errors == 1\"", 1,
           BUDGET_KEPT);
    expect(&run, "type=\"custom\"\nexpression=\"errors != 1 and calls == 0 or wall_ms == 9\"", 1,
           BUDGET_KEPT);
    expect(&run, "type=\"custom\"\nexpression=\"read.bytes + write.bytes == 130\"", 1, BUDGET_KEPT);
    expect(&run, "type=\"custom\"\nexpression=\"openat.errors >= 2\"", 0, BUDGET_VIOLATED);
    expect(&run, "type=\"custom\"\nexpression=\"calls / munmap.calls > 1\"", 0, BUDGET_UNKNOWN);
    run_facts_free(facts);
}

TEST(test_a_violation_may_only_warn)
{
    struct run_facts *facts = a_run();
    struct budget_run run = {.facts = facts, .program = "app"};
    bool failed = true;
    struct budget_verdict v =
        verdict_of("type=\"span_count\"\nmax_spans=1\nfail_on_violation=false", &run, &failed);
    assert_int_equal(v.state, BUDGET_WARNED);
    assert_false(failed);
    v = verdict_of("type=\"span_count\"\nmax_spans=1\nenabled=false", &run, &failed);
    assert_int_equal(v.state, BUDGET_DISABLED);
    assert_false(failed);
    v = verdict_of("type=\"span_count\"\nmax_spans=1\napplies_to=[\"gpu_*\"]", &run, &failed);
    assert_int_equal(v.state, BUDGET_NOT_MEANT);
    assert_false(failed);
    v = verdict_of("type=\"span_count\"\nmax_spans=1\napplies_to=[\"x\", \"a*\"]", &run, &failed);
    assert_int_equal(v.state, BUDGET_VIOLATED);
    run_facts_free(facts);
}

TEST(test_a_command_that_fails_fails)
{
    struct run_facts *facts = a_run();
    struct budget_run run = {.facts = facts, .program = "app", .status = 3 << 8, .ended = true};
    struct budget_file f;
    struct budget_verdict all[4];
    bool failed = false;
    assert_int_equal(budget_file_parse(&f, "f.toml", "", 0, NULL), 0);
    assert_int_equal(budget_judge_all(&f, &run, all, &failed), 1);
    assert_true(failed);
    assert_true(all[0].measured == 3);
    run.status = 9; /* SIGKILL */
    budget_judge_all(&f, &run, all, &failed);
    assert_true(all[0].measured == 137);
    assert_non_null(strstr(all[0].where, "SIGKILL"));
    budget_file_free(&f);
    run_facts_free(facts);
}

TEST(test_what_was_not_measured_does_not_pass)
{
    struct syscall_scene s = scene_begin();
    s.call_ns = 0;
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    run_facts_finish(s.facts);
    struct budget_run run = {.facts = s.facts, .program = "app"};
    expect(&run, "type=\"total_time\"\nmax_time_ms=9", 0, BUDGET_UNKNOWN);
    expect(&run, "type=\"memory_usage\"\nmax_bytes=9\ntracking_mode=\"rss\"", 0, BUDGET_UNKNOWN);
    expect(&run, "type=\"exit_status\"\nstatus=0", 0, BUDGET_UNKNOWN);
    run_facts_free(s.facts);
}

/* What each kind of run can be asked: a command that ran, a saved trace with times and one without,
 * a profile of a GPU with copies, and one in which nothing ran on the GPU. */
enum { A_COMMAND, WITH_TIMES, WITHOUT_TIMES, A_PROFILE, AN_IDLE_PROFILE, KINDS_OF_RUN };

static struct run_facts *make_facts(int kind)
{
    struct syscall_scene s = scene_begin();
    if (kind >= A_PROFILE)
        return s.facts;
    if (kind != WITHOUT_TIMES)
        return run_facts_free(s.facts), a_run();
    s.call_ns = 0;
    scene_call(&s, "getpid", 100, 0, 0, 0, 0);
    run_facts_finish(s.facts);
    return s.facts;
}

TEST(test_what_each_kind_of_run_measures)
{
    static const struct {
        const char *fields, *measured; /* y: measured; one letter for each kind of run */
    } cells[] = {
        {"type=\"critical_path\"\nmax_duration_ms=9e9", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"god_process\"", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"tight_loop\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"one_byte_reads\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"unbuffered_writes\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"fork_storm\"", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"stat_storm\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"reopening\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"busy_poll\"", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"lock_convoy\"", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"sync_loop\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"main_thread_blocked\"", "yyn nn"},
        {"type=\"anti_pattern\"\npattern=\"chatty_socket\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"descriptor_leak\"", "yyy nn"},
        {"type=\"anti_pattern\"\npattern=\"pcie\"\nthreshold=1", "yyn yn"},
        {"type=\"span_count\"\nmax_spans=9", "yyy nn"},
        {"type=\"memory_usage\"\nmax_bytes=9000", "yyy nn"},
        {"type=\"memory_usage\"\nmax_bytes=9000000\ntracking_mode=\"rss\"", "yyn nn"},
        {"type=\"syscall_percentage\"\nsyscall=\"read\"\nmax_percentage=99", "yyn nn"},
        {"type=\"syscall_count\"\nsyscall=\"read\"\nmax_count=9", "yyy nn"},
        {"type=\"total_time\"\nmax_time_ms=9e9", "yyn yn"},
        {"type=\"min_time\"\nmin_time_ms=0", "yyn yn"},
        {"type=\"io_bytes\"\nmax_bytes=999", "yyy nn"},
        {"type=\"latency\"\nmax_ms=9e9", "yyn nn"},
        {"type=\"processes\"\nmax_count=9", "yyy nn"},
        {"type=\"files_opened\"\nmax_count=9", "yyy nn"},
        {"type=\"syscall_errors\"\nmax_count=9", "yyy nn"},
        {"type=\"time_regression\"\nmax_percent=9e9", "yyn nn"},
        {"type=\"syscall_regression\"\nmax_percent=9e9", "yyy nn"},
        {"type=\"exit_status\"\nstatus=0", "ynn nn"},
        {"type=\"custom\"\nexpression=\"wall_ms >= 0\"", "yyn yn"},
        {"type=\"custom\"\nexpression=\"call_ms >= 0\"", "yyn nn"},
        {"type=\"custom\"\nexpression=\"calls >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"errors >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"processes + started >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"files + mapped_bytes >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"rss_bytes >= 0\"", "yyn nn"},
        {"type=\"custom\"\nexpression=\"exit_status == 0\"", "ynn nn"},
        {"type=\"custom\"\nexpression=\"openat.calls + read.errors >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"read.bytes >= 0\"", "yyy nn"},
        {"type=\"custom\"\nexpression=\"read.ms >= 0\"", "yyn nn"},
        {"type=\"custom\"\nexpression=\"read.max_ms + read.p99_ms >= 0\"", "yyn nn"},
    };
    static double then_ms[] = {5};
    const struct golden golden = {.wall_ms = then_ms, .nwall = 1, .calls = 7};
    for (int kind = 0; kind < KINDS_OF_RUN; kind++) {
        struct run_facts *facts = make_facts(kind);
        const struct transfer_facts gpu = {kind == A_PROFILE ? 10 : 0, kind == A_PROFILE ? 90 : 0,
                                           false};
        struct budget_run run = {.facts = facts,
                                 .program = "app",
                                 .gpu = kind >= A_PROFILE ? &gpu : NULL,
                                 .wall_ns = kind == A_COMMAND || kind == A_PROFILE ? 9000000 : 0,
                                 .golden = &golden,
                                 .ended = kind == A_COMMAND};
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
            const char *columns = cells[i].measured;
            const bool measured = columns[kind < A_PROFILE ? kind : kind + 1] == 'y';
            bool failed = false;
            struct budget_verdict v = verdict_of(cells[i].fields, &run, &failed);
            const bool told = v.state == BUDGET_KEPT || v.state == BUDGET_VIOLATED;
            if (told != measured || (!told && (v.state != BUDGET_UNKNOWN || !failed || !*v.why)))
                fail_msg("%s, of run %d: %s%s%s", cells[i].fields, kind, budget_state_name(v.state),
                         *v.why ? ": " : "", v.why);
        }
        run_facts_free(facts);
    }
}

TEST(test_pcie_of_a_profile)
{
    struct run_facts *facts = a_run();
    struct transfer_facts gpu = {45000000, 5000000, true};
    struct budget_run run = {.facts = facts, .program = "app", .gpu = &gpu};
    expect(&run, "type=\"anti_pattern\"\npattern=\"PcieBottleneck\"", 0.9, BUDGET_VIOLATED);
    expect(&run, "type=\"anti_pattern\"\npattern=\"PCIeBottleneck\"\nthreshold=0.95", 0.9,
           BUDGET_KEPT);
    run.gpu = NULL;
    expect(&run, "type=\"anti_pattern\"\npattern=\"PCIeBottleneck\"", 0, BUDGET_KEPT);
    run_facts_free(facts);
}

/* Walls of now, in ms; the golden trace has 1000, 1020 and 990 ms. */
static const char *program = "app";

static struct budget_verdict regressed(const char *fields, const double *now_ms, size_t n,
                                       uint64_t golden_calls)
{
    static double then_ms[] = {1000, 1020, 990};
    static struct golden_count counts[] = {{"mmap", 1, 0}, {"read", 1, 0}, {"openat", 2, 1}};
    const struct golden golden = {
        .wall_ms = then_ms, .nwall = 3, .calls = golden_calls, .counts = counts, .ncounts = 3};
    uint64_t walls[8] = {0};
    bool failed;
    struct run_facts *facts = a_run();
    for (size_t i = 0; i < n; i++)
        walls[i] = (uint64_t)(now_ms[i] * 1e6);
    struct budget_run run = {.facts = facts,
                             .program = program,
                             .wall_ns = walls[0],
                             .walls_ns = walls,
                             .nwalls = n,
                             .golden = golden_calls ? &golden : NULL,
                             .ended = true};
    struct budget_verdict v = verdict_of(fields, &run, &failed);
    assert_int_equal(failed, v.state == BUDGET_VIOLATED);
    run_facts_free(facts);
    return v;
}

TEST(test_time_against_a_golden_trace)
{
    static const char limit[] = "type = \"time_regression\"\nmax_percent = 10";
    struct budget_verdict v = regressed(limit, (const double[]){1010, 1000, 1005}, 3, 7);
    assert_int_equal(v.state, BUDGET_KEPT);
    assert_false(v.unsure);
    v = regressed(limit, (const double[]){1200, 1210, 1195}, 3, 7);
    assert_int_equal(v.state, BUDGET_VIOLATED);
    assert_true(fabs(v.measured - 19.77) < 0.01);
    assert_non_null(strstr(v.where, "95 % confidence"));
    v = regressed(limit, (const double[]){1080, 1085, 1075}, 3, 7); /* surely slower, but by 8 % */
    assert_int_equal(v.state, BUDGET_KEPT);
    v = regressed(limit, (const double[]){700, 1900}, 2,
                  7); /* 30 % more, of two runs that differ */
    assert_int_equal(v.state, BUDGET_KEPT);
    assert_true(v.unsure && v.measured > 10);
    v = regressed(limit, (const double[]){1300}, 1, 7);
    assert_int_equal(v.state, BUDGET_VIOLATED);
    v = regressed(limit, (const double[]){1300}, 1, 0);
    assert_int_equal(v.state, BUDGET_NO_GOLDEN);
    assert_non_null(strstr(v.why, "rooftop check golden capture app"));
    program = "./it's";
    v = regressed(limit, (const double[]){1300}, 1, 0);
    assert_non_null(strstr(v.why, "rooftop check golden capture './it'\\''s'"));
    program = "app";
}

TEST(test_calls_against_a_golden_trace)
{
    static const char limit[] = "type = \"syscall_regression\"\nmax_percent = 10";
    const double ms = 1000;
    struct budget_verdict v = regressed(limit, &ms, 1, 7);
    assert_int_equal(v.state, BUDGET_KEPT);
    assert_true(v.measured == 0);
    v = regressed(limit, &ms, 1, 14); /* fewer are no regression */
    assert_int_equal(v.state, BUDGET_KEPT);
    assert_true(v.measured == -50);
    v = regressed(limit, &ms, 1, 5);
    assert_int_equal(v.state, BUDGET_VIOLATED);
    assert_true(fabs(v.measured - 40) < 1e-9);
    assert_non_null(strstr(v.where, "1 calls, 0 in the golden trace"));
}
