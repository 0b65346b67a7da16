/*
 * Where tracer and tracees run. A stop that wakes the tracer on another CPU costs 30 to 60 us on a
 * virtual machine, one on the same CPU 3 us. So tasks that stop often are moved to the tracer's
 * CPU, and given back their own CPUs when two or more compute, or when they end or are let go.
 *
 * The program does not see it: sched_getaffinity gives the mask that it would have without us, and
 * a task that sets its own mask keeps it. (/proc/PID/status shows the truth.) Tasks that begin
 * inherit what their maker has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracee;
struct tracees;
struct place_mask; /* CPUs that a task may use */

struct place {
    bool on, pinned; /* pinned: the tracer itself */
    int cpu;
    struct place_mask *masks;      /* all different ones, linked */
    const struct place_mask *ours; /* the tracer's own */
    size_t npinned;
};

/* Of one task; zeroed at first. */
struct placed {
    const struct place_mask *own; /* where it is pinned: what it would have without us; else NULL */
    bool decided;                 /* the program set its mask itself: it is left alone */
    uint32_t stops;               /* since since_ns */
    uint64_t since_ns, last_ns;
};

/* A new task: child of one that may be pinned (NULL: the command, which is pinned at once). */
void place_began(struct tracees *t, struct tracee *task, const struct tracee *parent);
/* At each stop of the task; it is still stopped. */
void place_stop(struct tracees *t, struct tracee *task);
/* The task will stop often from now on. */
void place_now(struct tracees *t, struct tracee *task);
/* After a call has returned: sched_getaffinity gives the mask that it would give without rooftop,
 * and a task that has set its own mask keeps it. */
void place_left(struct tracees *t, struct tracee *task);
/* Gives tasks that compute their CPUs back. */
void place_tick(struct tracees *t);
/* The task has its own CPUs again. */
void place_release(struct tracees *t, struct tracee *task);
void place_forget(struct tracees *t, struct tracee *task); /* it ended */
void place_close(struct tracees *t);
