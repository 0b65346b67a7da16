/*
 * Counts of a run's processes by perf_event_open(2), as far as the kernel allows: events of this
 * process that it hands down, and that begin to count when the child executes its program. The
 * counts come back when the child has ended.
 */
#ifndef ROOFTOP_BACKENDS_BENCH_COUNTERS_H
#define ROOFTOP_BACKENDS_BENCH_COUNTERS_H

#include "engine/bench/bench.h"

/* The counts so far of all runs; NAN: not counted, or not all the time. */
struct counter_counts {
    double v[COUNTER_TASK_CLOCK + 1];
    uint64_t enabled[COUNTER_TASK_CLOCK + 1], running[COUNTER_TASK_CLOCK + 1]; /* ns */
};

/* Opens the events at the first call. */
void counters_read(struct counter_counts *out);
/* Fills those counters of a sample that lie between two readings. */
void counters_between(const struct counter_counts *before, const struct counter_counts *after,
                      double counters[BENCH_COUNTERS]);

#endif
