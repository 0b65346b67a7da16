#include "backends/command/command_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Closes all descriptors except one: a copy of the command's terminal, or of another pipe, would
 * keep it open. */
static void keep_only(int fd)
{
    struct rlimit files = {.rlim_cur = 1024};
    dup2(fd, 0);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 1U, ~0U, 0) == 0)
        return;
#endif
    getrlimit(RLIMIT_NOFILE, &files);
    for (rlim_t i = 1; i < files.rlim_cur; i++)
        close((int)i);
}

/* Uses only calls that are safe in the copy of a program with threads. All signals stay blocked,
 * because those for rooftop's group or session are not for this process. It has another name, so
 * that killing rooftop by name does not hit it. */
static _Noreturn void watch_for_end(int fd, pid_t group)
{
    char byte;
    ssize_t n;
    setsid();
    prctl(PR_SET_NAME, "command-watch");
    keep_only(fd);
    do
        n = read(0, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n == 0) {
        kill(-group, SIGHUP);
        kill(-group, SIGCONT);
    }
    _exit(0);
}

int watcher_start(struct watcher *w, pid_t group)
{
    int ends[2];
    sigset_t all, before;
    *w = (struct watcher){.hold = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        watch_for_end(ends[0], group);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -code;
    }
    *w = (struct watcher){.pid = pid, .hold = ends[1]};
    return 0;
}

void watcher_end(struct watcher *w)
{
    if (w->pid <= 0)
        return;
    ssize_t n = write(w->hold, "", 1);
    (void)n; /* rooftop was killed, so no process waits for a report */
    close(w->hold);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *w = (struct watcher){.hold = -1};
}
