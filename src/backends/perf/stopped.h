/*
 * Detects counters that the kernel has stopped while their target still runs. When a watched
 * command executes a set-user-ID program (sudo, ping), the kernel removes the events from it
 * without telling (begin_new_exec in fs/exec.c). They would read 0 for ever. The CPU time in /proc
 * shows that 0 is wrong.
 */
#ifndef ROOFTOP_BACKENDS_PERF_STOPPED_H
#define ROOFTOP_BACKENDS_PERF_STOPPED_H

#include <stdbool.h>

#include "backends/perf_common/tally.h"
#include "engine/live/snapshot.h"

struct stopped {  /* all zero: nothing seen yet */
    double cpu_s; /* CPU time of the target when it was last counted */
    bool known, now;
};

/*
 * Looks at one sample. all: every thread is attached. Returns whether running tasks are not
 * counted.
 */
bool stopped_look(struct stopped *s, const struct tally *y, const struct snapshot *out, bool all);

#endif
