#include "base/self.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/child.h"
#include "base/env.h"
#include "base/thread.h"

const char *self_program(void)
{
    const char *other = env_get("ROOFTOP_SELF");
    return other ? other : "/proc/self/exe";
}

/* Opens a pipe or, if the caller does not read, only /dev/null for writing. */
static int open_output_end(int *reader, int end[2])
{
    if (!reader) {
        end[0] = -1;
        end[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
        return end[1] < 0 ? -errno : 0;
    }
    return pipe2(end, O_CLOEXEC) ? -errno : 0;
}

static void close_pipe_ends(const int *fd, int n)
{
    for (int i = 0; i < n; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

int self_start(char **argv, pid_t *pid, int *out_fd, int *err_fd, struct error *err)
{
    int fd[4] = {-1, -1, -1, -1}, *out = fd, *errors = fd + 2;
    argv[0] = (char *)self_program(); /* argv is only read */
    int rc = open_output_end(out_fd, out);
    if (rc == 0)
        rc = open_output_end(err_fd, errors);
    if (rc == 0)
        rc = child_start(argv, environ, out[1], errors[1], pid);
    close_pipe_ends((int[]){out[1], errors[1]}, 2);
    if (rc != 0) {
        close_pipe_ends((int[]){out[0], errors[0]}, 2);
        return error_set(err, ERROR_INTERNAL, -rc, NULL, "start rooftop again", "%s: %s", argv[0],
                         strerror(-rc));
    }
    if (out_fd)
        *out_fd = out[0];
    if (err_fd)
        *err_fd = errors[0];
    return 0;
}

static void *reap_self_thread(void *arg)
{
    pid_t *pid = arg;
    while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
        ;
    free(pid);
    return NULL;
}

static void reap_self_later(pid_t child)
{
    pid_t *pid = xcalloc(1, sizeof *pid);
    *pid = child;
    if (thread_start(NULL, reap_self_thread, pid) != 0)
        free(pid);
}

int self_end(pid_t pid, int wait_ms)
{
    int status = -1;
    kill(-pid, SIGKILL); /* before it is reaped: until then the group keeps its number */
    for (int ms = 0; ms <= wait_ms; ms++) {
        if (ms)
            usleep(1000);
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return status;
        if (got < 0 && errno != EINTR)
            return -1;
    }
    reap_self_later(pid);
    return -1;
}
