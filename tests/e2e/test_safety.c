/* not for TSan: The terminal is restored however the real program ends. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static const char *const xterm[] = {PTY_XTERM, "ASAN_OPTIONS=detect_leaks=1", NULL};

static const char *rooftop(void)
{
    program_needed();
    return program_rooftop();
}

static void check(struct pty *p, bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s: state %d, status %#x, screen:\n%s", what, p->state, (unsigned)p->status,
                 vt_text(p->vt));
}

/* Starts the program and waits for the first picture with real numbers. */
static void start(struct pty *p, const char *const *argv)
{
    assert_int_equal(pty_start(p, &(struct pty_config){.argv = argv, .env = xterm}), 0);
    check(p, pty_until_text(p, "1 summ") && pty_until_text(p, "Help"), "the first picture");
    check(p, vt_alternate(p->vt) && !vt_cursor_visible(p->vt), "takes the terminal over");
    check(p, !pty_modes_restored(p), "raw keys");
}

static void start_host(struct pty *p)
{
    const char *argv[] = {rooftop(), NULL};
    start(p, argv);
}

static void given_back(struct pty *p, const char *what)
{
    check(p, pty_modes_restored(p), what);
    check(p, !vt_alternate(p->vt), what);
    check(p, vt_cursor_visible(p->vt), what);
}

/* The user's shell sees the signal, not an exit status. */
static void ends_by(int signo)
{
    struct pty p;
    start_host(&p);
    pty_signal(&p, signo);
    check(&p, pty_until_state(&p, PTY_GONE), strsignal(signo));
    check(&p, WIFSIGNALED(p.status) && WTERMSIG(p.status) == signo, strsignal(signo));
    given_back(&p, strsignal(signo));
    pty_end(&p);
}

TEST(terminal_is_given_back_on_term)
{
    ends_by(SIGTERM);
}

TEST(terminal_is_given_back_on_quit)
{
    ends_by(SIGQUIT);
}

TEST(terminal_is_given_back_on_hup)
{
    ends_by(SIGHUP);
}

TEST(terminal_is_given_back_on_int)
{
    ends_by(SIGINT);
}

TEST(terminal_is_given_back_on_segv)
{
    ends_by(SIGSEGV);
}

TEST(terminal_is_given_back_on_abort)
{
    ends_by(SIGABRT);
}

TEST(a_vanished_terminal_ends_it)
{
    struct pty p;
    start_host(&p);
    pty_vanish(&p);
    check(&p, pty_until_state(&p, PTY_GONE), "vanished");
    check(&p,
          WIFSIGNALED(p.status) ? WTERMSIG(p.status) == SIGHUP
                                : WEXITSTATUS(p.status) == 128 + SIGHUP,
          "vanished: status");
    pty_end(&p);
}

/* Even if nohup ignores SIGHUP, the program must not run on without a terminal, using a whole
 * core. */
TEST(a_vanished_terminal_ends_it_with_hup_ignored)
{
    char line[4200];
    struct pty p;
    snprintf(line, sizeof line, "trap '' HUP; exec %s", rooftop());
    const char *argv[] = {"sh", "-c", line, NULL};
    start(&p, argv);
    pty_signal(&p, SIGHUP);
    pty_keys(&p, "2");
    check(&p, pty_until_text(&p, "counters by section"), "an ignored HUP changes nothing");
    pty_vanish(&p);
    check(&p, pty_until_state(&p, PTY_GONE), "vanished, HUP ignored");
    check(&p, WIFEXITED(p.status) && WEXITSTATUS(p.status) == 128 + SIGHUP, "status");
    pty_end(&p);
}

static void stop(struct pty *p)
{
    pty_keys(p, "\032"); /* ^Z */
    check(p, pty_until_state(p, PTY_STOPPED), "stops");
    check(p, WSTOPSIG(p->status) == SIGTSTP, "stopped by");
    given_back(p, "while stopped");
}

TEST(suspended_and_continued_in_another_size)
{
    struct pty p;
    start_host(&p);
    stop(&p);
    pty_resize(&p, 100, 30);
    pty_continue(&p);
    check(&p, pty_until_text(&p, "? Help"), "drawn again");
    pty_settle(&p);
    check(&p, vt_alternate(p.vt) && !vt_cursor_visible(p.vt), "taken over again");
    check(&p, strstr(vt_row(p.vt, 29), "Help") != NULL, "the footer is on the new last row");
    check(&p, strstr(vt_row(p.vt, 2), "╮╭") != NULL && strlen(vt_row(p.vt, 2)) > 90,
          "the boxes have the new width");
    pty_keys(&p, "?");
    check(&p, pty_until_text(&p, "Everywhere"), "keys work again");
    pty_keys(&p, "q"); /* closes help, or quits; ^C always quits */
    pty_keys(&p, "\003");
    check(&p, pty_until_state(&p, PTY_GONE), "quits");
    given_back(&p, "after quitting");
    pty_end(&p);
}

TEST(suspended_twice)
{
    struct pty p;
    start_host(&p);
    for (int i = 0; i < 2; i++) {
        stop(&p);
        pty_continue(&p);
        check(&p, pty_until_text(&p, "Help"), "drawn again");
    }
    pty_signal(&p, SIGTSTP); /* kill -TSTP is ^Z from elsewhere */
    check(&p, pty_until_state(&p, PTY_STOPPED), "stops");
    given_back(&p, "stopped by a signal");
    pty_continue(&p);
    check(&p, pty_until_text(&p, "Help"), "drawn again");
    pty_keys(&p, "q");
    check(&p, pty_until_state(&p, PTY_GONE) && p.status == 0, "quits with 0");
    given_back(&p, "after quitting");
    pty_end(&p);
}

/* kill %1 of a stopped job: the signal waits until SIGCONT and must not be lost then. */
TEST(terminated_while_suspended)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGSEGV};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct pty p;
        start_host(&p);
        stop(&p);
        pty_signal(&p, signals[i]);
        pty_continue(&p);
        check(&p, pty_until_state(&p, PTY_GONE), strsignal(signals[i]));
        check(&p, WIFSIGNALED(p.status) && WTERMSIG(p.status) == signals[i], strsignal(signals[i]));
        given_back(&p, strsignal(signals[i]));
        pty_end(&p);
    }
}

static void quits_with(const char *keys)
{
    struct pty p;
    start_host(&p);
    pty_keys(&p, keys);
    check(&p, pty_until_state(&p, PTY_GONE), "quits");
    check(&p, WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0, "status");
    given_back(&p, "after quitting");
    pty_end(&p);
}

TEST(quit_keys_end_it_with_status_zero)
{
    quits_with("q");
    quits_with("\033[21~"); /* F10 */
    quits_with("\003");
}

/* Quitting asks before it ends the command; a user who then quits sees no failure. */
TEST(leaving_a_command_asks_and_is_no_failure)
{
    struct pty p;
    const char *argv[] = {rooftop(), "--", "sleep", "1000", NULL};
    start(&p, argv);
    check(&p, pty_until_text(&p, "sleep 1000"), "the command is watched");
    pty_keys(&p, "q");
    check(&p, pty_until_text(&p, "leave rooftop?"), "asks");
    pty_keys(&p, "n");
    check(&p, pty_until_no_text(&p, "leave rooftop?"), "stays");
    pty_keys(&p, "q");
    check(&p, pty_until_text(&p, "leave rooftop?"), "asks again");
    pty_keys(&p, "y");
    check(&p, pty_until_state(&p, PTY_GONE), "quits");
    check(&p, WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0, "status");
    given_back(&p, "after quitting");
    pty_end(&p);
}
