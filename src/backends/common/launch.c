#include "backends/common/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { CAUGHT = sizeof caught / sizeof *caught, TICK_MS = 100 };

static volatile sig_atomic_t stopped, child;
static struct sigaction before[CAUGHT];

/* The terminal sends its signals to all foreground programs, so our child already has those. Other
 * signals are passed on. */
static void on_signal(int signo, siginfo_t *info, void *context)
{
    (void)context;
    int code = errno;
    stopped = signo;
    if (child > 0 && info->si_code != SI_KERNEL)
        kill((pid_t)child, signo);
    errno = code;
}

void launch_begin(void)
{
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    sigemptyset(&sa.sa_mask);
    stopped = 0;
    for (int i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* ignored on purpose, as by nohup */
            sigaction(caught[i], &sa, NULL);
    }
}

void launch_end(void)
{
    for (int i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &before[i], NULL);
}

int launch_stopped(void)
{
    return stopped;
}

/* Becomes the program. It shares our terminal and process group, where other processes may be, so
 * the kernel is asked to send SIGHUP to it alone when we are killed. The thread that forks is also
 * the one that waits. */
static _Noreturn void become_launched_program(char *const *argv, int out_fd, int report,
                                              pid_t parent)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL}, now;
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        if (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(i, &dfl, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGHUP);
    if (getppid() != parent)
        _exit(127); /* we were killed before the kernel was asked */
    if (out_fd >= 0)
        dup2(out_fd, STDOUT_FILENO);
    execvp(argv[0], argv);
    int code = errno;
    ssize_t n = write(report, &code, sizeof code);
    (void)n;
    _exit(127);
}

/* Forks. Signals are blocked until the handler knows the child's pid. */
static pid_t fork_command(char *const *argv, int out_fd, int *code)
{
    int report[2] = {-1, -1};
    sigset_t all, old;
    *code = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        *code = errno;
        return -1;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old);
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_launched_program(argv, out_fd, report[1], parent);
    *code = pid < 0 ? errno : 0;
    child = pid;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(report[1]);
    while (pid > 0 && read(report[0], code, sizeof *code) < 0 && errno == EINTR)
        ;
    close(report[0]);
    return pid;
}

static int wait_for_program(pid_t pid, int *status)
{
    pid_t got;
    do
        got = waitpid(pid, status, 0);
    while (got < 0 && errno == EINTR);
    child = 0;
    return got == pid ? 0 : -errno;
}

/* Waits for the child. Its end is noticed at once if the kernel has pidfd_open (Linux 5.3). */
static void wait_for_child(pid_t pid, void (*tick)(void *ctx), void *ctx)
{
    siginfo_t info = {0};
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        poll(&ended, ended.fd >= 0, TICK_MS);
        tick(ctx);
    }
    if (ended.fd >= 0)
        close(ended.fd);
}

int launch_run(char *const *argv, int out_fd, int *wait_status)
{
    return launch_run_watched(argv, out_fd, NULL, NULL, wait_status);
}

int launch_run_watched(char *const *argv, int out_fd, void (*tick)(void *ctx), void *ctx,
                       int *wait_status)
{
    int code, status = 0;
    pid_t pid = fork_command(argv, out_fd, &code);
    if (pid > 0 && code == 0 && tick)
        wait_for_child(pid, tick, ctx);
    int rc = pid > 0 ? wait_for_program(pid, &status) : 0;
    if (code != 0)
        return -code;
    *wait_status = status;
    return rc;
}

int launch_capture(char *const *argv, char *out, size_t size, int ms)
{
    int p[2], code, status = 0;
    size_t n = 0;
    out[0] = '\0';
    if (pipe2(p, O_CLOEXEC) != 0)
        return -errno;
    pid_t pid = fork_command(argv, p[1], &code);
    close(p[1]);
    uint64_t end = env_now_ns() + (uint64_t)ms * 1000000u;
    for (bool open = pid > 0 && code == 0; open;) {
        uint64_t now = env_now_ns();
        struct pollfd f = {.fd = p[0], .events = POLLIN};
        char rest[512];
        int ready = now < end ? poll(&f, 1, (int)((end - now) / 1000000u) + 1) : 0;
        bool room = n + 1 < size;
        ssize_t got = ready;
        if (ready > 0)
            got = read(p[0], room ? out + n : rest, room ? size - 1 - n : sizeof rest);
        if (got > 0 && room)
            n += (size_t)got;
        open = got > 0 || (got < 0 && errno == EINTR);
        if (ready == 0)
            kill(pid, SIGKILL);
    }
    out[n] = '\0';
    close(p[0]);
    if (pid > 0)
        wait_for_program(pid, &status);
    if (code)
        return -code;
    return status == 0 ? 0 : -EIO;
}
