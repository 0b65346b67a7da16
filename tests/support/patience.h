/* A watch that gives up at a certain check, for tests of what is interrupted. */
#pragma once

#include <stdbool.h>

struct patience {
    unsigned looks, most; /* most: number of checks until it gives up; 0: never */
};

/* For struct watch; several threads may call it. */
static inline bool patience_lasts(void *ctx)
{
    struct patience *p = ctx;
    unsigned n = __atomic_add_fetch(&p->looks, 1, __ATOMIC_RELAXED);
    return p->most == 0 || n < p->most;
}
