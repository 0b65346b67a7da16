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
    bool is_void; /* the task is recorded by the events of the one that made it */
};

struct call_events {
    struct call_points points;
    struct call_cpu *cpus;
    uint32_t ncpus;
    int *fds;
    size_t nfds, cap;
    struct call_watch *watches;
    uint32_t nwatches, watches_cap;
    struct ids by_event, by_tid; /* identifiers of events, tasks: places in watches */
    bool inherit_processes;      /* else only threads */
    char *filter;                /* of both tracepoints of calls; NULL: none */
};

/* Finds the tracepoints and CPUs; opens nothing. filter: borrowed. */
int call_events_open(struct call_events *e, bool processes, char *filter, struct error *err);
/* Watches a task and what it makes from now on. 0 or -errno. */
int call_events_watch(struct call_events *e, pid_t tid);
/*
 * A program may make a task while rooftop attaches to it, and /proc does not say whether the task
 * inherited events already. So it may be watched twice. Then the record of its birth, which comes
 * before all others of it, is from another watch, and its own watch is void from then on.
 */
void call_events_born(struct call_events *e, pid_t tid, uint64_t event);
/* The record with this identifier is of a void watch. */
bool call_events_is_void(const struct call_events *e, uint64_t event);
/* Waits until a ring is a quarter full, at most ms. */
void call_events_wait(const struct call_events *e, int ms);
/* All tasks that are watched, and those they made, have ended. */
bool call_events_over(const struct call_events *e);
/* Records that found no room in a ring, since the beginning. The kernel tells them in the ring only
 * with the next record that finds room, so the last ones stand here alone. 0 before Linux 6.0. */
uint64_t call_events_lost(const struct call_events *e);
void call_events_close(struct call_events *e);

#endif
