/* A file that comes through standard input is shown on the screen, and keys come from the terminal.
 * (Forks: not for TSan.) */
#include <sys/wait.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static void expect_opened(const char *line, const char *text)
{
    const char *const argv[] = {"sh", "-c", line, "rooftop", program_rooftop(), NULL};
    struct pty t;
    program_needed();
    assert_int_equal(pty_start(&t, &(struct pty_config){.argv = argv, .cols = 120, .rows = 40}), 0);
    assert_true(pty_until_text(&t, text));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    assert_true(WIFEXITED(t.status) && WEXITSTATUS(t.status) == 0);
    pty_end(&t);
}

TEST(keys_come_from_the_terminal)
{
    expect_opened("\"$1\" - <tests/data/path/streams.json", "gemm_f16");
    expect_opened("cat tests/data/path/streams.json | \"$1\" -", "gemm_f16");
    /* a database is read at any place: its pipe is copied first */
    expect_opened("cat tests/data/rocpd/synthetic_schema3.db | \"$1\" -", "MI300X");
}

TEST(escape_and_a_digit_in_one_read_close_the_help_and_turn_to_its_tab)
{
    const char *const argv[] = {program_rooftop(), NULL};
    const char *const env[] = {PTY_XTERM, NULL};
    struct pty t;
    program_needed();
    assert_int_equal(
        pty_start(&t, &(struct pty_config){.argv = argv, .env = env, .cols = 100, .rows = 30}), 0);
    assert_true(pty_until_text(&t, "─ cpu ─"));
    pty_keys(&t, "2");
    assert_true(pty_until_text(&t, "counters by section"));
    pty_keys(&t, "?");
    assert_true(pty_until_text(&t, "─ help ─"));
    pty_keys(&t, "\0331");
    assert_true(pty_until_text(&t, "─ cpu ─"));
    assert_true(pty_until_no_text(&t, "─ help ─"));
    pty_keys(&t, "q");
    assert_true(pty_until_state(&t, PTY_GONE));
    pty_end(&t);
}

TEST_MAIN(NULL, NULL)
