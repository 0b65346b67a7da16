/*
 * Whether long work is still wanted. Whoever starts it says so for his thread; what runs long
 * (files and databases that others made, searches in graphs of 10^7 nodes) asks every few thousand
 * steps and ends when the answer is no. Threads that thread_start starts to be joined inherit it.
 */
#ifndef ROOFTOP_BASE_WATCH_H
#define ROOFTOP_BASE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct watch {
    bool (*wanted)(void *ctx); /* from several threads at once; once false it stays so */
    void *ctx;
};

/* Of this thread from now on; NULL: nobody gives up. Lent: put the one before, which is returned,
 * back before w goes. */
const struct watch *watch_set(const struct watch *w);
const struct watch *watch_get(void);
bool watch_given_up(void);
/* -ECANCELED with err (NULL allowed) where it was given up; else 0. */
int watch_check(const char *what, struct error *err);

enum { WATCH_STEPS = 1 << 14 };
/* For loops over cheap steps, i counting them: asks at some of them. */
static inline bool watch_stops(uint64_t i)
{
    return i % WATCH_STEPS == 0 && watch_given_up();
}

#endif
