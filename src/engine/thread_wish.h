/* Of which processes threads are to be read: asked for by a front end, carried to the source with
 * the snapshot. */
#ifndef ROOFTOP_ENGINE_THREAD_WISH_H
#define ROOFTOP_ENGINE_THREAD_WISH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { THREAD_WISH_MAX = 64 };

struct thread_wish {
    bool on;
    size_t n; /* 0 and on: of what is watched, then of the busiest */
    pid_t pids[THREAD_WISH_MAX];
};

#endif
