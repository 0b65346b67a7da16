#include "backends/usdt/usdt_impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int compare_descriptors(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

enum { HEAD_START_MS = 100 };

/* Runs between fork and _exit of a process with threads: system calls only. First closes all other
 * descriptors, because another process may wait for the end of a pipe that we hold. */
static _Noreturn void hold_and_close(const int *fds, size_t n)
{
    unsigned next = 0;
    pid_t pid = fork();
    if (pid != 0)
        _exit(pid < 0); /* its parent ends, so that no process must wait for it */
    setsid();
    for (size_t i = 0; i < n; i++) {
        if (next < (unsigned)fds[i])
            syscall(SYS_close_range, next, fds[i] - 1, 0);
        next = (unsigned)fds[i] + 1;
    }
    syscall(SYS_close_range, next, ~0u, 0);
    /* the last process to close an event waits for the kernel; this must not be rooftop */
    poll(NULL, 0, HEAD_START_MS);
    _exit(0); /* the kernel closes the rest */
}

/* Returns whether another process holds the descriptors now. */
static bool hand_over_descriptors(const int *fds, size_t n)
{
    sigset_t all, before;
    int status = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        hold_and_close(fds, n);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid > 0 && status == 0;
}

void usdt_close_events(const struct perf_sys *sys, int *fds, size_t n)
{
    if (n == 0)
        return;
    qsort(fds, n, sizeof *fds, compare_descriptors);
    for (size_t i = 0; i < n; i++)
        sys->ioctl(sys->ctx, fds[i], PERF_EVENT_IOC_DISABLE, 0);
    if (sys == &perf_sys_kernel)
        hand_over_descriptors(fds, n);
    for (size_t i = 0; i < n; i++)
        sys->close(sys->ctx, fds[i]);
}
