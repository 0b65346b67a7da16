/*
 * Measures a poll of the proc source with 400 additional processes, compared with a bare loop that
 * opens, reads and closes /proc/PID/stat of every process. Time between polls is simulated: the
 * source is told that a second (or a tenth) has passed. Prints a line for each case: processes,
 * median and mean microseconds of a poll and of the loop, and the ratio of the means.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/live/source.h"

extern const struct source_ops source_proc;

enum { SLEEPERS = 400, ROUNDS = 200, WARM = 40, PIDS_MAX = 65536 };

static uint64_t simulated_ns = UINT64_C(1000000000000);

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double mean(const double *v)
{
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++)
        sum += v[i];
    return sum / ROUNDS;
}

static size_t list(pid_t *pids)
{
    size_t n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && n < PIDS_MAX && (e = readdir(d));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
            pids[n++] = (pid_t)strtol(e->d_name, NULL, 10);
    if (d)
        closedir(d);
    return n;
}

static double bare_loop(const pid_t *pids, size_t n)
{
    char path[64], buf[1024];
    double start = now_us();
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pids[i]);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        ssize_t ignored = read(fd, buf, sizeof buf);
        (void)ignored;
        close(fd);
    }
    return now_us() - start;
}

static double poll_once(struct source *s, const struct host *h, uint64_t interval_ns, size_t *n)
{
    simulated_ns += interval_ns;
    double start = now_us();
    struct snapshot *out = snapshot_new(h);
    out->interval_s = (double)interval_ns / 1e9;
    source_proc.poll(s, out, simulated_ns);
    double us = now_us() - start;
    *n = out->nprocs;
    snapshot_unref(out);
    return us;
}

static int measure(uint64_t interval_ns)
{
    static pid_t pids[PIDS_MAX];
    double poll_us[ROUNDS], loop_us[ROUNDS];
    struct error err = ERROR_INIT;
    struct target target = {.kind = TARGET_HOST};
    struct host *h = host_new();
    struct source_config config = {.target = &target, .host = h};
    struct source *s;
    size_t rows = 0, npids = list(pids);
    if (source_proc.open(&s, &config, &err) != 0)
        return 1;
    double first = poll_once(s, h, interval_ns, &rows);
    for (int i = 0; i < WARM; i++)
        poll_once(s, h, interval_ns, &rows);
    for (int i = 0; i < ROUNDS;
         i++) { /* the two take turns, so that other load on the machine affects both */
        poll_us[i] = poll_once(s, h, interval_ns, &rows);
        loop_us[i] = bare_loop(pids, npids);
    }
    double poll_mean = mean(poll_us), loop_mean = mean(loop_us);
    qsort(poll_us, ROUNDS, sizeof *poll_us, by_value);
    qsort(loop_us, ROUNDS, sizeof *loop_us, by_value);
    printf("proc_sweep interval=%.1fs processes=%zu poll_median=%.0fus poll_mean=%.0fus "
           "poll_p99=%.0fus poll_first=%.0fus loop_median=%.0fus loop_mean=%.0fus ratio=%.2f\n",
           (double)interval_ns / 1e9, rows, poll_us[ROUNDS / 2], poll_mean,
           poll_us[ROUNDS * 99 / 100], first, loop_us[ROUNDS / 2], loop_mean,
           poll_mean / loop_mean);
    source_proc.close(s);
    host_unref(h);
    return 0;
}

int main(void)
{
    static pid_t sleeper[SLEEPERS];
    int rc = 0, n = 0;
    while (n < SLEEPERS) {
        pid_t pid = fork();
        if (pid == 0)
            for (;;)
                pause();
        if (pid < 0)
            break;
        sleeper[n++] = pid;
    }
    rc |= measure(1000000000);
    rc |= measure(100000000);
    for (int i = 0; i < n; i++)
        kill(sleeper[i], SIGKILL);
    for (int i = 0; i < n; i++)
        waitpid(sleeper[i], NULL, 0);
    snapshot_pool_drain();
    return rc;
}
