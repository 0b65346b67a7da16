/* not for TSan: The terminal is restored on every signal that ends a program, also if nothing
 * reads the terminal any more. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/test.h"

static const char *const xterm[] = {PTY_XTERM,
                                    ("ASAN_OPTIONS=detect_leaks=1:handle_segv=0:handle_sigill=0:"
                                     "handle_sigfpe=0:handle_sigbus=0:handle_abort=0"),
                                    NULL};

static void check(struct pty *p, bool ok, const char *what)
{
    if (!ok)
        fail_msg("%s: state %d, status %#x, screen:\n%s", what, p->state, (unsigned)p->status,
                 vt_text(p->vt));
}

static void start_in(struct pty *p, int cols, int rows)
{
    if (!program_rooftop()) {
        print_message("skipped: rooftop was not built\n");
        skip();
    }
    const char *argv[] = {program_rooftop(), "--interval=0.1", NULL};
    struct pty_config c = {.argv = argv, .env = xterm, .cols = cols, .rows = rows};
    assert_int_equal(pty_start(p, &c), 0);
    check(p, pty_until_text(p, "1 summ") && pty_until_text(p, "Help"), "the first picture");
    check(p, vt_alternate(p->vt) && !pty_modes_restored(p), "takes the terminal over");
}

static void given_back(struct pty *p, const char *what)
{
    check(p, pty_modes_restored(p), what);
    check(p, !vt_alternate(p->vt), what);
    check(p, vt_cursor_visible(p->vt), what);
}

static void ends_by(int signo)
{
    struct pty p;
    char what[64];
    snprintf(what, sizeof what, "signal %d", signo);
    start_in(&p, 80, 24);
    pty_signal(&p, signo);
    check(&p, pty_until_state(&p, PTY_GONE), what);
    check(&p, WIFSIGNALED(p.status) && WTERMSIG(p.status) == signo, what);
    given_back(&p, what);
    pty_end(&p);
}

/* signal(7): all signals that end a program by default, except KILL, which no program can catch. */
TEST(every_signal_that_ends_a_program)
{
    static const int all[] = {
        SIGHUP,    SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,   SIGBUS,  SIGFPE, SIGUSR1,
        SIGSEGV,   SIGUSR2, SIGALRM, SIGTERM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,  SIGSYS,
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ends_by(all[i]);
    ends_by(SIGRTMIN);
    ends_by(SIGRTMAX);
}

/* Signals that require nothing leave the picture alone. */
TEST(signals_that_end_nothing)
{
    static const int all[] = {SIGPIPE, SIGXFSZ, SIGCHLD, SIGURG, SIGCONT};
    struct pty p;
    start_in(&p, 80, 24);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pty_signal(&p, all[i]);
    pty_keys(&p, "2");
    check(&p, pty_until_text(&p, "counters by section"), "goes on");
    pty_keys(&p, "\003");
    check(&p, pty_until_state(&p, PTY_GONE) && p.status == 0, "quits with 0");
    pty_end(&p);
}

/* What a shell's `kill %1` does: it sends the signal, then SIGCONT, and keeps the terminal. */
TEST(ended_in_the_background)
{
    static const int all[] = {SIGTERM, SIGUSR1, SIGHUP};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct pty p;
        start_in(&p, 80, 24);
        pty_keys(&p, "\032"); /* ^Z */
        check(&p, pty_until_state(&p, PTY_STOPPED), "stops");
        size_t drawn = p.raw_len;
        pty_signal(&p, all[i]);
        p.state = PTY_RUNNING;
        pty_release(&p); /* the leader waits again and keeps the terminal */
        pty_signal(&p, SIGCONT);
        check(&p, pty_until_state(&p, PTY_GONE), strsignal(all[i]));
        check(&p, WIFSIGNALED(p.status) && WTERMSIG(p.status) == all[i], strsignal(all[i]));
        given_back(&p, strsignal(all[i]));
        if (p.raw_len != drawn)
            fail_msg("%zu bytes were written to the shell's terminal", p.raw_len - drawn);
        pty_end(&p);
    }
}

/* --- a terminal that is not read --- */

/* Fills the terminal's buffer: rooftop redraws (^L) and its output is not read. */
static void fill(struct pty *p)
{
    int before = -1, now = 0;
    for (int i = 0; i < 2000; i++) {
        pty_keys(p, "\014");
        poll(NULL, 0, 5);
        assert_int_equal(ioctl(p->master, FIONREAD, &now), 0);
        if (i % 50 == 49) {
            if (now == before)
                return;
            before = now;
        }
    }
    fail_msg("its buffer never filled: %d bytes", now);
}

static void stuck(int signo)
{
    struct pty p;
    char what[64];
    snprintf(what, sizeof what, "stuck, signal %d", signo);
    start_in(&p, 200, 50);
    fill(&p);
    pty_signal(&p, signo);
    check(&p, pty_wait_state(&p, PTY_GONE), what);
    check(&p, WIFSIGNALED(p.status) && WTERMSIG(p.status) == signo, what);
    check(&p, pty_modes_restored(&p), what);
    pty_settle(&p); /* it is read again, as after ^Q */
    given_back(&p, what);
    pty_end(&p);
}

TEST(a_terminal_that_reads_no_more)
{
    stuck(SIGTERM);
    stuck(SIGHUP);
    stuck(SIGSEGV); /* the signal handler must not wait for it, either */
}

/* --- killed outright --- */

/* After SIGKILL the terminal cannot be restored, but the command must not be left running. */
TEST(a_killed_rooftop_leaves_no_command)
{
    struct pty p;
    char folder[] = "/tmp/rooftop-killed-XXXXXX", fifo[64], line[256], byte;
    if (!program_rooftop()) {
        print_message("skipped: rooftop was not built\n");
        skip();
    }
    assert_non_null(mkdtemp(folder));
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int lives = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    snprintf(line, sizeof line, "exec 9>%s; (echo >&9; sleep 1000) & sleep 1000", fifo);
    const char *argv[] = {program_rooftop(), "--", "sh", "-c", line, NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .env = xterm}), 0);
    check(&p, pty_until_text(&p, "Help"), "the first picture");
    struct pollfd f = {.fd = lives, .events = POLLIN};
    for (int i = 0; i < 3000 && poll(&f, 1, 0) == 0; i++)
        pty_pump(&p, 20);
    assert_int_equal(read(lives, &byte, 1), 1);
    pty_signal(&p, SIGKILL);
    check(&p, pty_until_state(&p, PTY_GONE), "killed");
    assert_int_equal(poll(&f, 1, 60000), 1);
    assert_int_equal(read(lives, &byte, 1), 0); /* all processes of the group have ended */
    close(lives);
    unlink(fifo);
    rmdir(folder);
    pty_end(&p);
}
