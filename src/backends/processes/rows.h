/* Copies the process table to the rows of a snapshot. */
#ifndef ROOFTOP_BACKENDS_PROCESSES_ROWS_H
#define ROOFTOP_BACKENDS_PROCESSES_ROWS_H

#include "backends/processes/task.h"
#include "backends/processes/users.h"
#include "engine/live/snapshot.h"

/* All text goes into the snapshot in one piece. hz: clock ticks per second. */
void rows_fill(struct snapshot *out, struct task *const *tasks, size_t n, const struct users *users,
               uint64_t hz, uint64_t page_size);

#endif
