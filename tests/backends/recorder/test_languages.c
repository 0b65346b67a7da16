/*
 * Programs of other languages, C libraries and ABIs with --inject: they behave as they do untraced,
 * and no call is lost, whether the recorder takes them or ptrace keeps them. Not for TSan, which
 * does not run under a tracer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

static char programs[2048]; /* the folder of their sources */

FIXTURE(begin)
{
    char here[1024];
    compiled_new();
    assert_non_null(getcwd(here, sizeof here));
    snprintf(programs, sizeof programs, "%s/tests/recorder/programs", here);
    setenv("XDG_STATE_HOME", compiled_path("state"), 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it does not work under ptrace */
}

FIXTURE(end)
{
    compiled_free();
}

static void needs_recorder(void)
{
    struct program p;
    program_run(&p, "\"$BIN\" trace -f --by inject --inject -o /dev/null -- true");
    const int status = p.status;
    char why[256];
    snprintf(why, sizeof why, "%.*s", (int)strcspn(p.err, "\n"), p.err);
    program_free(&p);
    if (status != 0)
        skip_because("the recorder: %s", why);
}

/* Compiles in the folder of this test, or skips: command has the compiler's word first. */
static void compile(const char *command)
{
    char line[8192];
    struct program p;
    snprintf(line, sizeof line,
             "cd '%s' && export HOME=\"$PWD\" GOCACHE=\"$PWD/cache\" GOTOOLCHAIN=local "
             "GOFLAGS=-mod=mod P='%s' && %s",
             compiled_dir(), programs, command);
    program_run(&p, line);
    const int status = p.status;
    program_free(&p);
    if (status != 0)
        skip_because("not compiled here: %s", command);
}

/* The number of lines in the trace with this text. */
static long count(const char *text)
{
    char line[4096];
    struct program p;
    snprintf(line, sizeof line, "grep -c '%s' '%s' || true", text, compiled_path("trace"));
    program_expect(&p, line, 0);
    const long n = atol(p.out);
    program_free(&p);
    return n;
}

/* Ten times, because what its threads do at the same time differs. */
static void expect_same(const char *command)
{
    enum { RUNS = 10 };
    char line[4096];
    struct program untraced, traced;
    snprintf(line, sizeof line, "cd '%s' && %s 2>/dev/null", compiled_dir(), command);
    program_expect(&untraced, line, 0);
    const char *at = strstr(untraced.out, "getppid ");
    assert_non_null(at);
    const long calls = atol(at + strlen("getppid "));
    for (int i = 0; i < RUNS; i++) {
        snprintf(line, sizeof line,
                 "cd '%s' && \"$BIN\" trace -f --by inject --inject -o trace -- %s 2>/dev/null",
                 compiled_dir(), command);
        program_expect(&traced, line, 0);
        assert_string_equal(traced.out, untraced.out);
        assert_int_equal(count("getppid()"), calls);
        assert_int_equal(count("execve(\"/bin/echo\"\\|execve(\"/usr/bin/echo\""), 1);
        program_free(&traced);
    }
    program_free(&untraced);
}

TEST(test_go)
{
    needs_recorder();
    compile("CGO_ENABLED=0 go build -o go $P/goroutines.go $P/parent_go.go");
    expect_same("./go");
}

TEST(test_cgo)
{
    needs_recorder();
    compile("CGO_ENABLED=1 go build -o cgo $P/goroutines.go $P/parent_cgo.go");
    expect_same("./cgo");
}

TEST(test_rust)
{
    needs_recorder();
    compile("$(PATH=/usr/bin:$PATH command -v rustc) -O -o rust $P/threads.rs");
    expect_same("./rust");
}

TEST(test_musl)
{
    needs_recorder();
    compile("musl-gcc -O1 -o musl $P/plain.c && ./musl");
    expect_same("./musl");
}

TEST(test_musl_static)
{
    needs_recorder();
    compile("musl-gcc -O1 -static -o still $P/plain.c");
    expect_same("./still");
}

TEST(test_32_bits)
{
    needs_recorder();
    compile("cc -m32 -O1 -o small $P/plain.c -pthread && ./small");
    expect_same("./small");
}

TEST_MAIN(begin, end)
