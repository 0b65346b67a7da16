/* The processes whose threads shall be read. A front end sets it; it reaches the source with the
 * snapshot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

enum { THREAD_WISH_MAX = 64 };

struct thread_wish {
    bool on;
    size_t n; /* if 0 and on: threads of watched processes, then of the busiest */
    pid_t pids[THREAD_WISH_MAX];
};

static inline bool thread_wish_same(const struct thread_wish *a, const struct thread_wish *b)
{
    return a->on == b->on && a->n == b->n && memcmp(a->pids, b->pids, a->n * sizeof *a->pids) == 0;
}
