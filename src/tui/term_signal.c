#include "tui/term_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/arena.h"

/* Ending politely is the main loop's work: these only wake it. */
static const int polite[] = {SIGTERM, SIGQUIT, SIGHUP, SIGINT, SIGTSTP, SIGWINCH};
/* After these nothing can be trusted but the kernel. */
static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
enum {
    POLITE = sizeof polite / sizeof *polite,
    FATAL = sizeof fatal / sizeof *fatal,
    STACK = 64 * 1024,
    REPLAY_MAX = 64 * 1024
};

static struct term_guard guard;
static volatile sig_atomic_t armed;
static int wake[2] = {-1, -1};
static struct sigaction old_polite[POLITE], old_fatal[FATAL];
static char *alt_stack;

static void write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w <= 0 && errno != EINTR)
            return;
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        }
    }
}

void term_guard_replay(int from, int to)
{
    char buf[4096];
    off_t end = lseek(from, 0, SEEK_END), at = end > REPLAY_MAX ? end - REPLAY_MAX : 0;
    while (at < end) {
        ssize_t n = pread(from, buf, sizeof buf, at);
        if (n <= 0)
            return;
        write_all(to, buf, (size_t)n);
        at += n;
    }
}

static void on_polite(int signo)
{
    int saved = errno;
    char byte = (char)signo;
    ssize_t ignored = write(wake[1], &byte, 1);
    (void)ignored;
    errno = saved;
}

static void on_fatal(int signo)
{
    if (armed) {
        armed = 0;
        write_all(guard.out_fd, guard.restore, guard.restore_len);
        tcsetattr(guard.tty_fd, TCSANOW, &guard.modes);
        if (guard.saved_err >= 0) {
            dup2(guard.saved_err, STDERR_FILENO);
            term_guard_replay(guard.captured_err, STDERR_FILENO);
        }
    }
    /* SA_RESETHAND put the default back: the status and the core are those of the signal. */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signo);
    raise(signo);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int term_guard_on(const struct term_guard *g)
{
    guard = *g;
    if (wake[0] >= 0) { /* on already, paused */
        armed = 1;
        return wake[0];
    }
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    alt_stack = xcalloc(STACK, 1);
    sigaltstack(&(stack_t){.ss_sp = alt_stack, .ss_size = STACK}, NULL);
    for (int i = 0; i < POLITE; i++) {
        struct sigaction now;
        sigaction(polite[i], NULL, &now);
        old_polite[i] = now;
        /* nohup's wish stands; a terminal that goes away is noticed by poll. */
        if (polite[i] == SIGHUP && now.sa_handler == SIG_IGN)
            continue;
        struct sigaction sa = {.sa_handler = on_polite, .sa_flags = SA_RESTART};
        sigfillset(&sa.sa_mask);
        sigaction(polite[i], &sa, NULL);
    }
    for (int i = 0; i < FATAL; i++) {
        struct sigaction sa = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
        sigfillset(&sa.sa_mask);
        sigaction(fatal[i], &sa, &old_fatal[i]);
    }
    armed = 1;
    return wake[0];
}

void term_guard_pause(int paused)
{
    armed = !paused;
}

void term_guard_off(void)
{
    armed = 0;
    for (int i = 0; i < POLITE; i++)
        sigaction(polite[i], &old_polite[i], NULL);
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal[i], &old_fatal[i], NULL);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(alt_stack);
    alt_stack = NULL;
    close(wake[0]);
    close(wake[1]);
    wake[0] = wake[1] = -1;
}
