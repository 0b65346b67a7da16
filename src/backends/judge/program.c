/* A program with all that it starts: this process holds the clock and the limits. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/judge/judge_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/family.h"
#include "base/watch.h"
#include "engine/judge/program.h"

extern char **environ;

enum { LAYOUT_BYTES = 4096, LOOK_MS = 100, SAID = 120 };

struct run {
    pid_t pid; /* of the one that adopts */
    int fd;    /* what they write */
    int clock; /* a counter of the time on CPUs of all of them; -1: the kernel refuses it */
    uint64_t written;
    char said[SAID + 1]; /* the last of it */
    int status;
    uint64_t cpu_ns; /* of all processes that were waited for, the one that adopts included */
};

/* The environment with one more variable of random size (as in `rooftop compare bench`): it moves
 * the stack. The caller frees it. */
static char **make_program_environment(void)
{
    static char layout[LAYOUT_BYTES + 32];
    size_t n = 0;
    uint16_t size;
    env_random(&size, sizeof size);
    size %= LAYOUT_BYTES;
    memcpy(layout, "ROOFTOP_LAYOUT=", 15);
    memset(layout + 15, 'x', size);
    layout[15 + size] = '\0';
    while (environ[n])
        n++;
    char **env = xcalloc(n + 2, sizeof *env);
    memcpy(env, environ, n * sizeof *env);
    env[n] = layout;
    return env;
}

struct start {
    char *command, **env;
    int out;
    const struct program_limits *limits;
};

/* After fork: only calls that are safe there. */
static void become_program(const void *ctx)
{
    const struct start *s = ctx;
    char *argv[] = {(char *)"sh", (char *)"-c", s->command, NULL};
    const struct rlimit memory = {s->limits->memory, s->limits->memory}, core = {0, 0};
    const int null = open("/dev/null", O_RDONLY);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(s->out, 1) >= 0 && dup2(s->out, 2) >= 0)
        execve("/bin/sh", argv, s->env);
}

static void keep_last(struct run *r, const char *bytes, size_t n)
{
    const size_t kept = strlen(r->said), take = n < SAID ? n : SAID;
    const size_t stay = kept + take > SAID ? SAID - take : kept;
    memmove(r->said, r->said + kept - stay, stay);
    memcpy(r->said + stay, bytes + n - take, take);
    r->said[stay + take] = '\0';
    for (char *p = r->said; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p >= 127)
            *p = ' ';
}

/* Takes what they write. Returns false at its end. */
static bool hear_program(struct run *r)
{
    char bytes[1 << 16];
    const ssize_t n = read(r->fd, bytes, sizeof bytes);
    if (n > 0) {
        r->written += (uint64_t)n;
        for (ssize_t i = 0; i < n; i++)
            bytes[i] = bytes[i] ? bytes[i] : ' ';
        keep_last(r, bytes, (size_t)n);
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

static uint64_t ns_of(const struct timeval *t)
{
    return (uint64_t)t->tv_sec * UINT64_C(1000000000) + (uint64_t)t->tv_usec * 1000;
}

/*
 * What wait4 tells is the time of processes that were waited for: one whose parent ignores SIGCHLD
 * is not in it. This counter is inherited by all that this thread starts, and begins where the
 * program is executed.
 */
static int open_clock(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_SW_TASK_CLOCK,
                                .disabled = 1,
                                .inherit = 1,
                                .enable_on_exec = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The larger one of both: each may only lack something. */
static uint64_t cpu_ns(const struct run *r)
{
    uint64_t ns;
    return r->clock >= 0 && read(r->clock, &ns, sizeof ns) == sizeof ns && ns > r->cpu_ns
               ? ns
               : r->cpu_ns;
}

static bool has_program_ended(struct run *r)
{
    struct rusage used;
    if (wait4(r->pid, &r->status, WNOHANG, &used) != r->pid)
        return false;
    r->cpu_ns = ns_of(&used.ru_utime) + ns_of(&used.ru_stime);
    return true;
}

/* Waits for the end. Returns 0, 1 with *refused, or -errno with err; then all were ended. */
static int watch_program(struct run *r, const struct program_limits *l, uint64_t began,
                         struct judge_refusal *refused, struct error *err)
{
    const uint64_t end = began + (uint64_t)(l->seconds * 1e9);
    bool open = true;
    for (;;) {
        struct pollfd p = {.fd = open ? r->fd : -1, .events = POLLIN};
        /* a program that has closed its output is looked at each 0.1 ms */
        const struct timespec wait = {.tv_nsec = open ? LOOK_MS * 1000000 : 100000};
        const int got = ppoll(&p, 1, &wait, NULL);
        if (got > 0 && !hear_program(r))
            open = false;
        if (!open && has_program_ended(r))
            return 0;
        const int given_up = watch_check("the programs", err);
        if (given_up != 0)
            return given_up;
        if (r->written > l->output)
            return judge_refuse(refused, GUARD_LIMITS, "it writes more than %llu MiB",
                                (unsigned long long)(l->output >> 20));
        if (env_now_ns() > end)
            return judge_refuse(refused, GUARD_TIME, "it has not ended after %g s", l->seconds);
    }
}

static int refuse_status(const struct run *r, struct judge_refusal *refused)
{
    const int status = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : 128 + WTERMSIG(r->status);
    if (status > 128)
        return judge_refuse(refused, GUARD_CRASH, "it ends by signal %d", status - 128);
    if (status == 126 || status == 127)
        return judge_refuse(refused, GUARD_BUILD, "it cannot be run: %s", r->said);
    return judge_refuse(refused, GUARD_OUTPUT, "its check fails with status %d%s%s", status,
                        *r->said ? ": " : "", r->said);
}

static int start_judged_program(struct run *r, char *command, const struct program_limits *l,
                                struct error *err)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "a program", "%s", strerror(errno));
    char **env = make_program_environment();
    const struct start s = {.command = command, .env = env, .out = pipes[1], .limits = l};
    r->pid = family_start(become_program, &s, FAMILY_LAST);
    const int code = errno;
    free(env);
    close(pipes[1]);
    r->fd = pipes[0];
    if (r->pid > 0)
        return 0;
    close(r->fd);
    return error_set(err, ERROR_INTERNAL, code, NULL, "a program", "it cannot be started: %s",
                     strerror(code));
}

int run_judged_program(const char *command, const struct program_limits *limits,
                       struct program_took *took, struct judge_refusal *refused, struct error *err)
{
    struct run r = {.fd = -1, .clock = open_clock()};
    char *text = xstrdup(command);
    const uint64_t began = env_now_ns();
    int rc = start_judged_program(&r, text, limits, err);
    if (rc == 0) {
        rc = watch_program(&r, limits, began, refused, err);
        *took = (struct program_took){.elapsed_ns = env_now_ns() - began, .cpu_ns = cpu_ns(&r)};
        if (rc != 0)
            family_end(r.pid, &r.status);
        close(r.fd);
    }
    if (r.clock >= 0)
        close(r.clock);
    free(text);
    if (rc != 0)
        return rc;
    return WIFEXITED(r.status) && WEXITSTATUS(r.status) == 0 ? 0 : refuse_status(&r, refused);
}
