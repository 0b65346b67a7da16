#include "engine/live/engine.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/thread.h"
#include "engine/live/metric.h"
#include "engine/live/snapshot_only.h"
#include "engine/live/source.h"
#include "engine/live/target_sums.h"

enum { QUEUE_LEN = 64, SOURCES_MAX = 16 };

struct engine {
    const struct source_ops *const *ops;
    const struct user_tables *user;
    const char *roofs;
    struct brick_stream *bricks;

    /* touched by the sampling thread only (or by engine_step's caller) */
    struct source *source[SOURCES_MAX];
    struct host *host;
    struct metric_set *metrics;
    struct target_sums *sums;
    bool only_target;
    struct target target;
    bool opened, polled, started;
    uint64_t seq, last_ns, last_cpu_ns, late;
    int pidfd; /* pidfd of the command; -1 = none, or the command was reaped */

    /* held while sources are opened or closed and while output is saved */
    pthread_mutex_t source_lock;

    pthread_mutex_t lock; /* protects everything below */
    double interval_s;
    struct sampling sampling;
    struct thread_wish threads;
    bool stop, retarget;
    struct target next;
    const struct snapshot *queue[QUEUE_LEN];
    unsigned head, count;
    bool failed;
    struct error failure;
    pid_t command_pid;
    void (*before_command)(void *ctx, pid_t pid);
    void *before_ctx;
    struct call_feed *calls;
    bool command_done;
    int command_status;
    int told_to_end; /* the signal that the command was sent; 0: none */

    pthread_t thread;
    bool threaded;
    int out_fd;     /* signalled when the queue has a snapshot or a failure */
    int control_fd; /* wakes the sampling thread */
};

struct engine *engine_new(const struct engine_config *config)
{
    struct engine *e = xcalloc(1, sizeof *e);
    e->ops = config->sources ? config->sources : backends;
    e->user = config->user;
    e->roofs = config->roofs;
    e->bricks = config->bricks;
    e->before_command = config->before_command;
    e->before_ctx = config->before_ctx;
    e->calls = config->calls;
    e->interval_s = config->interval_s;
    e->sampling = config->sampling;
    e->threads = config->threads;
    e->only_target = config->only_target;
    target_copy(&e->target, &config->target);
    pthread_mutex_init(&e->lock, NULL);
    pthread_mutex_init(&e->source_lock, NULL);
    e->out_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    e->control_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    e->pidfd = -1;
    return e;
}

/* Makes an eventfd readable. Its counter cannot overflow here, and a failing write would mean that
 * it is readable already. */
static void signal_fd(int fd)
{
    uint64_t one = 1;
    ssize_t ignored = write(fd, &one, sizeof one);
    (void)ignored;
}

static void drain_fd(int fd)
{
    uint64_t n;
    ssize_t ignored = read(fd, &n, sizeof n);
    (void)ignored;
}

/* --- opening and closing the sources --- */

static void close_sources(struct engine *e)
{
    pthread_mutex_lock(&e->source_lock);
    for (int i = SOURCES_MAX - 1; i >= 0; i--) {
        if (e->source[i])
            e->ops[i]->close(e->source[i]);
        e->source[i] = NULL;
    }
    metric_free(e->metrics);
    e->metrics = NULL;
    target_sums_free(e->sums);
    e->sums = NULL;
    host_unref(e->host);
    e->host = NULL;
    if (e->pidfd >= 0)
        close(e->pidfd);
    e->pidfd = -1;
    e->opened = e->polled = e->started = false;
    pthread_mutex_unlock(&e->source_lock);
}

static int open_sources(struct engine *e, struct error *err)
{
    pthread_mutex_lock(&e->source_lock);
    e->host = host_new();
    e->sums = target_sums_new();
    struct source_config config = {.target = &e->target,
                                   .user = e->user,
                                   .host = e->host,
                                   .roofs = e->roofs,
                                   .bricks = e->bricks,
                                   .calls = e->calls};
    int rc = 0;
    for (int i = 0; i < SOURCES_MAX && e->ops[i] && rc == 0; i++)
        rc = e->ops[i]->open(&e->source[i], &config, err);
    if (rc == 0)
        rc = metric_compile(&e->metrics, e->host->pmu_arch[0] ? e->host->pmu_arch : "none", e->user,
                            err);
    e->opened = rc == 0;
    pthread_mutex_unlock(&e->source_lock);
    if (rc != 0) {
        close_sources(e);
        return rc;
    }
    if (config.command_pid > 0)
        e->pidfd = (int)syscall(SYS_pidfd_open, config.command_pid, 0);
    pthread_mutex_lock(&e->lock);
    e->command_pid = config.command_pid;
    e->command_done = false;
    pthread_mutex_unlock(&e->lock);
    return 0;
}

static int start_sources(struct engine *e, struct error *err)
{
    e->started = true;
    if (e->before_command && e->command_pid > 0)
        e->before_command(e->before_ctx, e->command_pid);
    for (int i = 0; i < SOURCES_MAX && e->ops[i]; i++) {
        if (!e->ops[i]->start)
            continue;
        int rc = e->ops[i]->start(e->source[i], err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* --- one sample --- */

static const char *describe_target(const struct engine *e, struct snapshot *s)
{
    const struct target *t = &e->target;
    char buf[256];
    size_t n = 0;
    switch (t->kind) {
    case TARGET_COMMAND:
        for (char **a = t->argv; a && *a && n < sizeof buf; a++)
            n += (size_t)snprintf(buf + n, sizeof buf - n, "%s%s", a == t->argv ? "" : " ", *a);
        return snapshot_strdup(s, buf);
    case TARGET_PIDS:
        n = (size_t)snprintf(buf, sizeof buf, "pid");
        for (size_t i = 0; i < t->npids && n < sizeof buf; i++)
            n += (size_t)snprintf(buf + n, sizeof buf - n, "%s%d", i ? ", " : " ", t->pids[i]);
        return snapshot_strdup(s, buf);
    case TARGET_CGROUP:
        return snapshot_printf(s, "cgroup %s", t->cgroup);
    case TARGET_HOST:
        break;
    }
    return t->cpus ? "this host, some CPUs" : "this host";
}

/* rooftop's resident bytes: the second field of /proc/self/statm. */
static uint64_t own_rss(void)
{
    char buf[128];
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f)
        return 0;
    unsigned long long pages = 0;
    if (fgets(buf, sizeof buf, f)) {
        char *end;
        strtoull(buf, &end, 10);
        pages = strtoull(end, NULL, 10);
    }
    fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void remember_command(struct engine *e, const struct snapshot *s)
{
    if (s->command.pid <= 0)
        return;
    pthread_mutex_lock(&e->lock);
    e->command_done = !s->command.running;
    e->command_status = s->command.wait_status;
    pthread_mutex_unlock(&e->lock);
    if (!s->command.running && e->pidfd >= 0) {
        close(e->pidfd); /* the pidfd of a command that has ended stays readable: poll would return
                            at once for ever */
        e->pidfd = -1;
    }
}

/* Notes that a run was stopped, because its numbers are not those of a complete run. */
static void note_stopped(struct engine *e, struct snapshot *s)
{
    pthread_mutex_lock(&e->lock);
    int signo = e->told_to_end;
    pthread_mutex_unlock(&e->lock);
    if (signo)
        snapshot_add_notice(s, NOTICE_INFO, NOTICE_STOPPED,
                            snapshot_printf(s, "the command was sent signal %d by rooftop", signo),
                            NULL);
}

static struct snapshot *make_live_snapshot(struct engine *e)
{
    uint64_t now = env_now_ns();
    struct snapshot *s = snapshot_new(e->host);
    s->seq = ++e->seq;
    s->time_ns = now;
    s->wall_ns = env_wall_ns();
    s->interval_s = e->polled ? (double)(now - e->last_ns) / 1e9 : 0;
    s->target_kind = e->target.kind;
    s->target = describe_target(e, s);
    s->late_samples = e->late;
    pthread_mutex_lock(&e->lock);
    s->sampling = e->sampling;
    s->thread_wish = e->threads;
    s->asked_interval_s = e->interval_s;
    pthread_mutex_unlock(&e->lock);
    for (int i = 0; i < SOURCES_MAX && e->ops[i]; i++) {
        uint64_t before = env_now_ns();
        e->ops[i]->poll(e->source[i], s, now);
        snapshot_add_cost(s, e->ops[i]->name, env_now_ns() - before);
    }
    target_sums_add(e->sums, s);
    metric_evaluate(e->metrics, s);
    uint64_t cpu = env_cpu_ns();
    s->own_cpu_ns = e->polled ? cpu - e->last_cpu_ns : 0;
    s->own_rss = own_rss();
    e->last_cpu_ns = cpu;
    e->last_ns = now;
    e->polled = true;
    note_stopped(e, s);
    remember_command(e, s);
    if (e->only_target)
        snapshot_only_target(s);
    return s;
}

const struct snapshot *engine_step(struct engine *e, struct error *err)
{
    if (!e->opened && open_sources(e, err) != 0)
        return NULL;
    struct snapshot *s = make_live_snapshot(e);
    if (!e->started && start_sources(e, err) != 0) {
        snapshot_unref(s);
        close_sources(e);
        return NULL;
    }
    return s;
}

void engine_follow(struct engine *e)
{
    for (int i = 0; e->started && i < SOURCES_MAX && e->ops[i]; i++)
        if (e->ops[i]->follow)
            e->ops[i]->follow(e->source[i]);
}

/* --- the sampling thread --- */

static void queue_snapshot(struct engine *e, const struct snapshot *s)
{
    pthread_mutex_lock(&e->lock);
    if (e->count == QUEUE_LEN) { /* nobody takes snapshots: drop the oldest */
        snapshot_unref(e->queue[e->head]);
        e->head = (e->head + 1) % QUEUE_LEN;
        e->count--;
    }
    e->queue[(e->head + e->count++) % QUEUE_LEN] = s;
    pthread_mutex_unlock(&e->lock);
    signal_fd(e->out_fd);
}

static void fail_engine(struct engine *e, const struct error *err)
{
    pthread_mutex_lock(&e->lock);
    e->failed = true;
    e->failure = *err;
    pthread_mutex_unlock(&e->lock);
    signal_fd(e->out_fd);
}

/* Sleeps until the deadline, a request from another thread, or the end of the command. Returns
 * whether the deadline has come. */
static bool wait_until_deadline(struct engine *e, uint64_t deadline)
{
    struct pollfd fds[2] = {{.fd = e->control_fd, .events = POLLIN},
                            {.fd = e->pidfd, .events = POLLIN}};
    uint64_t now = env_now_ns();
    struct timespec t = {0};
    if (deadline > now) {
        t.tv_sec = (time_t)((deadline - now) / 1000000000u);
        t.tv_nsec = (long)((deadline - now) % 1000000000u);
    }
    const int n = ppoll(fds, 2, deadline == UINT64_MAX ? NULL : &t, NULL);
    if (fds[0].revents)
        drain_fd(e->control_fd);
    return n == 0;
}

/* As wait_until_deadline(), and hands over requested spans as they end. */
static void wait_following(struct engine *e, uint64_t deadline)
{
    uint64_t next = env_now_ns() + ENGINE_FOLLOW_NS;
    for (; e->bricks && next < deadline; next = env_now_ns() + ENGINE_FOLLOW_NS) {
        if (!wait_until_deadline(e, next))
            return;
        engine_follow(e);
    }
    wait_until_deadline(e, deadline);
}

/* Changes the target to *next. If that fails, watches the previous target again, so that the
 * screen continues. */
static void apply_retarget(struct engine *e, struct target *next)
{
    struct target before = e->target;
    struct error err = ERROR_INIT;
    close_sources(e);
    e->target = *next;
    if (open_sources(e, &err) == 0) {
        target_free(&before);
        return;
    }
    fail_engine(e, &err);
    target_free(&e->target);
    e->target = before;
    /* closing the sources ended the command; it must not be started twice */
    if (before.kind == TARGET_COMMAND) {
        target_free(&e->target);
        e->target = (struct target){.kind = TARGET_HOST};
    }
    if (open_sources(e, &err) != 0)
        fail_engine(e, &err);
}

/* Takes over what other threads have requested. Returns false when the thread is to end. */
static bool take_orders(struct engine *e, double *interval_s)
{
    struct target next = {0};
    bool retarget;
    pthread_mutex_lock(&e->lock);
    bool stop = e->stop;
    retarget = e->retarget;
    if (retarget)
        next = e->next;
    e->next = (struct target){0};
    e->retarget = false;
    *interval_s = e->interval_s;
    pthread_mutex_unlock(&e->lock);
    if (stop)
        target_free(&next);
    else if (retarget)
        apply_retarget(e, &next);
    return !stop;
}

static void take_and_queue_snapshot(struct engine *e)
{
    struct error err = ERROR_INIT;
    const struct snapshot *s = engine_step(e, &err);
    if (s)
        queue_snapshot(e, s);
    else
        fail_engine(e, &err);
}

static void *sampling_thread(void *arg)
{
    struct engine *e = arg;
    struct error err = ERROR_INIT;
    double interval_s;
    if (open_sources(e, &err) != 0)
        fail_engine(e, &err);
    while (take_orders(e, &interval_s)) {
        if (!e->opened) {
            wait_until_deadline(e, UINT64_MAX);
            continue;
        }
        uint64_t began = env_now_ns(), step = (uint64_t)(interval_s * 1e9);
        bool first = !e->polled;
        if (!first && began > e->last_ns + step + step / 4)
            e->late++;
        take_and_queue_snapshot(e);
        /* The second sample is taken early: rates need two samples, and until then the screen
         * shows "…". */
        uint64_t early = 100000000u;
        wait_following(e, began + (first && step > early ? early : step));
    }
    return NULL;
}

int engine_start(struct engine *e, struct error *err)
{
    int rc = thread_start(&e->thread, sampling_thread, e);
    if (rc != 0)
        return error_set(err, ERROR_INTERNAL, rc, "raise the limit of threads (ulimit -u)",
                         "start the sampling thread", "%s", strerror(rc));
    e->threaded = true;
    return 0;
}

int engine_fd(const struct engine *e)
{
    return e->out_fd;
}

const struct snapshot *engine_take(struct engine *e)
{
    const struct snapshot *s = NULL;
    drain_fd(e->out_fd);
    pthread_mutex_lock(&e->lock);
    if (e->count) {
        s = e->queue[e->head];
        e->head = (e->head + 1) % QUEUE_LEN;
        e->count--;
    }
    bool more = e->count > 0;
    pthread_mutex_unlock(&e->lock);
    if (more)
        signal_fd(e->out_fd);
    return s;
}

bool engine_failure(struct engine *e, struct error *err)
{
    pthread_mutex_lock(&e->lock);
    bool failed = e->failed;
    if (failed)
        *err = e->failure;
    e->failed = false;
    pthread_mutex_unlock(&e->lock);
    return failed;
}

void engine_set_interval(struct engine *e, double seconds)
{
    pthread_mutex_lock(&e->lock);
    e->interval_s = seconds;
    pthread_mutex_unlock(&e->lock);
    engine_wake(e);
}

void engine_set_threads(struct engine *e, const struct thread_wish *w)
{
    pthread_mutex_lock(&e->lock);
    bool sooner = w->on && (!e->threads.on || !thread_wish_same(w, &e->threads));
    e->threads = *w;
    pthread_mutex_unlock(&e->lock);
    if (sooner)
        engine_wake(e);
}

void engine_set_sampling(struct engine *e, const struct sampling *s)
{
    pthread_mutex_lock(&e->lock);
    e->sampling = *s;
    pthread_mutex_unlock(&e->lock);
    engine_wake(e);
}

void engine_retarget(struct engine *e, const struct target *t)
{
    struct target copy;
    target_copy(&copy, t);
    pthread_mutex_lock(&e->lock);
    target_free(&e->next);
    e->next = copy;
    e->retarget = true;
    pthread_mutex_unlock(&e->lock);
    engine_wake(e);
}

void engine_wake(struct engine *e)
{
    signal_fd(e->control_fd);
}

int engine_save_output(struct engine *e, const char *path, struct error *err)
{
    pthread_mutex_lock(&e->source_lock);
    int rc = error_set(err, ERROR_TARGET, ENOENT, "start one: rooftop -- CMD", "save the output",
                       "no command is being watched");
    for (int i = 0; i < SOURCES_MAX && e->ops[i]; i++)
        if (e->source[i] && e->ops[i]->save_output && e->target.kind == TARGET_COMMAND)
            rc = e->ops[i]->save_output(e->source[i], path, err);
    pthread_mutex_unlock(&e->source_lock);
    return rc;
}

int engine_command_status(struct engine *e, int *wait_status)
{
    pthread_mutex_lock(&e->lock);
    int rc = e->command_pid > 0 && e->command_done ? 0 : -1;
    *wait_status = e->command_status;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

void engine_signal_command(struct engine *e, int signo)
{
    pthread_mutex_lock(&e->lock);
    if (e->command_pid > 0 && !e->command_done) {
        kill(-e->command_pid, signo);
        e->told_to_end = signo;
    }
    pthread_mutex_unlock(&e->lock);
}

void engine_free(struct engine *e)
{
    if (!e)
        return;
    if (e->threaded) {
        pthread_mutex_lock(&e->lock);
        e->stop = true;
        pthread_mutex_unlock(&e->lock);
        engine_wake(e);
        pthread_join(e->thread, NULL);
    }
    close_sources(e);
    while (e->count) {
        snapshot_unref(e->queue[e->head]);
        e->head = (e->head + 1) % QUEUE_LEN;
        e->count--;
    }
    target_free(&e->target);
    target_free(&e->next);
    pthread_mutex_destroy(&e->lock);
    pthread_mutex_destroy(&e->source_lock);
    close(e->out_fd);
    close(e->control_fd);
    free(e);
}
