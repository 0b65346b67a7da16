/*
 * Measures what reading a group of eight counters costs: software events, which the kernel reads,
 * and hardware events, which a program reads from registers where it may. Beside it a bare read(2)
 * of the same kind of group, as any program would do it. Then what a brick costs, without and with
 * counters, each in a process of its own.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rooftop/brick.h"
#include "rooftop/counters.h"

enum { LOOPS = 200000, ROUNDS = 9 };

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double read_group(const rooftop_counters *g)
{
    rooftop_counts c;
    uint64_t begin = now();
    for (int i = 0; i < LOOPS; i++)
        rooftop_counters_read(g, &c);
    return (double)(now() - begin) / LOOPS;
}

static double read_bare(int fd)
{
    uint64_t got[3 + ROOFTOP_COUNTERS_MAX], begin = now();
    for (int i = 0; i < LOOPS; i++)
        if (read(fd, got, sizeof got) < 0)
            return -1;
    return (double)(now() - begin) / LOOPS;
}

/* Opens eight events of this thread as one group; those that do not fit are left out. */
static int open_bare(int type, uint64_t config)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = (uint32_t)type,
                                   .config = config,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_GROUP |
                                                  PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    int leader = -1;
    for (int i = 0; i < ROOFTOP_COUNTERS_MAX; i++) {
        int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
        leader = leader < 0 ? fd : leader;
    }
    return leader;
}

static void measure(const char *what, const char *events, int bare)
{
    rooftop_counters *g = rooftop_counters_open(events);
    double ours[ROUNDS], theirs[ROUNDS];
    unsigned counted = 0;
    for (unsigned i = 0; g && i < rooftop_counters_n(g); i++)
        counted += !*rooftop_counters_why(g, i);
    if (!g || !counted) {
        printf("%s: n/a: %s\n", what, g ? rooftop_counters_why(g, 0) : "no memory");
        rooftop_counters_close(g);
        return;
    }
    for (int i = 0; i < ROUNDS; i++) { /* in turns, so that other load affects both */
        ours[i] = read_group(g);
        theirs[i] = read_bare(bare);
    }
    qsort(ours, ROUNDS, sizeof *ours, ascending);
    qsort(theirs, ROUNDS, sizeof *theirs, ascending);
    printf("%s: %u counted, by %s: %.1f ns; bare read(2): %.1f ns; ratio %.3f\n", what, counted,
           rooftop_counters_fast(g) ? "registers" : "read(2)", ours[ROUNDS / 2], theirs[ROUNDS / 2],
           ours[ROUNDS / 2] / theirs[ROUNDS / 2]);
    rooftop_counters_close(g);
}

static void measure_bricks(const char *events)
{
    double ns[ROUNDS];
    fflush(stdout);
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        return;
    }
    if (events)
        setenv("ROOFTOP_BRICK_COUNTERS", events, 1);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t begin = now();
        for (int k = 0; k < LOOPS; k++)
            rooftop_stop(rooftop_start(ROOFTOP_RMS_NORM), 4096);
        ns[i] = (double)(now() - begin) / LOOPS;
    }
    qsort(ns, ROUNDS, sizeof *ns, ascending);
    printf("start and stop of a brick, counting %s: %.1f ns\n", events ? events : "nothing",
           ns[ROUNDS / 2]);
    exit(0);
}

int main(void)
{
    measure("8 software events",
            "task-clock,task-clock,task-clock,task-clock,task-clock,task-clock,task-clock,"
            "task-clock",
            open_bare(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK));
    measure("hardware events",
            "cycles,instructions,branches,branch-misses,cache-references,cache-misses",
            open_bare(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS));
    measure_bricks(NULL);
    measure_bricks("page-faults");
    measure_bricks("cycles,instructions,branches,branch-misses");
    return 0;
}
