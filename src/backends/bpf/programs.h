/* The programs that run in the kernel, one for each raw tracepoint. */
#ifndef ROOFTOP_BACKENDS_BPF_PROGRAMS_H
#define ROOFTOP_BACKENDS_BPF_PROGRAMS_H

#include <stdbool.h>

#include "backends/bpf/assemble.h"
#include "backends/bpf/types.h"

struct programs_setup {
    int tasks, plans, scratch, ring, lost; /* maps */
    bool follow;                           /* child processes too; threads always */
    struct kernel_types types;
};

struct program {
    const char *tracepoint;
    void (*write)(struct code *c, const struct programs_setup *s);
};
/* Ended by a NULL tracepoint. Tasks come before calls: they are to be attached in this order. */
extern const struct program programs[];

#endif
