/* Starts a command that waits before it executes its program. */
#include "backends/common/held.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/print.h"

/* Everything that the child needs, prepared before the fork, because the child may only make system
 * calls. */
struct child {
    char *path;
    char *const *argv, *const *envp;
    char **script; /* /bin/sh PATH ARGUMENTS, for scripts without "#!", as shells do it */
    const struct sock_fprog *filter;
    int go_fd, parents_fd, report_fd;
    sigset_t mask;
};

char *held_find_program(const char *name)
{
    char path[PATH_MAX];
    if (strchr(name, '/'))
        return xstrdup(name);
    errno = child_look_up(name, path, sizeof path);
    return errno ? NULL : xstrdup(path);
}

static char **script_of(char *path, char *const *argv)
{
    size_t n = 0;
    while (argv[n])
        n++;
    char **list = xcalloc(n + 2, sizeof *list);
    list[0] = (char *)"sh"; /* NOLINT: execve's type */
    list[1] = path;
    for (size_t i = 1; i < n; i++)
        list[i + 1] = argv[i];
    return list;
}

static _Noreturn void report_exec_failure(const struct child *c)
{
    const int code = errno;
    const ssize_t n = write(c->report_fd, &code, sizeof code);
    (void)n;
    _exit(code == ENOENT || code == ENOTDIR ? 127 : 126); /* as shells do; a trace shows it */
}

static _Noreturn void be_command(const struct child *c)
{
    char byte;
    ssize_t n;
    close(c->parents_fd); /* so that the pipe ends when rooftop ends */
    do
        n = read(c->go_fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        _exit(127); /* rooftop ended, or could not trace us */
    if (c->filter) {
        /* A filter without rights needs PR_SET_NO_NEW_PRIVS. Set-user-ID programs then run without
         * their rights, as they do anyway if a user traces them. */
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, c->filter) != 0 &&
            (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
             syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, c->filter) != 0))
            report_exec_failure(c);
    }
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    execve(c->path, c->argv, c->envp);
    if (errno == ENOEXEC)
        execve("/bin/sh", c->script, c->envp);
    report_exec_failure(c);
}

/* The child has the signals as rooftop got them: execve resets handlers, and ignored signals stay
 * ignored. Signals are blocked meanwhile, so that no handler of rooftop runs in the child. */
static pid_t fork_child(struct child *c, const sigset_t *mask)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    c->mask = mask ? *mask : before;
    const pid_t pid = fork();
    if (pid == 0)
        be_command(c);
    const int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return pid;
}

int held_error(const struct held *l, int code, struct error *err)
{
    char what[192];
    const char *help = NULL;
    if (code == ENOENT)
        help = "check its name and PATH; everything after -- is the command";
    else if (code == EACCES)
        help = "is it a program, and may you execute it (chmod +x)?";
    else if (code == EPERM)
        help = "rooftop doctor says whether programs can be traced here";
    print_line(what, sizeof what, "run '%.120s'", l->name);
    return error_set(err, ERROR_TARGET, code, help, what, "%s",
                     code == ENOENT ? "command not found" : strerror(code));
}

void held_kill(struct held *l)
{
    if (l->pid <= 0)
        return;
    kill(l->pid, SIGKILL);
    while (waitpid(l->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    l->pid = 0;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

int held_start(struct held *l, const struct held_command *command, struct error *err)
{
    int go[2] = {-1, -1}, report[2] = {-1, -1}, rc = 0;
    *l = (struct held){.go_fd = -1, .report_fd = -1};
    snprintf(l->name, sizeof l->name, "%s", command->argv[0]);
    struct child c = {.argv = command->argv,
                      .envp = command->envp ? command->envp : environ,
                      .filter = command->filter,
                      .path = held_find_program(command->argv[0])};
    if (!c.path)
        return held_error(l, errno, err);
    c.script = script_of(c.path, command->argv);
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0)
        rc = -errno;
    c.go_fd = go[0];
    c.parents_fd = go[1];
    c.report_fd = report[1];
    const pid_t pid = rc == 0 ? fork_child(&c, command->mask) : -1;
    if (rc == 0 && pid < 0)
        rc = -errno;
    close_fd(&go[0]);
    close_fd(&report[1]);
    l->go_fd = go[1];
    l->report_fd = report[0];
    l->pid = rc == 0 ? pid : 0;
    free(c.script);
    free(c.path);
    if (rc == 0)
        return 0;
    held_close(l);
    return held_error(l, -rc, err);
}

int held_go(struct held *l)
{
    const int rc = write(l->go_fd, "", 1) == 1 ? 0 : -errno;
    close_fd(&l->go_fd);
    return rc;
}

int held_failed(const struct held *l, struct error *err)
{
    int code = 0;
    if (l->report_fd < 0)
        return 0;
    fcntl(l->report_fd, F_SETFL, O_NONBLOCK); /* a daemon that goes on may hold it open */
    if (read(l->report_fd, &code, sizeof code) != sizeof code || code == 0)
        return 0;
    return held_error(l, code, err);
}

void held_close(struct held *l)
{
    close_fd(&l->go_fd);
    close_fd(&l->report_fd);
}
