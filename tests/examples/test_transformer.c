/* The example computes the right result with every instruction set of this CPU. (Forks:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/test.h"

FIXTURE(begin)
{
    const char *path = program_rooftop();
    char demo[4200];
    if (!path)
        return;
    snprintf(demo, sizeof demo, "%.*s/examples/transformer/transformer",
             (int)(strlen(path) - strlen("/rooftop")), path);
    setenv("DEMO", demo, 1);
    setenv("ROOFTOP_BRICKS", "off", 1);
}

TEST(backends_agree_with_scalar_arithmetic)
{
    struct program p;
    program_expect(&p, "$DEMO --check --threads 1", 0);
    assert_non_null(strstr(p.out, "scalar "));
    assert_null(strstr(p.out, "WRONG"));
    assert_true(program_lines(p.out) >= 2);
    program_free(&p);
    /* widths that are no multiple of a register, and a number of rows that is no multiple of the
     * threads */
    program_expect(
        &p, "$DEMO --check --threads 3 --dim 50 --heads 5 --ffn 37 --vocab 101 --layers 2", 0);
    assert_null(strstr(p.out, "WRONG"));
    program_free(&p);
}

TEST(threads_and_bricks_change_nothing)
{
    struct program one, two, none;
    const char *args = "--tokens 20 --print-tokens --quiet --backend scalar --layers 2 --vocab 500";
    char line[512];
    snprintf(line, sizeof line, "$DEMO --threads 1 %s", args);
    program_expect(&one, line, 0);
    snprintf(line, sizeof line, "$DEMO --threads 4 %s", args);
    program_expect(&two, line, 0);
    snprintf(line, sizeof line, "$DEMO --threads 1 --no-bricks %s", args);
    program_expect(&none, line, 0);
    assert_int_equal(program_lines(one.out), 20);
    assert_string_equal(one.out, two.out);
    assert_string_equal(one.out, none.out);
    program_free(&one);
    program_free(&two);
    program_free(&none);
}

/* When the context is full it starts again: the same token gives the same result. */
TEST(a_full_context_begins_anew)
{
    struct program p;
    program_expect(&p, "$DEMO --tokens 9 --context 4 --print-tokens --quiet --threads 1 --layers 1",
                   0);
    assert_int_equal(program_lines(p.out), 9);
    program_free(&p);
}

TEST(a_signal_ends_the_example_in_order)
{
    /* SIGTERM is bit 14 of what it catches; the report needs a token */
    program_answers(
        "$DEMO --threads 2 --print-tokens >$$.out & "
        "until grep -q '^SigCgt:.*[4-7c-f][0-9a-f]\\{3\\}$' /proc/$!/status; do :; done; "
        "kill -TERM $!; wait $!; cat $$.out; rm $$.out",
        0, "tokens/s", "");
}

TEST(bad_options_are_refused)
{
    static const char *const bad[] = {
        "--layers 0",    "--layers x",          "--layers",    "--dim 100 --heads 3",
        "--backend z80", "--seconds -1",        "--sync soon", "--frobnicate 3",
        "tokens",        "--vocab 99999999999",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;
        char line[128];
        snprintf(line, sizeof line, "$DEMO %s", bad[i]);
        program_expect(&p, line, 2);
        assert_int_equal(program_lines(p.err), 1);
        assert_non_null(strstr(p.err, "transformer: "));
        program_free(&p);
    }
}

TEST_MAIN(begin, NULL)
