#include "cli/run/build_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/env.h"
#include "base/family.h"

enum { LOOK_MS = 200, END_MS = 5 };

/* The command after the replacement; the caller frees it. */
static char *replay_build_command(const char *command, const char *source, const char *out)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        return NULL;
    for (const char *p = command; *p;) {
        if (strncmp(p, "{out}", 5) == 0) {
            child_put_quoted(f, out);
            p += 5;
        } else if (strncmp(p, "{source}", 8) == 0) {
            child_put_quoted(f, source);
            p += 8;
        } else {
            fputc(*p++, f); /* raw: for a shell, which must get the bytes unchanged */
        }
    }
    fclose(f);
    return text;
}

struct start {
    char *command;
    int out;
};

/* Calls only functions that are safe after fork. */
static void become_shell(const void *ctx)
{
    const struct start *s = ctx;
    char *argv[] = {"sh", "-c", s->command, NULL};
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(s->out, 1) >= 0 && dup2(s->out, 2) >= 0)
        execv("/bin/sh", argv);
}

static void keep_output(struct build_command *b, size_t *n, const char *bytes, size_t got)
{
    const size_t room = BUILD_OUTPUT - *n, take = got < room ? got : room;
    memcpy(b->output + *n, bytes, take);
    *n += take;
    b->output[*n] = '\0';
}

/* Reads the build's output until it ends, the time is over, or the user interrupts. A build that
 * closed its output runs on: its end is waited for. Returns false if it has to be ended. */
static bool hear_build(struct build_command *b, pid_t pid, int fd, double limit_s,
                       const volatile sig_atomic_t *stopped)
{
    char buffer[4096];
    size_t n = 0;
    bool open = true;
    const uint64_t begin = env_now_ns();
    for (;;) {
        struct pollfd p = {open ? fd : -1, POLLIN, 0};
        siginfo_t info = {.si_pid = 0};
        if (!open && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == pid)
            return true;
        if ((double)(env_now_ns() - begin) / 1e9 > limit_s || *stopped)
            return false;
        if (poll(&p, 1, open ? LOOK_MS : END_MS) <= 0)
            continue;
        const ssize_t got = read(fd, buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EINTR))
            open = false;
        if (got > 0)
            keep_output(b, &n, buffer, (size_t)got);
    }
}

static void whole_lines(char *text)
{
    const size_t n = strlen(text);
    char *last = strrchr(text, '\n');
    if (n == BUILD_OUTPUT && last)
        last[1] = '\0';
    else if (n && text[n - 1] != '\n' && n < BUILD_OUTPUT)
        memcpy(text + n, "\n", 2);
}

void build_command_run(struct build_command *b, const char *command, const char *source,
                       const char *out, double limit_s, const volatile sig_atomic_t *stopped)
{
    int fd[2], status = 0;
    const uint64_t begin = env_now_ns();
    char *line = replay_build_command(command, source, out);
    *b = (struct build_command){.status = "it could not be started"};
    if (!line || pipe2(fd, O_CLOEXEC) != 0) {
        free(line);
        return;
    }
    const struct start s = {line, fd[1]};
    const pid_t pid = family_start(become_shell, &s, FAMILY_FIRST);
    close(fd[1]);
    if (pid > 0) {
        const bool ended = hear_build(b, pid, fd[0], limit_s, stopped);
        family_end(pid, &status);
        if (!ended)
            snprintf(b->status, sizeof b->status, "ended after %g s", limit_s);
        else if (WIFEXITED(status))
            snprintf(b->status, sizeof b->status, "exit %d", WEXITSTATUS(status));
        else
            snprintf(b->status, sizeof b->status, "signal %d", WTERMSIG(status));
        b->ok = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    close(fd[0]);
    free(line);
    whole_lines(b->output);
    b->seconds = (double)(env_now_ns() - begin) / 1e9;
}

bool build_command_copy(const char *from, const char *to)
{
    char buffer[65536];
    size_t n, all = 0;
    FILE *in = fopen(from, "rbe"), *out = in ? fopen(to, "wbe") : NULL;
    bool ok = out != NULL;
    while (ok && (n = fread(buffer, 1, sizeof buffer, in)) > 0) {
        all += n;
        ok = fwrite(buffer, 1, n, out) == n; /* raw: a copy of a file */
    }
    if (in)
        fclose(in);
    if (out)
        ok = fclose(out) == 0 && ok;
    return ok && all > 0;
}
