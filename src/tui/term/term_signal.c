#include "tui/term/term_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * The handlers of these signals only wake the main loop, which ends the program properly. All
 * signals that end a program are here or below, except KILL, PIPE (rooftop gets an errno instead)
 * and the real-time signals.
 */
static const int polite[] = {
    SIGTERM,   SIGQUIT, SIGHUP,  SIGINT,    SIGTSTP, SIGWINCH, SIGUSR1,
    SIGUSR2,   SIGALRM, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,
#ifdef SIGPWR
    SIGPWR,
#endif
#ifdef SIGSTKFLT
    SIGSTKFLT,
#endif
};
/* After one of these, the program's memory cannot be trusted. */
static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
enum {
    POLITE = sizeof polite / sizeof *polite,
    FATAL = sizeof fatal / sizeof *fatal,
    STACK = 64 * 1024,
    REPLAY_MAX = 64 * 1024,
    WAITS = 10, /* times WAIT_MS: how long a terminal may accept nothing */
    WAIT_MS = 10
};

static struct term_guard guard;
static volatile sig_atomic_t armed, ending;
static int wake[2] = {-1, -1};
static struct sigaction before[NSIG];
static bool taken[NSIG];
static char alt_stack[STACK]; /* takes no memory until a handler runs on it */

bool term_guard_write(int fd, const char *p, size_t n)
{
    for (int waits = 0; n > 0;) {
        ssize_t w = write(fd, p, n);
        if (w > 0) {
            p += w;
            n -= (size_t)w;
            waits = 0;
        } else if (w == 0 || (errno != EINTR && errno != EAGAIN) || waits++ == WAITS) {
            return false;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, WAIT_MS);
        }
    }
    return true;
}

/* If the terminal does not read, its unread output is discarded to make room. */
void term_guard_restore(void)
{
    if (!term_guard_write(guard.out_fd, guard.restore, guard.restore_len)) {
        tcflush(guard.out_fd, TCOFLUSH);
        term_guard_write(guard.out_fd, guard.restore, guard.restore_len);
    }
    tcsetattr(guard.tty_fd, TCSANOW, &guard.modes);
}

void term_guard_replay(int from, int to)
{
    char buf[4096];
    off_t end = lseek(from, 0, SEEK_END), at = end > REPLAY_MAX ? end - REPLAY_MAX : 0;
    while (at < end) {
        ssize_t n = pread(from, buf, sizeof buf, at);
        if (n <= 0)
            return;
        if (!term_guard_write(to, buf, (size_t)n))
            return;
        at += n;
    }
}

static void on_polite(int signo)
{
    int saved = errno;
    char byte = (char)signo;
    ending = ending || (signo != SIGTSTP && signo != SIGWINCH);
    ssize_t ignored = write(wake[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

static void on_fatal(int signo)
{
    if (armed) {
        armed = 0;
        term_guard_restore();
        if (guard.err_fd >= 0)
            term_guard_replay(guard.captured_err, guard.err_fd);
    }
    /* SA_RESETHAND restored the default, so status and core dump are those of the signal. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signo);
    raise(signo);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void take_signal(int signo, void (*handler)(int), int flags)
{
    struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};
    sigfillset(&sa.sa_mask);
    taken[signo] = sigaction(signo, &sa, &before[signo]) == 0;
}

/*
 * A signal that was ignored stays ignored, so that nohup works. A closed terminal is noticed by
 * poll.
 */
static void take_polite(int signo)
{
    struct sigaction now;
    bool always = signo == SIGTERM || signo == SIGQUIT || signo == SIGINT || signo == SIGTSTP ||
                  signo == SIGWINCH;
    if (sigaction(signo, NULL, &now) == 0 && (always || now.sa_handler != SIG_IGN))
        take_signal(signo, on_polite, SA_RESTART);
}

int term_guard_on(const struct term_guard *g)
{
    guard = *g;
    if (wake[0] >= 0) { /* it is on already and paused */
        armed = 1;
        return wake[0];
    }
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    sigaltstack(&(stack_t){.ss_sp = alt_stack, .ss_size = sizeof alt_stack}, NULL);
    for (int i = 0; i < POLITE; i++)
        take_polite(polite[i]);
    for (int signo = SIGRTMIN; signo <= SIGRTMAX; signo++)
        take_polite(signo);
    for (int i = 0; i < FATAL; i++)
        take_signal(fatal[i], on_fatal, SA_ONSTACK | (int)SA_RESETHAND);
    armed = 1;
    return wake[0];
}

bool term_guard_ending(void)
{
    return ending;
}

void term_guard_pause(int paused)
{
    armed = !paused;
}

void term_guard_off(void)
{
    armed = 0;
    for (int signo = 1; signo < NSIG; signo++) {
        if (taken[signo])
            sigaction(signo, &before[signo], NULL);
        taken[signo] = false;
    }
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    close(wake[0]);
    close(wake[1]);
    wake[0] = wake[1] = -1;
}
