/* The Python binding, run by a real interpreter with the real library. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/skip.h"
#include "support/test.h"

#define MLP "python3 -B examples/python/mlp.py 5"

static const char *no_run;

FIXTURE(begin)
{
    const char *path = program_rooftop();
    char library[4200];
    if (!path) {
        no_run = "rooftop was not built";
        return;
    }
    snprintf(library, sizeof library, "%.*s/librooftop.so",
             (int)(strlen(path) - strlen("/rooftop")), path);
    setenv("ROOFTOP_LIBRARY", library, 1);
    struct program p;
    program_run(&p, "python3 -c 'import ctypes, os; ctypes.CDLL(os.environ[\"ROOFTOP_LIBRARY\"])'");
    if (p.status)
        no_run = "no python3 that can load the library (a build with sanitizers cannot be)";
    program_free(&p);
}

static void expect(struct program *p, const char *line)
{
    if (no_run)
        skip_because("%s", no_run);
    program_run(p, line);
    if (p->status)
        fail_msg("%s: exit %d\n%s\n%s", line, p->status, p->out, p->err);
}

static void has(const struct program *p, const char *text)
{
    if (!strstr(p->out, text))
        fail_msg("no \"%s\" in:\n%s\n%s", text, p->out, p->err);
}

TEST(counts_are_those_of_the_program)
{
    struct program p;
    expect(&p, MLP);
    has(&p, "UpProjection calls 10 elements 0");
    has(&p, "SiLU calls 10 elements 1280");
    has(&p, "DownProjection calls 10 elements 0");
    program_free(&p);
}

TEST(the_same_sum_with_and_without_the_library)
{
    struct program with, off, none;
    expect(&with, MLP " | head -1");
    expect(&off, "ROOFTOP_BRICKS=off " MLP);
    expect(&none, "ROOFTOP_LIBRARY=/nowhere/librooftop.so " MLP);
    has(&off, with.out);
    has(&off, "SiLU calls 0");
    has(&none, with.out);
    has(&none, "not recorded: /nowhere/librooftop.so");
    program_free(&with);
    program_free(&off);
    program_free(&none);
}

TEST(an_exception_ends_the_span_and_passes)
{
    struct program p;
    expect(&p, "PYTHONPATH=examples/python python3 -B -c '\n"
               "import rooftop_brick as r\n"
               "b = r.register(\"Mine\", r.FFN)\n"
               "try:\n"
               "    with b: 1 / 0\n"
               "except ZeroDivisionError: print(\"passed\", b.stats().count)\n"
               "@b\n"
               "def f(n): return f(n - 1) if n else 7\n"
               "print(f(3), b.stats().count)\n"
               "with r.transfer(r.HOST_TO_DEVICE, \"a\", \"b\") as t: print(t.span != 0)\n'");
    has(&p, "passed 1\n7 5\nTrue\n");
    program_free(&p);
}

TEST_MAIN(begin, NULL)
