/*
 * Where tracer and tracees run. A stop that wakes the tracer on another CPU costs 30 to 60 us on a
 * virtual machine, one on the same CPU 3 us. So tasks that stop often are moved to the tracer's
 * CPU. They get their own CPUs back when two or more compute, or when they end or are detached.
 *
 * The program does not notice: sched_getaffinity gives the mask that it would have without us, and
 * a task that sets its own mask keeps it. (Only /proc/PID/status shows the real mask.) A new task
 * inherits the mask of its maker.
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
    struct place_mask *masks;      /* linked list of all different masks */
    const struct place_mask *ours; /* the tracer's own */
    size_t npinned;
};

/* The state of a task; zeroed at first. */
struct placed {
    const struct place_mask
        *own;       /* while it is pinned: the mask that it would have without us; else NULL */
    bool decided;   /* the program set its own mask, so it is never pinned */
    uint32_t stops; /* number of stops since since_ns */
    uint64_t since_ns, last_ns;
};

/* A new task: child of one that may be pinned (NULL: the command, which is pinned at once). */
void place_began(struct tracees *t, struct tracee *task, const struct tracee *parent);
/* Call it at each stop of the task, while it is stopped. */
void place_stop(struct tracees *t, struct tracee *task);
/* Pins a task that will stop often from now on. */
void place_now(struct tracees *t, struct tracee *task);
/* Call it after a call has returned: sched_getaffinity gives the mask that it would give without
 * rooftop, and a task that has set its own mask keeps it. */
void place_left(struct tracees *t, struct tracee *task);
/* Gives their own CPUs back to tasks that compute. */
void place_tick(struct tracees *t);
/* Gives the task its own CPUs back. */
void place_release(struct tracees *t, struct tracee *task);
void place_forget(struct tracees *t, struct tracee *task); /* the task ended */
void place_close(struct tracees *t);
