#include "backends/bench/counters.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EVENTS = COUNTER_TASK_CLOCK + 1 };

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

/* An event that ran for less of its time shared a counter with others: what it missed is not
 * guessed. */
static const double LEAST_SHARE = 0.99;

static int fds[EVENTS]; /* 1 + the descriptor; 0: not opened; -1: it cannot be */

/* User mode only: any user may count that, so counts of different users and machines compare. */
static int open_event(size_t i)
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
    long fd = syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -1 : (int)fd + 1;
}

void counters_read(struct counter_counts *out)
{
    *out = (struct counter_counts){0};
    for (size_t i = 0; i < EVENTS; i++) {
        uint64_t got[3]; /* count, time enabled, time running */
        fds[i] = fds[i] ? fds[i] : open_event(i);
        out->v[i] = NAN;
        if (fds[i] < 0 || read(fds[i] - 1, got, sizeof got) != sizeof got)
            continue;
        out->v[i] = (double)got[0] * events[i].scale;
        out->enabled[i] = got[1];
        out->running[i] = got[2];
    }
}

void counters_between(const struct counter_counts *before, const struct counter_counts *after,
                      double counters[BENCH_COUNTERS])
{
    for (size_t i = 0; i < EVENTS; i++) {
        uint64_t enabled = after->enabled[i] - before->enabled[i];
        uint64_t running = after->running[i] - before->running[i];
        bool all_the_time = enabled > 0 && (double)running > LEAST_SHARE * (double)enabled;
        counters[i] = all_the_time ? after->v[i] - before->v[i] : NAN;
    }
}
