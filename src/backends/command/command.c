/*
 * A command started by rooftop: held before exec until every source has opened, its output kept off
 * the screen, its end noticed. It gets SIGHUP when rooftop ends, even if rooftop is killed
 * (watcher.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "backends/command/command_impl.h"
#include "backends/command/folder.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/live/source.h"

enum { GRACE_MS = 100, DRAIN_MS = 50 };

struct command_source {
    pid_t pid; /* 0: no command is watched */
    char name[128];
    int go_fd,
        error_fd; /* a byte in go_fd starts the child; error_fd returns struct command_said */
    bool started, ended;
    int wait_status;
    uint64_t began_ns, ended_ns;
    struct rusage before; /* the child's usage before exec, which is not the command's */
    struct command_usage usage;
    struct watcher watcher;
    struct spool *spool; /* NULL: its output is not captured */
    struct brick_folder bricks;
    char tail[SPOOL_TAIL];
};

/* What the child reports before exec, and again if exec failed. */
struct command_said {
    int code; /* errno */
    struct rusage before;
};

/* --- the child --- */

/* Restores default signal handlers. HUP, INT and QUIT stay ignored if they were: nohup relies on
 * it. */
static void restore_default_signals(void)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL}, now;
    sigset_t none;
    for (int i = 1; i < NSIG; i++) {
        bool keep = i == SIGHUP || i == SIGINT || i == SIGQUIT;
        if (!keep || (sigaction(i, NULL, &now) == 0 && now.sa_handler != SIG_IGN))
            sigaction(i, &dfl, NULL); /* fails for some signals, which does not matter */
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_command_child(char **argv, char **env, const int go[2], int report,
                                        int out)
{
    char byte;
    /* otherwise our copy would keep the pipe open, and us waiting, after rooftop has ended */
    close(go[1]);
    /* Starts a session without a terminal: opening /dev/tty then fails at once. In our session it
     * would draw on the screen, or stop for ever at a question. */
    setsid();
    restore_default_signals();
    /* where Yama lets only ancestors trace: rooftop's tracer is its child, not the command's */
    prctl(PR_SET_PTRACER, (unsigned long)getppid(), 0, 0, 0);
    ssize_t n = write(report, "", 1);
    if (n != 1)
        _exit(127);
    if (out >= 0) {
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(null, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
    }
    do
        n = read(go[0], &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1)
        _exit(0); /* rooftop ended without starting the command */
    struct command_said said = {.code = 0};
    getrusage(RUSAGE_SELF, &said.before);
    if (write(report, &said, sizeof said) != (ssize_t)sizeof said)
        _exit(127); /* rooftop has ended */
    execvpe(argv[0], argv, env);
    said.code = errno;
    n = write(report, &said, sizeof said);
    (void)n;
    _exit(127);
}

/* Opens a pseudo-terminal, so that programs flush every line; else a pipe. */
static int output_channel(int *ours, int *theirs)
{
    int p[2];
    if (openpty(ours, theirs, NULL, NULL, NULL) == 0) {
        struct termios t;
        if (tcgetattr(*theirs, &t) == 0) {
            cfmakeraw(&t); /* bytes arrive unchanged: no CR before LF */
            tcsetattr(*theirs, TCSANOW, &t);
        }
        fcntl(*ours, F_SETFD, FD_CLOEXEC);
        fcntl(*theirs, F_SETFD, FD_CLOEXEC);
        return 0;
    }
    if (pipe2(p, O_CLOEXEC) != 0)
        return -errno;
    *ours = p[0];
    *theirs = p[1];
    return 0;
}

/* Forks with signals blocked until the child has restored the default handlers. */
static pid_t fork_quietly(char **argv, char **env, const int go[2], int report, int out)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        run_command_child(argv, env, go, report, out);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return pid;
}

static int cannot_run_command(struct error *err, const struct command_source *s, int code)
{
    char what[192];
    const char *help = NULL;
    snprintf(what, sizeof what, "run '%.120s'", s->name);
    if (code == ENOENT)
        help = "check its name and PATH; everything after -- is the command";
    else if (code == EACCES)
        help = "is it a program, and may you execute it (chmod +x)?";
    else if (code == ENOEXEC)
        help = "it is not a program for this machine; a script needs a #! line";
    return error_set(err, ERROR_TARGET, code, help, what, "%s",
                     code == ENOENT ? "command not found" : strerror(code));
}

static int start_command_child(struct command_source *s, const struct target *t, struct error *err)
{
    int go[2] = {-1, -1}, report[2] = {-1, -1}, ours = -1, theirs = -1;
    char *counters = NULL;
    if (t->brick_counters) {
        const int refused = brick_counters_resolve(t->brick_counters, &counters, err);
        if (refused)
            return refused;
    }
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0 ||
        (t->spool_output && output_channel(&ours, &theirs) != 0)) {
        int code = errno, fds[4] = {go[0], go[1], report[0], report[1]};
        for (int i = 0; i < 4; i++)
            if (fds[i] >= 0)
                close(fds[i]);
        free(counters);
        return cannot_run_command(err, s, code);
    }
    brick_folder_make(&s->bricks);
    char **env =
        /* before the fork, because setenv allocates */
        brick_folder_environment(s->bricks.path, t->ranges, counters);
    free(counters);
    s->pid = fork_quietly(t->argv, env, go, report[1], theirs);
    int code = errno;
    free(env);
    close(go[0]);
    close(report[1]);
    if (theirs >= 0)
        close(theirs);
    s->go_fd = go[1];
    s->error_fd = report[0];
    if (s->pid < 0) {
        s->pid = 0;
        if (ours >= 0)
            close(ours);
        return cannot_run_command(err, s, code);
    }
    char ready;
    while (read(report[0], &ready, 1) < 0 && errno == EINTR)
        ; /* from now on signals for its group reach it; start notices an end without a byte */
    int rc = watcher_start(&s->watcher, s->pid);
    if (ours >= 0)
        s->spool = spool_new(ours, SPOOL_LIMIT, err);
    if (rc != 0)
        return cannot_run_command(err, s, -rc);
    return ours >= 0 && !s->spool ? -ENOMEM : 0;
}

/* --- its end --- */

static double seconds_between(struct timeval from, struct timeval to)
{
    double d = (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_usec - from.tv_usec);
    return d > 0 ? d : 0;
}

static uint64_t count_growth(long before, long now)
{
    return now > before ? (uint64_t)(now - before) : 0;
}

static struct command_usage usage_of(const struct rusage *before, const struct rusage *u)
{
    return (struct command_usage){
        .known = true,
        .user_s = seconds_between(before->ru_utime, u->ru_utime),
        .system_s = seconds_between(before->ru_stime, u->ru_stime),
        .max_rss = (uint64_t)u->ru_maxrss * 1024,
        .max_rss_before = (uint64_t)before->ru_maxrss * 1024,
        .voluntary = count_growth(before->ru_nvcsw, u->ru_nvcsw),
        .forced = count_growth(before->ru_nivcsw, u->ru_nivcsw),
        .minor_faults = count_growth(before->ru_minflt, u->ru_minflt),
        .major_faults = count_growth(before->ru_majflt, u->ru_majflt),
    };
}

static bool reap_command(struct command_source *s)
{
    struct rusage used;
    int status;
    pid_t got;
    if (s->ended || s->pid == 0)
        return s->ended;
    do
        got = wait4(s->pid, &status, WNOHANG, &used);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return false;
    s->wait_status = got == s->pid ? status : 0;
    if (got == s->pid)
        s->usage = usage_of(&s->before, &used);
    s->ended = true;
    s->ended_ns = env_now_ns();
    watcher_end(&s->watcher);
    return true;
}

static void *reap_thread(void *arg)
{
    pid_t pid = *(pid_t *)arg;
    free(arg);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return NULL;
}

/* Reaps a command that ignores SIGHUP when it ends later, so that it does not stay a zombie. */
static void reap_command_later(pid_t pid)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pid_t *arg = xcalloc(1, sizeof *arg);
    *arg = pid;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, reap_thread, arg) == 0)
        pthread_detach(thread);
    else
        free(arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Sends a command SIGHUP, as a shell would; never kills it. */
static void hang_up_command(struct command_source *s)
{
    if (s->pid == 0 || reap_command(s))
        return;
    kill(-s->pid, SIGHUP);
    kill(-s->pid, SIGCONT);
    for (int i = 0; i < GRACE_MS && !reap_command(s); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (!s->ended)
        reap_command_later(s->pid);
}

static void close_command_source(struct source *self)
{
    struct command_source *s = (struct command_source *)self;
    if (s->go_fd >= 0)
        close(s->go_fd); /* a child that was never started then ends by itself */
    if (s->started)
        hang_up_command(s);
    else if (s->pid > 0)
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    watcher_end(&s->watcher);
    if (s->error_fd >= 0)
        close(s->error_fd);
    spool_free(s->spool);
    brick_folder_remove(&s->bricks);
    free(s);
}

/* --- the source --- */

static int command_open(struct source **out, struct source_config *config, struct error *err)
{
    struct command_source *s = xcalloc(1, sizeof *s);
    s->go_fd = s->error_fd = -1;
    if (config->target->kind == TARGET_COMMAND) {
        snprintf(s->name, sizeof s->name, "%s", config->target->argv[0]);
        int rc = start_command_child(s, config->target, err);
        if (rc != 0) {
            close_command_source((struct source *)s);
            return rc;
        }
        config->command_pid = s->pid;
        config->brick_folder = s->bricks.path[0] ? s->bricks.path : NULL;
    }
    *out = (struct source *)s;
    return 0;
}

static int command_start(struct source *self, struct error *err)
{
    struct command_source *s = (struct command_source *)self;
    struct command_said said;
    if (s->pid == 0)
        return 0;
    s->began_ns = env_now_ns();
    ssize_t n = write(s->go_fd, "", 1);
    if (n != 1)
        return cannot_run_command(err, s, errno);
    close(s->go_fd);
    s->go_fd = -1;
    do { /* after a successful exec only the first one arrives */
        n = read(s->error_fd, &said, sizeof said);
        if (n == sizeof said && said.code)
            return cannot_run_command(err, s, said.code);
        if (n == sizeof said)
            s->before = said.before;
    } while (n > 0 || (n < 0 && errno == EINTR));
    s->started = true;
    return 0;
}

static void command_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct command_source *s = (struct command_source *)self;
    struct command_state *c = &out->command;
    if (s->pid == 0)
        return;
    bool was_running = !s->ended, ended = reap_command(s);
    if (was_running && ended && s->spool)
        spool_drain(s->spool,
                    DRAIN_MS); /* with a limit, as a descendant may hold the terminal open */
    uint64_t until = ended ? s->ended_ns : now_ns;
    c->pid = s->pid;
    c->running = !ended;
    c->wait_status = s->wait_status;
    c->usage = s->usage;
    c->elapsed_s = s->started && until > s->began_ns ? (double)(until - s->began_ns) / 1e9 : 0;
    out->target_gone = ended;
    if (!s->spool)
        return;
    c->output_len = spool_tail(s->spool, s->tail, &c->output_total, &c->output_dropped);
    char *copy = snapshot_alloc(out, c->output_len + 1);
    memcpy(copy, s->tail, c->output_len);
    c->output = copy;
}

static int command_save(struct source *self, const char *path, struct error *err)
{
    struct command_source *s = (struct command_source *)self;
    if (!s->spool)
        return error_set(err, ERROR_TARGET, ENOENT, NULL, "save the output",
                         "the command writes to your terminal itself");
    return spool_save(s->spool, path, err);
}

static void command_probe(probe_sink sink, void *ctx)
{
    int ours, theirs;
    bool pty = openpty(&ours, &theirs, NULL, NULL, NULL) == 0;
    if (pty) {
        close(ours);
        close(theirs);
    }
    sink(ctx, &(struct probe_finding){
                  .id = "command.pty",
                  .label = "output of commands",
                  .state = pty ? PROBE_YES : PROBE_PARTIAL,
                  .why = pty ? "through a pseudo-terminal, line by line"
                             : "no pseudo-terminal: through a pipe, in blocks",
                  .enable = pty ? NULL : "sudo mount -t devpts devpts /dev/pts",
              });
}

const struct source_ops source_command = {
    .name = "command",
    .summary = "starts a command, keeps its output, tells when it ends",
    .probe = command_probe,
    .open = command_open,
    .start = command_start,
    .poll = command_poll,
    .close = close_command_source,
    .save_output = command_save,
};
