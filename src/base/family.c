#include "base/family.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 10000 }; /* of 1 ms each; a process that lives longer is held by a driver */

static const struct timespec a_moment = {.tv_nsec = 1000000};

/* --- after fork: only calls that are safe there --- */

/* Ends the caller's children, each with the group that it leads. A child keeps its pid until it is
 * waited for, and only the caller waits, so no other process can be hit. */
static void kill_children(void)
{
    char bytes[4096];
    const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;
    pid_t pid = 0;
    while (fd >= 0 && (n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            if (bytes[i] >= '0' && bytes[i] <= '9') {
                pid = pid * 10 + (bytes[i] - '0');
            } else if (pid > 1) {
                kill(-pid, SIGKILL);
                kill(pid, SIGKILL);
                pid = 0;
            }
    if (fd >= 0)
        close(fd);
}

/* Processes that are adopted meanwhile are ended in a later turn. */
static void end_children(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        pid_t ended;
        kill_children();
        do
            ended = waitpid(-1, NULL, WNOHANG);
        while (ended > 0 || (ended < 0 && errno == EINTR));
        if (ended < 0)
            return;
        nanosleep(&a_moment, NULL);
    }
}

static void on_end(int signo)
{
    end_children();
    _exit(128 + signo);
}

static void reset_family_signals(void)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_first(void (*become)(const void *), const void *ctx, pid_t parent)
{
    reset_family_signals();
    setpgid(0, 0); /* so that a signal to its group does not reach the adopter */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        become(ctx);
    _exit(127);
}

static _Noreturn void end_as(int status)
{
    const struct rlimit core = {0, 0};
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &core);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

static _Noreturn void adopt_program(void (*become)(const void *), const void *ctx,
                                    enum family_until until, pid_t parent)
{
    const struct sigaction end = {.sa_handler = on_end};
    int status = 127 << 8;
    reset_family_signals();
    setpgid(0, 0);
    sigaction(SIGTERM, &end, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    const pid_t self = getpid(), first = fork();
    if (first == 0)
        be_first(become, ctx, self);
#ifdef SYS_close_range
    syscall(SYS_close_range, 3, ~0U, 0); /* older kernels: all stay open until it ends */
#endif
    for (bool going = first > 0; going;) {
        siginfo_t info = {.si_pid = 0};
        going = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) == 0 || errno == EINTR;
        if (info.si_pid == first && until == FAMILY_FIRST) {
            kill(-first, SIGKILL); /* before it is waited for: until then the pid is its own */
            going = false;
        }
        if (info.si_pid > 0)
            waitpid(info.si_pid, info.si_pid == first ? &status : NULL, 0);
    }
    end_children();
    end_as(status);
}

/* --- in the calling process --- */

pid_t family_start(void (*become)(const void *ctx), const void *ctx, enum family_until until)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        adopt_program(become, ctx, until, parent);
    return pid;
}

void family_end(pid_t pid, int *status)
{
    pid_t ended;
    for (int turn = 0;
         (ended = waitpid(pid, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR); turn++) {
        kill(pid, turn < 2 * TURNS ? SIGTERM : SIGKILL);
        kill(pid, SIGCONT); /* in case the program has stopped it */
        nanosleep(&a_moment, NULL);
    }
}
