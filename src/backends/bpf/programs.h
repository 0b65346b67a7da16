/* The programs that run in the kernel, one for each raw tracepoint. */
#pragma once

#include <stdbool.h>

#include "backends/bpf/assemble.h"
#include "backends/bpf/types.h"

struct programs_setup {
    int tasks, plans, scratch, ring, lost; /* maps */
    int memory_program;                    /* the map that has it at place 0 */
    int rings;                             /* of io_uring, of tasks that are traced: a map */
    bool follow;                           /* child processes too; threads always */
    bool memory;                           /* what arguments point to is kept */
    struct kernel_types types;
};

struct program {
    const char *tracepoint;
    bool calls;   /* it is of calls, not of tasks */
    bool signals; /* not needed for sums */
    bool newer;   /* some kernels do not have the tracepoint; likewise not needed for sums */
    void (*write)(struct code *c, const struct programs_setup *s);
};
/* Ended by a NULL tracepoint. Tasks come before calls: they are to be attached in this order. */
extern const struct program programs[];
