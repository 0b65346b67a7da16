/*
 * Where time in system calls went, by function, in the form that sampled call stacks have: each
 * call is the innermost frame of its stack. The views of functions draw both.
 */
#pragma once

#include "engine/functions/hot_stacks.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct calls_profile {
    struct hot_stacks stacks; /* borrows texts from the snapshot */
    uint64_t calls, total_ns; /* all of them */
    uint64_t without;         /* calls whose stack is not known: below "[no stack]" */
    struct arena arena;
};

#define CALLS_NO_STACK "[no stack]"

/* weight: HOT_TIME or HOT_CALLS. */
void calls_profile_make(struct calls_profile *out, const struct syscalls_snapshot *p,
                        enum hot_weight weight);
/* Makes both profiles of a snapshot that has stacks, before others see it: of some 10,000 stacks
 * that takes longer than a frame of the screen may. The snapshot frees them. */
void calls_profile_add(struct syscalls_snapshot *p);
void calls_profile_free(struct calls_profile *c);
