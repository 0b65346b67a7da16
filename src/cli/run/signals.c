#include "cli/run/signals.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

volatile sig_atomic_t signals_caught;
static int wake_fd = -1;

/* Only notes the signal and wakes poll: little else is allowed in a signal handler. */
static void on_signal(int signo)
{
    int saved = errno;
    uint64_t one = 1;
    signals_caught = signo;
    ssize_t ignored = write(wake_fd, &one, sizeof one);
    (void)ignored;
    errno = saved;
}

static void catch_all_of(const int *list, size_t n, bool ignored_too)
{
    struct sigaction sa = {.sa_handler = on_signal}, old;
    if (wake_fd < 0)
        wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < n; i++) {
        sigaction(list[i], NULL, &old);
        if (ignored_too || old.sa_handler != SIG_IGN)
            sigaction(list[i], &sa, NULL);
    }
}

void signals_catch(bool ignored_too)
{
    static const int list[] = {SIGINT, SIGTERM, SIGHUP};
    catch_all_of(list, sizeof list / sizeof *list, ignored_too);
}

void signals_catch_more(void)
{
    static const int list[] = {SIGUSR1, SIGUSR2, SIGQUIT};
    catch_all_of(list, sizeof list / sizeof *list, false);
}

int signals_fd(void)
{
    return wake_fd;
}

void signals_heard(void)
{
    uint64_t count;
    ssize_t ignored = read(wake_fd, &count, sizeof count);
    (void)ignored;
}

bool signals_none(void *ctx)
{
    (void)ctx;
    return !signals_caught;
}
