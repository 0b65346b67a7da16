/*
 * Cancels long work. The thread that starts long work sets a watch. Code that runs long (files and
 * databases of others, searches in graphs of 10^7 nodes) asks it every few thousand steps and stops
 * when the work is no longer wanted. Threads that thread_start starts inherit the watch, except
 * detached ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct watch {
    /* called from several threads at once; a false result must stay false */
    bool (*wanted)(void *ctx);
    void *ctx;
};

/* Sets the watch of this thread; NULL: work is never cancelled. w is borrowed: before it ends,
 * restore the previous watch, which is returned. */
const struct watch *watch_set(const struct watch *w);
const struct watch *watch_get(void);
bool watch_given_up(void);
/* Returns -ECANCELED with err (may be NULL) if the work was cancelled, else 0. */
int watch_check(const char *what, struct error *err);

enum { WATCH_STEPS = 1 << 14 };
/* For loops with cheap steps, where i counts the steps: asks only at every WATCH_STEPS-th. */
static inline bool watch_stops(uint64_t i)
{
    return i % WATCH_STEPS == 0 && watch_given_up();
}
