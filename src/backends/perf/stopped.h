/*
 * Counters that the kernel has ended while what they count goes on: when a watched command executes
 * a set-user-ID program (sudo, ping), the kernel takes the events away from it, and says so nowhere
 * (begin_new_exec in fs/exec.c). They would read 0 for ever. What /proc says that the command used
 * shows that 0 is not true.
 */
#ifndef ROOFTOP_BACKENDS_PERF_STOPPED_H
#define ROOFTOP_BACKENDS_PERF_STOPPED_H

#include <stdbool.h>

#include "backends/perf_common/tally.h"
#include "engine/live/snapshot.h"

struct stopped {  /* zeroed: nothing seen yet */
    double cpu_s; /* CPU time of what is watched, when it was counted last */
    bool known, now;
};

/* Looks at one sample; all: every thread is attached. True while nothing is counted of what runs.
 */
bool stopped_look(struct stopped *s, const struct tally *y, const struct snapshot *out, bool all);

#endif
