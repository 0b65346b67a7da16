/*
 * Where time in system calls went, by function, in the form that sampled call stacks have: each
 * call is the innermost frame of its stack. The views of functions draw both.
 */
#pragma once

#include "engine/functions/hot_stacks.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

struct calls_profile {
    struct hot_stacks stacks; /* borrows texts from the snapshot */
    uint64_t calls, total_ns; /* of all calls */
    uint64_t without;         /* calls with an unknown stack, under "[no stack]" */
    struct arena arena;
};

#define CALLS_NO_STACK "[no stack]"

/* weight: HOT_TIME or HOT_CALLS. */
void calls_profile_make(struct calls_profile *out, const struct syscalls_snapshot *p,
                        enum hot_weight weight);
/* Makes both profiles of a snapshot that has stacks. Call it before others see the snapshot: with
 * some 10,000 stacks it is too slow for the thread that draws. The snapshot frees them. */
void calls_profile_add(struct syscalls_snapshot *p);
void calls_profile_free(struct calls_profile *c);
