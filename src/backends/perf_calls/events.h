/* Tracepoints of calls, tasks, signals and operations of io_uring, for some tasks on all CPUs, and
 * the rings they write. */
#ifndef ROOFTOP_BACKENDS_PERF_CALLS_EVENTS_H
#define ROOFTOP_BACKENDS_PERF_CALLS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/raw_calls/operations.h"
#include "backends/perf_common/perf_ring.h"
#include "base/error.h"
#include "base/ids.h"

/* Numbers of tracepoints, as the first two bytes of their records say. */
struct call_points {
    uint64_t enter, exit;
    uint64_t sent, delivered; /* signals; 0: not available */
    struct operation_points operations;
};

/* Everything on one CPU. */
struct call_cpu {
    int cpu;
    int ring_fd; /* of the event that owns the ring; -1: none yet */
    struct perf_ring ring;
    void *base;
    size_t size;
};

/* Events of one task. What the task makes inherits them, and their identifiers. */
struct call_watch {
    pid_t tid;
    uint64_t done_ns; /* when the last of them was opened: CLOCK_MONOTONIC */
    bool settled;     /* the task has begun a call since then */
};

struct call_events {
    struct call_points points;
    struct call_cpu *cpus;
    uint32_t ncpus;
    int *fds;
    size_t nfds, cap;
    struct call_watch *watches;
    uint32_t nwatches, watches_cap;
    struct ids by_event;    /* identifiers of events: places in watches */
    struct ids by_tid;      /* how a task is recorded */
    bool inherit_processes; /* else only threads */
    bool attaching;         /* tasks may be unknown because nobody has looked at them yet */
    char *filter;           /* of both tracepoints of calls; NULL: none */
};

/* Finds the tracepoints and CPUs; opens nothing. filter: borrowed. */
int call_events_open(struct call_events *e, bool processes, char *filter, struct error *err);
/* Watches a task and what it makes from now on. 0 or -errno. */
int call_events_watch(struct call_events *e, pid_t tid);
/*
 * A program may make tasks while rooftop attaches to it, and the events of a task are opened one
 * after the other. So a task may inherit none of them, a part or all, and /proc does not say which;
 * it may be watched twice as well. Of each task the records of one watch are taken, all others are
 * dropped:
 *
 * - that of its maker, where the maker began to make it when all events were open: it has begun a
 *   call since then. What it makes later inherits everything, and so on;
 * - else its own. Who made it said too little, so call_events_born asks for that watch.
 */

/* Whether a record about the task is to be taken. event: the identifier in the record. */
bool call_events_takes(struct call_events *e, uint64_t event, pid_t tid);
/* Everything that the task does is recorded. */
bool call_events_whole(const struct call_events *e, pid_t tid);
/* The task was made. False: what it inherited is not known, it must be watched. */
bool call_events_born(struct call_events *e, pid_t tid, pid_t maker);
/* Only what it inherited is recorded, because it could not be watched. */
void call_events_partial(struct call_events *e, pid_t tid, pid_t maker);
/* The task began a call; its record was taken. */
void call_events_entered(struct call_events *e, pid_t tid, uint64_t ns);
/* A thread that executed a program has another number. */
void call_events_moved(struct call_events *e, pid_t from, pid_t to);
void call_events_ended(struct call_events *e, pid_t tid);
/* Waits until a ring is a quarter full, at most ms. */
void call_events_wait(const struct call_events *e, int ms);
/* All tasks that are watched, and those they made, have ended. */
bool call_events_over(const struct call_events *e);
/* Records that found no room in a ring, since the beginning. The kernel tells them in the ring only
 * with the next record that finds room, so the last ones stand here alone. 0 before Linux 6.0. */
uint64_t call_events_lost(const struct call_events *e);
void call_events_close(struct call_events *e);

#endif
