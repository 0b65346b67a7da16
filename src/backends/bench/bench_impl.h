/* What the files of backends/bench share among themselves. */
#pragma once

#include <sys/types.h>

#include "engine/bench/runner.h"

/*
 * Counts of a run's processes by perf_event_open(2), as far as the kernel allows: events of the
 * thread that starts the program, which its child inherits, and which begin to count when that
 * executes the program. The counts come back when the child and its descendants have ended. Each
 * program is started by a thread of its own, so that of two at once each has its own counts.
 */
enum { RUN_COUNTERS = COUNTER_TASK_CLOCK + 1 };

struct run_counters {
    int fds[RUN_COUNTERS]; /* -1: it cannot be counted */
};

/* For what the calling thread starts from now on. */
void counters_open(struct run_counters *c);
/* Fills those counters of a sample, NAN: not counted, or not all the time. Any thread may call
 * it, after the program's end; the thread that opened them may have ended. */
void counters_close(struct run_counters *c, double counters[BENCH_COUNTERS]);
/* How long a process' first thread (0: the calling thread) ran so far, and was ready to and had no
 * core, s; also of a zombie. NAN: the kernel does not tell (it has no sched_info, or /proc is not
 * there). */
struct core_time {
    double ran, queued;
};
struct core_time counters_core_time(pid_t pid);

/* Which CPUs this process may use, which of them share a core, and how busy each was. */
struct cpu_state {
    bool allowed;
    int core;             /* the first CPU of its core */
    uint64_t busy, total; /* since boot, in ticks; 0 = unknown */
};

struct cores {
    struct cpu_state *cpu; /* by number; owned */
    size_t n;
};

/* Reads the state of all CPUs, however many there are. */
void cores_read(struct cores *c);
void cores_free(struct cores *c);
/*
 * The two CPUs of different cores that were busy least between two readings, the lower number
 * first; of a core the threads count together. busy: the share of each core's time, 0..1, NAN =
 * unknown. -errno with err where there are no two.
 */
int cores_choose(const struct cores *before, const struct cores *after, int cpu[2], double busy[2],
                 struct error *err);

/* Members of runner_ops. */
int find_two_cpus(int cpu[2], double busy[2], struct error *err);
void read_bench_conditions(struct bench_conditions *out);
void find_compiler(const char *name, char *out, size_t size);
