#include "backends/bench/bench_impl.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = RUN_COUNTERS };

static const struct {
    uint32_t type;
    uint64_t config;
    double scale;
} events[EVENTS] = {
    [COUNTER_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1},
    [COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1},
    [COUNTER_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 1},
    [COUNTER_CACHE_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 1},
    [COUNTER_TASK_CLOCK] = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1e-9},
};

/* An event that ran for a smaller share of its time shared a counter: its missing counts are not
 * estimated. */
static const double LEAST_SHARE = 0.99;

/* Counts only user mode, which any user may, so that counts of different users can be compared. */
static int open_event(size_t i) /* or -1 */
{
    struct perf_event_attr a = {.type = events[i].type,
                                .size = sizeof a,
                                .config = events[i].config,
                                .read_format =
                                    PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                                .disabled = 1,
                                .inherit = 1,
                                .enable_on_exec = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_open(struct run_counters *c)
{
    for (size_t i = 0; i < EVENTS; i++)
        c->fds[i] = open_event(i);
}

void counters_close(struct run_counters *c, double counters[BENCH_COUNTERS])
{
    for (size_t i = 0; i < EVENTS; i++) {
        uint64_t got[3]; /* count, time enabled, time running */
        counters[i] = NAN;
        if (c->fds[i] < 0)
            continue;
        if (read(c->fds[i], got, sizeof got) == sizeof got && got[1] > 0 &&
            (double)got[2] > LEAST_SHARE * (double)got[1])
            counters[i] = (double)got[0] * events[i].scale;
        close(c->fds[i]);
    }
}

struct core_time counters_core_time(pid_t pid)
{
    char path[40] = "/proc/thread-self/schedstat";
    unsigned long long ran = 0, queued = 0; /* ns; both are 0 if the kernel does not count */
    if (pid)
        snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return (struct core_time){NAN, NAN};
    const int got = fscanf(f, "%llu %llu", &ran, &queued);
    fclose(f);
    if (got != 2 || ran == 0)
        return (struct core_time){NAN, NAN};
    return (struct core_time){(double)ran * 1e-9, (double)queued * 1e-9};
}
