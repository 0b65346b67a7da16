/* rooftop report tree: bounded on a terminal, whole everywhere else. */
#include <stdio.h>
#include <string.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

#define TRACE "tests/data/path/streams.json"

static void expect_same(const char *a, const char *b)
{
    struct program p, q;
    program_expect(&p, a, 0);
    program_expect(&q, b, 0);
    assert_string_equal(p.out, q.out);
    program_free(&p);
    program_free(&q);
}

/* A terminal of few lines gets the heaviest nodes, and is told what is missing. */
TEST(a_terminal_gets_as_much_as_it_has_lines)
{
    const char *const argv[] = {program_rooftop(), "report", "tree", TRACE, NULL};
    static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8",
                                      "ROOFTOP_CONFIG=/dev/null", NULL};
    struct pty p;
    program_needed();
    assert_int_equal(
        pty_start(&p, &(struct pty_config){.argv = argv, .env = env, .cols = 100, .rows = 16}), 0);
    assert_true(pty_until_state(&p, PTY_GONE));
    pty_settle(&p);
    assert_true(pty_until_text(&p, "15 nodes are left out, with 1.26 ms of own time (30.3 %"));
    assert_true(pty_until_text(&p, "Execution Graph")); /* its first line did not scroll away */
    assert_non_null(strstr(p.raw, "gemm_f16_64x64"));
    assert_null(strstr(p.raw, "add_kernel"));
    pty_end(&p);
}

TEST(a_pipe_gets_all_of_it)
{
    struct program p;
    program_expect(&p, "$BIN report tree " TRACE, 0);
    program_sees(&p, "add_kernel");
    program_lacks(&p, "left out");
    program_free(&p);
    expect_same("$BIN report tree " TRACE, "$BIN report tree --min 0 " TRACE);
    expect_same("$BIN report tree " TRACE, "$BIN report tree --depth 10000 " TRACE);
}

TEST(bounds_are_checked)
{
    program_answers("$BIN report tree --depth 2 " TRACE, 0, "22 nodes are left out", "");
    program_answers("$BIN report tree --min 300us " TRACE, 0, "15 nodes are left out", "");
    program_answers("$BIN report tree --min 5% " TRACE, 0, "10 nodes are left out", "");
    program_answers("$BIN report tree --min 500% " TRACE, 2, "", "is out of range");
    program_answers("$BIN report tree --min often " TRACE, 2, "", "--min");
    program_answers("$BIN report tree --min 1% --format json " TRACE, 2, "", "documents have all");
}

TEST_MAIN(NULL, NULL)
