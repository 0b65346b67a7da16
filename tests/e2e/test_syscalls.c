/* not for TSan: System calls in the dashboard, with a real program and a terminal: it is traced
 * when the key is pressed, and let go when the view is left, on quit, when rooftop is stopped or
 * killed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/watched_program.h"
#include "support/test.h"

static const char *const env[] = {"TERM=xterm-256color",
                                  "LC_ALL=C.UTF-8",
                                  "NO_COLOR",
                                  "TERMINFO",
                                  "ROOFTOP_CONFIG=/dev/null",
                                  "ASAN_OPTIONS=detect_leaks=0",
                                  NULL};

static struct watched_program program;
static struct pty pty;

static void check(bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s: state %d, status %#x, screen:\n%s", what, pty.state, (unsigned)pty.status,
                 vt_text(pty.vt));
}

static void start(const char *const *argv)
{
    const struct pty_config c = {.argv = argv, .env = env, .cols = 120, .rows = 40};
    assert_int_equal(pty_start(&pty, &c), 0);
    check(pty_until_text(&pty, "Help"), "the first picture");
}

/* rooftop watches the program, and traces it. */
static void trace_program(void)
{
    char pid[16];
    program_needed();
    watched_program_skip();
    watched_program_start(&program);
    snprintf(pid, sizeof pid, "%d", (int)program.pid);
    const char *argv[] = {program_rooftop(), "--interval=0.2", "--by=ptrace", "-p", pid, NULL};
    start(argv);
    check(pty_until_text(&pty, "pid "), "the first sample");
    assert_int_equal(watched_program_tracer(&program), 0);
    pty_keys(&pty, "Y");
    check(pty_until_text(&pty, "tracing by ptrace"), "it is traced");
    watched_program_until(&program, true);
    watched_program_answers(&program);
    check(pty_until_text(&pty, "access"), "its calls are shown");
}

static void end_all(void)
{
    pty_end(&pty);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

TEST(leaving_the_view_lets_it_go)
{
    trace_program();
    pty_keys(&pty, "1"); /* it shows calls, too */
    check(pty_until_text(&pty, "its calls"), "the graph of its calls");
    pty_keys(&pty, "2");
    check(pty_until_text(&pty, "is not traced any more"), "it says so");
    watched_program_until(&program, false);
    watched_program_answers(&program);
    pty_keys(&pty, "Y");
    watched_program_until(&program, true);
    pty_keys(&pty, "Y");
    watched_program_until(&program, false);
    check(pty_until_text(&pty, "stopped by ptrace"), "the same key lets it go");
    watched_program_answers(&program);
    end_all();
}

TEST(quitting_lets_it_go)
{
    trace_program();
    pty_keys(&pty, "q");
    check(pty_until_state(&pty, PTY_GONE) && pty.status == 0, "quits");
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program);
    end_all();
}

TEST(control_c_lets_it_go)
{
    trace_program();
    pty_keys(&pty, "\003");
    check(pty_until_state(&pty, PTY_GONE), "quits");
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program);
    end_all();
}

/* A stopped rooftop reads nothing: its tracer would make the program wait. */
TEST(suspending_lets_it_go)
{
    trace_program();
    pty_keys(&pty, "\032");
    check(pty_until_state(&pty, PTY_STOPPED), "stops");
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program);
    pty_continue(&pty);
    check(pty_until_text(&pty, "stopped by ptrace"), "goes on, without the trace");
    pty_keys(&pty, "q");
    check(pty_until_state(&pty, PTY_GONE), "quits");
    end_all();
}

TEST(a_killed_rooftop_lets_it_go)
{
    trace_program();
    pty_signal(&pty, SIGKILL);
    check(pty_until_state(&pty, PTY_GONE), "is gone");
    watched_program_until(&program, false);
    watched_program_answers(&program);
    end_all();
}

/* --view syscalls traces a command from its first call on, and its status passes through. */
TEST(a_command_is_traced_from_its_beginning)
{
    program_needed();
    watched_program_skip();
    const char *argv[] = {program_rooftop(),
                          "--interval=0.2",
                          "--view",
                          "syscalls",
                          "--",
                          "sh",
                          "-c",
                          "exit 5",
                          NULL};
    start(argv);
    check(pty_until_text(&pty, "ended by "), "it was traced to its end");
    check(pty_until_text(&pty, "execve"), "with its first call");
    pty_keys(&pty, "m");
    check(pty_until_text(&pty, "exit 5"), "the list of processes has its status");
    check(pty_until_text(&pty, "ended: sh"), "the sample after its end"); /* q asks before it */
    pty_keys(&pty, "q");
    check(pty_until_state(&pty, PTY_GONE) && WIFEXITED(pty.status) && WEXITSTATUS(pty.status) == 5,
          "ends with its status");
    pty_end(&pty);
}

/* The share of a node's time. Where records of spans were overwritten before they were read, as on
 * a machine with too much work, no share is known: then the screen says so and shows the time.
 * Which of the two calls its threads wait in most depends on how many processors are free; the
 * column has no room for a long name. */
static bool tells_most_call(struct pty *p, const void *arg)
{
    static const char *const shares[] = {"% futex", "% sched_y"}, *const times[] = {"s futex",
                                                                                    "s sched_y"};
    (void)arg;
    const bool none = vt_find(p->vt, "no shares: ", NULL, NULL);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (vt_find(p->vt, none ? times[i] : shares[i], NULL, NULL))
            return true;
    return false;
}

/* In the tree of a program with bricks the trace goes on, and each brick has its calls. */
TEST(the_tree_shows_the_calls_of_bricks)
{
    char demo[4200];
    program_needed();
    watched_program_skip();
    snprintf(demo, sizeof demo, "%.*s/examples/transformer/transformer",
             (int)(strlen(program_rooftop()) - strlen("/rooftop")), program_rooftop());
    if (access(demo, X_OK) != 0)
        skip_because("the examples were not built");
    const char *argv[] = {program_rooftop(), "--interval=0.2", "--view=syscalls", "--", demo,
                          "--tokens",        "1000000",        "--threads",       "2",  NULL};
    start(argv);
    check(pty_until_text(&pty, "tracing by"), "it is traced");
    pty_keys(&pty, "3");
    check(pty_until_text(&pty, "MOST OF IT IN"), "columns of calls");
    check(pty_until_text(&pty, " system calls"), "how many there are");
    check(pty_until(&pty, tells_most_call, NULL), "what a brick waits in");
    pty_keys(&pty, "m");
    check(pty_until_text(&pty, "by name"), "the list of bricks");
    check(pty_until_text(&pty, "MOST OF IT IN"), "columns there");
    pty_keys(&pty, "2");
    check(pty_until_text(&pty, "is not traced any more"), "it is let go");
    pty_keys(&pty, "q");
    pty_end(&pty);
}
