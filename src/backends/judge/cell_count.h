/*
 * Instructions that a cell executes in user mode, counted by the PMU. Who counts is the parent: the
 * event is its own, so that the cell can neither read, stop nor clear it.
 */
#ifndef ROOFTOP_BACKENDS_JUDGE_CELL_COUNT_H
#define ROOFTOP_BACKENDS_JUDGE_CELL_COUNT_H

#include <stddef.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"

enum { COUNT_WHY = 160 };
struct cell_counter;
/*
 * Counts a process from now on. NULL with a clause in why[COUNT_WHY] where the kernel or the
 * machine does not count.
 */
struct cell_counter *cell_counter_open(const struct perf_sys *sys, pid_t pid, char *why);
/*
 * What was executed since the last call, or since it was opened. NAN with a clause in why where it
 * was not counted all the time: what it missed is not guessed.
 */
double cell_counter_take(struct cell_counter *c, char *why);
void cell_counter_close(struct cell_counter *c); /* NULL allowed */

#endif
