#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/watch.h"

enum { SLICE_MS = 100, CHUNK = 1 << 16 };

const char *child_find(const char *name, char *out, size_t size)
{
    const char *path = env_get("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t len = strcspn(p, ":");
        /* An empty or relative entry of PATH would run a program from the current directory. */
        int n = *p == '/' ? snprintf(out, size, "%.*s/%s", (int)len, p, name) : -1;
        if (n > 0 && (size_t)n < size && access(out, X_OK) == 0)
            return out;
        p += len + (p[len] == ':');
    }
    return NULL;
}

static int program_at(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
        return 0;
    return access(path, F_OK) == 0 ? EACCES : ENOENT;
}

int child_look_up(const char *name, char *out, size_t size)
{
    int code = ENOENT;
    snprintf(out, size, "%s", name);
    if (strchr(name, '/'))
        return program_at(out);
    const char *at = env_get("PATH");
    for (at = at ? at : "/bin:/usr/bin"; at && *name; at = *at ? at + 1 : NULL) {
        const size_t n = strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", n ? (int)n : 1, n ? at : ".", name);
        const int found = program_at(out);
        if (found == 0)
            return 0;
        code = found == EACCES ? EACCES : code;
        at += n;
    }
    return code;
}

void child_put_quoted(FILE *f, const char *word)
{
    fputc('\'', f);
    for (const char *p = word; *p; p++)
        if (*p == '\'')
            fputs("'\\''", f);
        else
            fputc(*p, f); /* raw: for a shell, which must get the bytes unchanged */
    fputc('\'', f);
}

/* Copies our environment without what changes texts or reaches the network. The caller frees the
 * array. */
static char **copy_quiet_environment(void)
{
    static char locale[] = "LC_ALL=C";
    size_t n = 0, used = 0;
    while (environ && environ[n])
        n++;
    char **out = xcalloc(n + 2, sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && strncmp(environ[i], "DEBUGINFOD_", 11) != 0)
            out[used++] = environ[i];
    }
    out[used] = locale;
    return out;
}

/* --- starting --- */

struct child_ends {
    char *const *argv, *const *variables;
    int out, err, report;
    pid_t parent;
};

/* Runs between vfork and exec: only calls that are safe in a program with threads, and that write
 * to no memory but the stack, because all memory is still the caller's. */
static _Noreturn void become_child(const struct child_ends *c)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &dfl, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int null = open("/dev/null", O_RDONLY);
    if (getppid() == c->parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(c->out, STDOUT_FILENO) >= 0 && dup2(c->err, STDERR_FILENO) >= 0)
        execve(c->argv[0], c->argv, c->variables);
    const int code = errno;
    const ssize_t n = write(c->report, &code, sizeof code);
    (void)n;
    _exit(127);
}

/* Fork would copy the page tables, which takes 10 ms or more when the process has many GB.
 * posix_spawn does not, but cannot make the child end with its caller. No handler of the caller may
 * run in the child, so all signals are blocked until it has reset them. Returns as fork does. */
static pid_t start_without_copy(const struct child_ends *ends)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#ifdef __SANITIZE_ADDRESS__ /* whose vfork does not know a stack that is not the thread's */
    const pid_t child = fork();
#else
    const pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): see above */
#endif
    if (child == 0)
        become_child(ends); /* NOLINT(clang-analyzer-unix.Vfork): all that it calls is safe */
    const int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return child;
}

int child_start(char *const argv[], char *const variables[], int out, int err, pid_t *pid)
{
    int report[2], code = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return -errno;
    const struct child_ends ends = {argv, variables, out, err, report[1], getpid()};
    const pid_t child = start_without_copy(&ends);
    code = child < 0 ? errno : 0;
    close(report[1]);
    ssize_t n = -1;
    while (child > 0 && (n = read(report[0], &code, sizeof code)) < 0 && errno == EINTR)
        ;
    if (n == (ssize_t)sizeof code) /* it could not become the program, and has ended */
        waitpid(child, NULL, 0);
    close(report[0]);
    if (code == 0)
        *pid = child;
    return -code;
}

/* Starts it with its error messages dropped. */
static int start_quiet_child(char *const argv[], int out_fd, pid_t *pid)
{
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0)
        return -errno;
    char **variables = copy_quiet_environment();
    const int rc = child_start(argv, variables, out_fd, null, pid);
    free(variables);
    close(null);
    return rc;
}

/* --- its output --- */

/* Reads until end of file, the deadline, or too much output. */
static int read_child_output(int fd, uint64_t deadline, size_t max, char **text)
{
    size_t used = 0, room = CHUNK;
    *text = xcalloc(room, 1);
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (env_now_ns() >= deadline)
            return -ETIMEDOUT;
        if (watch_given_up())
            return -ECANCELED;
        if (poll(&ready, 1, SLICE_MS) <= 0)
            continue;
        if (room - used < CHUNK)
            *text = xrealloc(*text, room *= 2, 1);
        ssize_t n = read(fd, *text + used, room - used - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        used += (size_t)n;
        (*text)[used] = '\0';
        if (used > max)
            return -EFBIG;
    }
}

int child_run(char *const argv[], uint64_t timeout_ns, size_t max, char **text)
{
    int ends[2], status = 0;
    pid_t pid = 0;
    *text = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    int code = start_quiet_child(argv, ends[1], &pid);
    close(ends[1]);
    if (code != 0) {
        close(ends[0]);
        return code;
    }
    code = read_child_output(ends[0], env_now_ns() + timeout_ns, max, text);
    close(ends[0]);
    if (code != 0)
        kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (code != 0)
        return code;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int child_file(const void *bytes, size_t size, char path[64])
{
    int fd = memfd_create("code", MFD_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);
        if (n <= 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    snprintf(path, 64, "/proc/%ld/fd/%d", (long)getpid(), fd);
    return fd;
}
