/* tests/run.sh, with programs that print what cmocka prints. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    return !compiled_shell("mkdir -p build/x/tests");
}

FIXTURE(end)
{
    compiled_free();
}

/* Makes a test program of that name which runs the shell lines. */
static void program(const char *name, const char *lines)
{
    char path[64];
    snprintf(path, sizeof path, "build/x/tests/%s", name);
    FILE *f = fopen(compiled_path(path), "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\nran() { echo \"[ RUN      ] $1\"; }\nok() { ran $1; echo \"[       OK ] "
            "$1\"; }\n%s\n",
            lines);
    assert_int_equal(fclose(f), 0);
    assert_true(
        compiled_shell("chmod +x build/x/tests/test_* build/x/tests/*/* 2>/dev/null; true"));
}

static void run(const char *names, int status, const char *last)
{
    struct program p;
    char line[512];
    snprintf(line, sizeof line, "R=$PWD/tests/run.sh; cd $D; UPDATE_GOLDEN=1 $R %s", names);
    program_run(&p, line);
    size_t n = strlen(last), len = strlen(p.out);
    if (p.status != status || len <= n || strncmp(p.out + len - n - 1, last, n) != 0)
        fail_msg("exit %d, not %d; the last line is not '%s':\n%s%s", p.status, status, last, p.out,
                 p.err);
    program_free(&p);
}

TEST(passed_tests_are_summed)
{
    program("test_a", "ok one; ok two");
    program("test_b", "ok three; ran four; echo 'skipped: no moon'; echo '[  SKIPPED ] four'");
    run("build/x/tests/test_a build/x/tests/test_b", 0, "3 passed, 0 failed, 1 skipped");
}

TEST(a_result_behind_other_words_counts)
{
    program("test_a", "ran one; printf 'no end of line'; echo '[       OK ] one'");
    run("build/x/tests/test_a", 0, "1 passed, 0 failed, 0 skipped");
}

TEST(a_skip_says_why)
{
    program("test_a",
            "ok one; ran two; echo 'skipped: no moon'; echo '[  SKIPPED ] two'; ran three; "
            "echo '[  SKIPPED ] three'; echo '[  SKIPPED ] 2 test(s), listed below:'; "
            "echo '[  SKIPPED ] two'; echo '[  SKIPPED ] three'");
    run("build/x/tests/test_a", 1, "1 passed, 1 failed, 1 skipped");
}

TEST(nothing_tested_is_no_success)
{
    program("test_a", "ran one; echo 'skipped: no moon'; echo '[  SKIPPED ] one'");
    run("build/x/tests/test_a", 1, "0 passed, 1 failed, 1 skipped");
    program("test_b", "echo nothing");
    run("build/x/tests/test_b", 1, "0 passed, 1 failed, 0 skipped");
}

TEST(crashes_and_hangs_are_failures)
{
    program("test_a", "ok one; kill -SEGV $$");
    program("test_b", "ok one; ran two; echo '[  FAILED  ] two'; exit 1");
    run("build/x/tests/test_a build/x/tests/test_b", 1, "2 passed, 2 failed, 0 skipped");
    program("test_c", "ok one; exec sleep 1000");
    setenv("TEST_TIMEOUT", "1", 1);
    run("build/x/tests/test_c", 1, "1 passed, 1 failed, 0 skipped");
    unsetenv("TEST_TIMEOUT");
}

TEST(pictures_are_not_written_anew)
{
    program("test_a", "[ -z \"$UPDATE_GOLDEN\" ] && ok one");
    run("build/x/tests/test_a", 0, "1 passed, 0 failed, 0 skipped");
}

/* A process that a test leaves behind keeps its output open; the script must not wait for it. */
TEST(a_process_left_behind_is_not_waited_for)
{
    program("test_left", "ok it_ends\nsleep 1000 &\necho $! >left.pid");
    run("build/x/tests/test_left", 0, "1 passed, 0 failed, 0 skipped");
    assert_true(compiled_shell("kill $(cat left.pid)")); /* it was running all the time */
}

/* Runs test_first, whose first runs fail with that line, and finds the text in the output. */
static void fails(int times, const char *line, int status, const char *last, const char *said)
{
    struct program p;
    char lines[512];
    snprintf(lines, sizeof lines,
             "ok one; ran two; [ \"$(cat tried)\" = %d ] && echo '[       OK ] two' && exit 0; "
             "printf '%%d' $(($(cat tried) + 1)) >tried; "
             "echo '%s'; echo '[  FAILED  ] two'; exit 1",
             times, line);
    program("test_first", lines);
    program_run(&p, "R=$PWD/tests/run.sh; cd $D; printf 0 >tried; $R build/x/tests/test_first");
    if (p.status != status || !strstr(p.out, last) || !strstr(p.out, said))
        fail_msg("exit %d, not %d, or not '%s' and '%s':\n%s", p.status, status, last, said, p.out);
    program_free(&p);
}

TEST(what_fails_beside_others_is_run_again)
{
    fails(2, "ERROR: busy", 0, "\n2 passed, 0 failed, 0 skipped",
          "note: build/x/tests/test_first failed beside others and passed alone (tried twice)");
    fails(3, "ERROR: busy", 1, "\n1 passed, 1 failed, 0 skipped", "ERROR: busy");
    fails(1, "ERROR: busy", 0, "\n2 passed, 0 failed, 0 skipped",
          "note: build/x/tests/test_first failed beside others and passed alone (tried "
          "once); at first:\n--- build/x/tests/test_first (exit 1)\nERROR: busy");
    fails(1, "WARNING: ThreadSanitizer: data race", 1, "\n1 passed, 1 failed, 0 skipped",
          "data race");
    fails(1,
          "ERROR: LeakSanitizer: detected memory leaks\nSUMMARY: AddressSanitizer: 8 "
          "byte(s) leaked in 1 "
          "allocation(s).",
          0, "\n2 passed, 0 failed, 0 skipped", "note: build/x/tests/test_first failed");
    fails(1,
          "ERROR: AddressSanitizer: heap-use-after-free\nSUMMARY: AddressSanitizer: "
          "heap-use-after-free",
          1, "\n1 passed, 1 failed, 0 skipped", "heap-use-after-free");
    fails(1, "ERROR: AddressSanitizer failed to allocate 0x1000 bytes", 0,
          "\n2 passed, 0 failed, 0 skipped", "note: build/x/tests/test_first failed");
    fails(1, "x.c:1: runtime error: shift", 1, "\n1 passed, 1 failed, 0 skipped", "shift");
}

/* Those that wait have a lane of their own; with one job there is one lane, and each runs once. */
TEST(end_to_end_tests_run_beside_the_others)
{
    static const char *const jobs[] = {"1", "2", "5"};
    assert_true(compiled_shell("mkdir -p build/x/tests/e2e"));
    program("e2e/test_waits", "echo >>n; ok one");
    program("e2e/test_waits_too", "echo >>n; ok two");
    program("test_a", "echo >>n; ok three");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        setenv("TEST_JOBS", jobs[i], 1);
        run("build/x/tests/e2e/test_waits build/x/tests/test_a build/x/tests/e2e/test_waits_too", 0,
            "3 passed, 0 failed, 0 skipped");
        run("build/x/tests/e2e/test_waits", 0, "1 passed, 0 failed, 0 skipped");
        run("build/x/tests/test_a", 0, "1 passed, 0 failed, 0 skipped");
        assert_true(compiled_shell("test $(wc -l <n) = 5 && rm n"));
    }
    unsetenv("TEST_JOBS");
}

/* Twelve programs fail beside others; those from number `broken` on fail alone, too. */
static void many_fail(int broken, int status, const char *last, int runs)
{
    struct program p;
    char name[32], lines[256], line[512];
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "test_many%02d", i);
        snprintf(lines, sizeof lines,
                 "echo >>ran; [ %d -lt %d ] && [ -e been%d ] && ok one && exit 0; >been%d; "
                 "ran one; echo '[  FAILED  ] one'; exit 1",
                 i, broken, i, i);
        program(name, lines);
    }
    snprintf(line, sizeof line,
             "R=$PWD/tests/run.sh; cd $D; rm -f been* ran; $R build/x/tests/test_many*; s=$?; "
             "test $(wc -l <ran) = %d || exit 77; exit $s",
             runs);
    program_run(&p, line);
    if (p.status != status || !strstr(p.out, last))
        fail_msg("exit %d, not %d, or not '%s':\n%s", p.status, status, last, p.out);
    program_free(&p);
}

/* A machine that was stopped makes many fail; a change that breaks many makes them fail alone. */
TEST(many_are_run_again_until_three_fail_alone)
{
    many_fail(12, 0, "\n12 passed, 0 failed, 0 skipped", 12 + 12);
    many_fail(10, 1, "\n10 passed, 2 failed, 0 skipped", 12 + 10 + 2 * 2);
    many_fail(0, 1, "\n0 passed, 12 failed, 0 skipped", 12 + 3 * 2);
}

TEST_MAIN(begin, end)
