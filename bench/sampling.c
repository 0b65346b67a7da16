/*
 * Measures what the perf source's poll costs beyond its reads, compared with a bare loop over the
 * same descriptors. Two cases: the threads of a process (64 blocked ones), and this host's CPUs.
 * Prints a line for each case: median microseconds of each and their ratio. Exit status 77 if
 * perf_event is refused.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/perf_common/sys.h"
#include "base/env.h"
#include "engine/live/source.h"

extern const struct source_ops source_perf;

enum { THREADS = 64, ROUNDS = 400, WARM = 20, READS_MAX = 65536 };

/* --- the kernel's interface, which records the descriptors that a poll reads --- */

static _Atomic bool recording;
static _Atomic unsigned nreads;
static int read_fd[READS_MAX];

static int pass_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                     unsigned long flags)
{
    return perf_sys_kernel.open(ctx, attr, pid, cpu, group_fd, flags);
}

static ssize_t note_read(void *ctx, int fd, void *buf, size_t size)
{
    if (atomic_load_explicit(&recording, memory_order_relaxed)) {
        unsigned i = atomic_fetch_add(&nreads, 1);
        if (i < READS_MAX)
            read_fd[i] = fd;
    }
    return perf_sys_kernel.read(ctx, fd, buf, size);
}

static int pass_ioctl(void *ctx, int fd, unsigned long request, unsigned long arg)
{
    return perf_sys_kernel.ioctl(ctx, fd, request, arg);
}

static int pass_close(void *ctx, int fd)
{
    return perf_sys_kernel.close(ctx, fd);
}

static int pass_id(void *ctx, int fd, unsigned long long *id)
{
    return perf_sys_kernel.event_id(ctx, fd, id);
}

static const struct perf_sys noted = {.open = pass_open,
                                      .read = note_read,
                                      .ioctl = pass_ioctl,
                                      .close = pass_close,
                                      .event_id = pass_id};

/* --- the watched process --- */

static void *sleeper(void *arg)
{
    for (;;)
        pause();
    return arg;
}

static pid_t start_threads(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t t;
        for (int i = 1; i < THREADS; i++)
            pthread_create(&t, NULL, sleeper, NULL);
        sleeper(NULL);
    }
    return pid;
}

/* --- measuring --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, by_value);
    return v[n / 2];
}

static double cpu_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Microseconds of CPU time that one poll takes, over all our threads. */
static double poll_once(struct source *s, struct host *h)
{
    struct snapshot *out = snapshot_new(h);
    double begin = cpu_us();
    source_perf.poll(s, out, env_now_ns());
    double us = cpu_us() - begin;
    snapshot_unref(out);
    return us;
}

static double bare_once(unsigned n)
{
    char buf[4096];
    double begin = cpu_us();
    for (unsigned i = 0; i < n; i++)
        if (read(read_fd[i], buf, sizeof buf) < 0)
            return 0;
    return cpu_us() - begin;
}

static void measure(const char *what, struct target *target)
{
    static double polls[ROUNDS], bare[ROUNDS];
    struct host *h = host_new();
    struct source_config config = {.target = target, .host = h};
    struct source *s;
    struct error err = ERROR_INIT;
    char line[900];
    if (source_perf.open(&s, &config, &err) < 0) {
        printf("sampling %s: skipped: %s\n", what, error_format(&err, line, sizeof line));
        host_unref(h);
        return;
    }
    for (int i = 0; i < WARM; i++) {
        poll_once(s, h);
        usleep(20000); /* threads are attached in the background */
    }
    atomic_store(&nreads, 0);
    atomic_store(&recording, true);
    poll_once(s, h);
    atomic_store(&recording, false);
    unsigned n = atomic_load(&nreads) < READS_MAX ? atomic_load(&nreads) : READS_MAX;
    for (int i = 0; n && i < ROUNDS; i++) {
        polls[i] = poll_once(s, h);
        bare[i] = bare_once(n);
    }
    source_perf.close(s);
    host_unref(h);
    if (!n) {
        printf("sampling %s: skipped: nothing could be counted here\n", what);
        return;
    }
    double p = median(polls, ROUNDS), b = median(bare, ROUNDS);
    printf("sampling %s: %u group reads, bare %.1f us, poll %.1f us, ratio %.2f (target 1.20)\n",
           what, n, b, p, p / b);
}

int main(void)
{
    struct target host = {.kind = TARGET_HOST}, pids = {.kind = TARGET_PIDS};
    perf_sys_use(&noted);
    target_add_pid(&pids, start_threads());
    usleep(100000); /* its threads start */
    measure("64 threads", &pids);
    kill(pids.pids[0], SIGKILL);
    waitpid(pids.pids[0], NULL, 0);
    measure("this host", &host);
    target_free(&pids);
    return 0;
}
