#include "cli/run/progress_note.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"

enum { PATIENCE_MS = 500, BETWEEN_MS = 200, COLS = 80 };

static const uint64_t ms = 1000000;
static const int signals[PROGRESS_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t drawn_fd = -1; /* where a line stands now; -1: nowhere */
static const char *volatile guarded;

void progress_note_erase(void)
{
    static const char erase[] = "\r\033[K";
    const int fd = drawn_fd;
    if (fd < 0)
        return;
    drawn_fd = -1;
    ssize_t ignored = write(fd, erase, sizeof erase - 1); /* raw: ours */
    (void)ignored;
}

void progress_note_guards(const char *path)
{
    guarded = path;
}

static void on_signal(int signo)
{
    progress_note_erase();
    if (guarded)
        unlink(guarded);
    signal(signo, SIG_DFL);
    raise(signo);
}

/* all: also the signals that the command listens to. Those that are ignored stay ignored. */
static void take_signals(struct progress_note *l, bool all)
{
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&sa.sa_mask);
    for (int i = 0; i < PROGRESS_SIGNALS; i++) {
        sigaction(signals[i], NULL, &l->before[i]);
        l->taken[i] = all ? l->before[i].sa_handler != SIG_IGN : l->before[i].sa_handler == SIG_DFL;
        if (l->taken[i])
            sigaction(signals[i], &sa, NULL);
    }
}

static bool draws_here(void)
{
    const char *term = env_get("TERM"), *ci = env_get("CI");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 &&
           (!ci || strcmp(ci, "false") == 0);
}

static void begin_note(struct progress_note *l, bool all)
{
    *l = (struct progress_note){.began_ns = env_now_ns(), .fd = -1};
    if (draws_here())
        l->fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    take_signals(l, all);
}

void progress_note_begin(struct progress_note *l)
{
    begin_note(l, false);
}

void progress_note_begin_ended_by_signals(struct progress_note *l)
{
    begin_note(l, true);
}

bool progress_note_due(const struct progress_note *l)
{
    const uint64_t now = l->fd >= 0 ? env_now_ns() : 0;
    return l->fd >= 0 && now - l->began_ns >= PATIENCE_MS * ms &&
           now - l->drawn_ns >= BETWEEN_MS * ms;
}

int progress_note_width(const struct progress_note *l)
{
    struct winsize ws;
    return l->fd >= 0 && ioctl(l->fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1 ? ws.ws_col - 1
                                                                             : COLS - 1;
}

void progress_note_show(struct progress_note *l, const char *text)
{
    char line[1024], out[1100];
    if (!progress_note_due(l))
        return;
    print_line(line, sizeof line, "%.*s", progress_note_width(l), text);
    int n = snprintf(out, sizeof out, "\r%s\033[K", line);
    drawn_fd = l->fd; /* set before the write, because a signal may come at any time */
    ssize_t ignored = write(l->fd, out, (size_t)n); /* raw: made by print_line */
    (void)ignored;
    l->drawn_ns = env_now_ns();
}

void progress_note_hurry(struct progress_note *l)
{
    l->began_ns = l->drawn_ns = 0;
}

void progress_note_end(struct progress_note *l)
{
    progress_note_erase();
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    for (int i = 0; i < PROGRESS_SIGNALS; i++)
        if (l->taken[i])
            sigaction(signals[i], &l->before[i], NULL);
    memset(l->taken, 0, sizeof l->taken);
}
