/* What the files of backends/bench share among themselves. */
#pragma once

#include <sys/types.h>

#include "engine/bench/runner.h"

/* Counts a run's processes by perf_event_open(2), as far as the kernel allows. The thread that
 * starts the program opens the events; its child inherits them, and they begin to count when the
 * child executes the program. The counts are complete when the child and its descendants have
 * ended. Each program is started by a separate thread, so that two programs at once have separate
 * counts. */
enum { RUN_COUNTERS = COUNTER_TASK_CLOCK + 1 };

struct run_counters {
    int fds[RUN_COUNTERS]; /* -1: it cannot be counted */
};

/* Opens counters for the programs that the calling thread starts from now on. */
void counters_open(struct run_counters *c);
/* Fills these counters of a sample; NAN: not counted, or not all the time. Call it after the
 * program's end, on any thread; the thread that opened them may have ended. */
void counters_close(struct run_counters *c, double counters[BENCH_COUNTERS]);
/* How long in s the first thread of a process or zombie (0: the calling thread) ran so far, and how
 * long it was ready but had no core. NAN: unknown, without sched_info in the kernel or without
 * /proc. */
struct core_time {
    double ran, queued;
};
struct core_time counters_core_time(pid_t pid);

/* Which CPUs this process may use, which of them share a core, and how busy each was. */
struct cpu_state {
    bool allowed;
    int core;             /* the first CPU of its core */
    uint64_t busy, total; /* ticks since boot; 0 = unknown */
};

struct cores {
    struct cpu_state *cpu; /* indexed by the CPU's number; owned */
    size_t n;
};

/* Reads the state of all CPUs. */
void cores_read(struct cores *c);
void cores_free(struct cores *c);
/* Chooses two CPUs of the two cores that were least busy between two readings, the lower number
 * first; the threads of a core count together. busy: the share of each core's time, 0..1, NAN =
 * unknown. -errno with err if there are no two cores. */
int cores_choose(const struct cores *before, const struct cores *after, int cpu[2], double busy[2],
                 struct error *err);

/* Members of runner_ops. */
int find_two_cpus(int cpu[2], double busy[2], struct error *err);
void read_bench_conditions(struct bench_conditions *out);
void find_compiler(const char *name, char *out, size_t size);
