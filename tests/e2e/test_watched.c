/* not for TSan: The real program in a terminal: its first view is about what is watched. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "NO_COLOR",
                                  "ROOFTOP_CONFIG=/dev/null", NULL};

static void expect(struct pty *p, bool ok, const char *what)
{
    if (ok)
        return;
    print_message("%s\n", vt_text(p->vt));
    fail_msg("%s: state %d, status %#x", what, p->state, (unsigned)p->status);
}

static void start(struct pty *p, const char *shell)
{
    program_needed();
    const char *argv[] = {program_rooftop(), "-d", "0.2", "--", "sh", "-c", shell, NULL};
    const struct pty_config c = {.argv = argv, .env = env, .cols = 100, .rows = 30};
    assert_int_equal(pty_start(p, &c), 0);
}

static void end_with(struct pty *p, int status)
{
    expect(p, pty_until_state(p, PTY_GONE), "it ends");
    assert_int_equal(WEXITSTATUS(p->status), status);
    pty_end(p);
}

TEST(the_first_screen_is_the_commands)
{
    struct pty p;
    start(&p, "sleep 3001 & sleep 3002; exit");
    expect(&p, pty_until_text(&p, "its memory"), "the first screen");
    expect(&p, pty_until_text(&p, "─sleep 3001") && pty_until_text(&p, "─sleep 3002"), "its tree");
    expect(&p, pty_until_text(&p, "threads 3"), "its threads");
    expect(&p, vt_find(p.vt, "others", &(int){0}, &(int){0}), "the host in one line");
    pty_keys(&p, "h");
    expect(&p, pty_until_text(&p, "memory of the host"), "h widens");
    pty_keys(&p, "h");
    expect(&p, pty_until_text(&p, "its memory"), "and back");
    pty_keys(&p, "Q");
    expect(&p, pty_until_state(&p, PTY_GONE), "it ends");
    pty_end(&p);
}

TEST(the_end_says_how_it_went)
{
    struct pty p;
    start(&p, "echo said by it; sleep 1; exit 3");
    expect(&p, pty_until_text(&p, "running"), "it runs");
    expect(&p, pty_until_text(&p, "ended with status 3 after"), "its status");
    expect(&p, pty_until_text(&p, "how its processes ended"), "the summary");
    expect(&p, pty_until_text(&p, "11 B: o shows it"), "its output");
    pty_keys(&p, "o");
    expect(&p, pty_until_text(&p, "said by it"), "o shows it");
    pty_keys(&p, "q");
    end_with(&p, 3);
}

/* Whether or not a sample was taken while it ran. */
TEST(a_command_that_ends_at_once_shows_what_was_measured)
{
    struct pty p;
    start(&p, "exit 0");
    expect(&p, pty_until_text(&p, "ended with status 0 after"), "its end");
    expect(&p, pty_until_text(&p, "how its processes ended"), "the summary");
    expect(&p, !vt_find(p.vt, "after 0.0 s", &(int){0}, &(int){0}), "how long it ran");
    expect(&p, !vt_find(p.vt, " 1 B┤", &(int){0}, &(int){0}), "no scale of nothing");
    expect(&p, !vt_find(p.vt, " 0 /s┤", &(int){0}, &(int){0}), "its faults by the second");
    pty_keys(&p, "q");
    end_with(&p, 0);
}

TEST(the_number_of_a_process_is_not_cut)
{
    char number[16], shown[32];
    const char *argv[] = {program_rooftop(), "-d", "0.2", "-p", number, NULL};
    struct pty p;
    program_needed();
    const pid_t child = fork();
    if (child == 0) {
        execlp("sleep", "sleep", "3003", "3003", "3003", "3003", "3003", "3003", "3003", "3003",
               "3003", "3003", "77", NULL);
        _exit(127);
    }
    snprintf(number, sizeof number, "%d", (int)child);
    snprintf(shown, sizeof shown, "pid %d sleep", (int)child);
    assert_int_equal(
        pty_start(&p, &(struct pty_config){.argv = argv, .env = env, .cols = 60, .rows = 20}), 0);
    expect(&p, pty_until_text(&p, shown), "the number and the beginning");
    expect(&p, vt_find(p.vt, "3003 77 ", &(int){0}, &(int){0}), "the end of the line");
    pty_keys(&p, "q");
    end_with(&p, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
