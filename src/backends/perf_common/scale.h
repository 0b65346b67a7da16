/*
 * Arithmetic of counts: deltas of value, time_enabled and time_running, sums over CPUs and threads,
 * extrapolation of multiplexed counts. Pure.
 *
 * A count is value * enabled/running over the deltas of one interval (perf_event_open(2),
 * "time_running"). What never ran while it was enabled is missing, never 0.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_SCALE_H
#define ROOFTOP_BACKENDS_PERF_COMMON_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/value/value.h"

/* What one read of one event gives. Times in ns. */
struct count {
    uint64_t value, enabled, running;
};

/*
 * *out = now - *last and *last = now. False, with *out zero, where the counter went backwards (its
 * fd was opened anew, or the source is broken): such a step measures nothing. A 64-bit value may
 * wrap.
 */
bool scale_advance(struct count *last, struct count now, struct count *out);

/* The sum over the places (CPUs, threads) where one event is counted. Zero it to start. */
struct count_sum {
    double scaled; /* sum of value * enabled/running where it ran */
    uint64_t raw;  /* sum of value */
    uint64_t enabled, running;
    uint64_t covered; /* enabled time of the places where it ran at all */
    unsigned places;  /* how many were added */
    unsigned pending; /* places not yet open or not yet read twice */
    bool stretched;   /* a place answered late: its delta spans several intervals */
};

/* intervals: how many sampling intervals the delta spans, 1 normally. */
void scale_add(struct count_sum *sum, const struct count *delta, unsigned intervals);

enum scale_mode {
    SCALE_CPU,  /* bound to CPUs: enabled time passes by itself */
    SCALE_TASK, /* bound to tasks: no enabled time means they did not run, so they did nothing: 0 */
    SCALE_RAW,  /* hybrid PMUs in tasks: running is the time on that type of core; never extrapolate
                 */
};

/* factor: the event's unit scale. VALUE_MISSING with a static reason where it never ran. */
struct value scale_value(const struct count_sum *sum, enum scale_mode mode, double factor,
                         enum unit unit);

extern const char scale_why_never[]; /* the reason used for "enabled, but never scheduled" */

#endif
