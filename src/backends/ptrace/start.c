/* Starts a command under ptrace. */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/ptrace/internal.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"

/* All that the child needs, made before the fork: only calls of the kernel follow it. */
struct child {
    char *path;
    char *const *argv, *const *envp;
    char **script; /* /bin/sh PATH ARGUMENTS, for scripts without "#!", as shells do it */
    const struct sock_fprog *filter;
    int go_fd, report_fd;
    sigset_t mask;
};

static bool executable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* The file that the name means, malloc'ed, or NULL with errno. */
char *tracees_find_program(const char *name)
{
    int code = ENOENT;
    if (strchr(name, '/'))
        return xstrdup(name);
    const char *at = env_get("PATH");
    for (at = at ? at : "/bin:/usr/bin"; at; at = *at ? at + 1 : NULL) {
        const size_t n = strcspn(at, ":"), size = n + strlen(name) + 3;
        char *path = xcalloc(size, 1);
        snprintf(path, size, "%.*s/%s", n ? (int)n : 1, n ? at : ".", name);
        if (executable(path))
            return path;
        if (access(path, F_OK) == 0)
            code = EACCES;
        free(path);
        at += n;
    }
    errno = code;
    return NULL;
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

static _Noreturn void fail(const struct child *c)
{
    const int code = errno;
    const ssize_t n = write(c->report_fd, &code, sizeof code);
    (void)n;
    _exit(127);
}

static _Noreturn void be_command(const struct child *c)
{
    char byte;
    ssize_t n;
    do
        n = read(c->go_fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        _exit(127); /* rooftop ended, or could not trace us */
    if (c->filter) {
        /* Without rights a filter needs it. It takes from set-user-ID programs only what being
         * traced by a user takes from them anyway. */
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, c->filter) != 0 &&
            (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
             syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, c->filter) != 0))
            fail(c);
    }
    sigprocmask(SIG_SETMASK, &c->mask, NULL);
    execve(c->path, c->argv, c->envp);
    if (errno == ENOEXEC)
        execve("/bin/sh", c->script, c->envp);
    fail(c);
}

/*
 * Signals are as rooftop got them: handlers become defaults in execve, what is ignored stays so.
 * They are blocked meanwhile, so that no handler of ours runs in the child.
 */
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

static int cannot_run(struct error *err, const char *name, int code)
{
    char what[192];
    const char *help = code == ENOENT
                           ? "check its name and PATH; everything after -- is the command"
                       : code == EACCES ? "is it a program, and may you execute it (chmod +x)?"
                       : code == EPERM  ? "rooftop doctor says whether programs can be traced here"
                                        : NULL;
    print_line(what, sizeof what, "run '%.120s'", name);
    return error_set(err, ERROR_TARGET, code, help, what, "%s",
                     code == ENOENT ? "command not found" : strerror(code));
}

/* Takes the child, which waits for its byte, and lets it go. */
static int seize(struct tracees *t, pid_t pid, int go_fd)
{
    if (ptrace(PTRACE_SEIZE, pid, 0, tracees_options(t, true)) != 0)
        return -errno;
    struct tracee *task = tracee_add(t, pid, pid);
    task->prelude = task->interrupted = true;
    place_began(t, task, NULL);
    ptrace(PTRACE_INTERRUPT, pid, 0, 0);
    return write(go_fd, "", 1) == 1 ? 0 : -errno;
}

static void end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

int tracees_start(struct tracees *t, const struct tracees_command *command, struct error *err)
{
    int go[2] = {-1, -1}, report[2] = {-1, -1}, rc = 0;
    struct child c = {.argv = command->argv,
                      .envp = command->envp ? command->envp : environ,
                      .filter = command->filter,
                      .path = tracees_find_program(command->argv[0])};
    if (!c.path)
        return cannot_run(err, command->argv[0], errno);
    c.script = script_of(c.path, command->argv);
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0)
        rc = -errno;
    c.go_fd = go[0];
    c.report_fd = report[1];
    const pid_t pid = rc == 0 ? fork_child(&c, command->mask) : -1;
    if (rc == 0 && pid < 0)
        rc = -errno;
    t->filtered = command->filter;
    snprintf(t->name, sizeof t->name, "%s", command->argv[0]);
    if (rc == 0 && (rc = seize(t, pid, go[1])) != 0)
        end_child(pid);
    const int fds[] = {go[0], go[1], report[1]};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    t->report_fd = report[0];
    t->command = rc == 0 ? pid : 0;
    free(c.script);
    free(c.path);
    return rc == 0 ? 0 : cannot_run(err, command->argv[0], -rc);
}

int tracees_start_failed(struct tracees *t, struct error *err)
{
    int code = 0;
    if (t->report_fd < 0)
        return 0;
    fcntl(t->report_fd, F_SETFL, O_NONBLOCK); /* it may be open in a daemon that is let go */
    if (read(t->report_fd, &code, sizeof code) != sizeof code || code == 0)
        return 0;
    return cannot_run(err, t->name, code);
}

unsigned long tracees_options(const struct tracees *t, bool command)
{
    /* Child processes stop once even if they are not followed: they have our CPUs to give back. */
    return PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
           PTRACE_O_TRACEVFORK | (command ? PTRACE_O_EXITKILL : 0) |
           (t->filtered ? PTRACE_O_TRACESECCOMP : 0);
}
