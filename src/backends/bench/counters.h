/*
 * Counts of a run's processes by perf_event_open(2), as far as the kernel allows: events of the
 * thread that starts the program, which its child inherits, and which begin to count when that
 * executes the program. The counts come back when the child and its descendants have ended. Each
 * program is started by a thread of its own, so that of two at once each has its own counts.
 */
#pragma once

#include <sys/types.h>

#include "engine/bench/bench.h"

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
