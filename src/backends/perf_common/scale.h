/*
 * Arithmetic on counts: deltas of value, time_enabled and time_running, sums over CPUs and threads,
 * extrapolation of multiplexed counts. Pure functions.
 *
 * A count is value * enabled/running over the deltas of one interval (perf_event_open(2),
 * "time_running"). An event that never ran while it was enabled is missing, never 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/value/value.h"

/* The result of one read of one event. Times in ns. */
struct count {
    uint64_t value, enabled, running;
};

/* Sets *out = now - *last and *last = now. false, with *out zero, if the counter went backwards
 * because its descriptor was opened again or the source is broken: then the step measures nothing.
 * A 64-bit value may wrap. */
bool scale_advance(struct count *last, struct count now, struct count *out);

/* The sum over the places (CPUs, threads) where one event is counted. Start with a zeroed one. */
struct count_sum {
    double scaled; /* sum of value * enabled/running over places where it ran */
    uint64_t raw;  /* sum of value */
    uint64_t enabled, running;
    uint64_t covered; /* enabled time of the places where it ran */
    unsigned places;  /* places that were added */
    unsigned pending; /* places that are not open yet or were read only once */
    bool stretched;   /* a place answered late: its delta covers several intervals */
};

/* intervals: how many sampling intervals the delta covers, normally 1. */
void scale_add(struct count_sum *sum, const struct count *delta, unsigned intervals);

enum scale_mode {
    SCALE_CPU,  /* bound to CPUs: enabled time always advances */
    SCALE_TASK, /* bound to tasks: no enabled time means that they did not run, so the value is 0 */
    SCALE_RAW, /* hybrid PMUs in tasks: running is the time on that core type; do not extrapolate */
};

/* Computes the value. factor: the event's unit scale. VALUE_MISSING with a static reason if it
 * never ran. */
struct value scale_value(const struct count_sum *sum, enum scale_mode mode, double factor,
                         enum unit unit);

/* the reason for an event that was enabled but never scheduled */
extern const char scale_why_never[];
