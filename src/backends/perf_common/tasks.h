/*
 * Counting tasks: a stopped child before it executes, or every thread of running processes.
 *
 * Threads are found in /proc/PID/task and opened by a thread of its own (56 us an event: 10^4
 * threads take seconds), with inherit, so that the kernel counts the threads and processes that
 * they start from then on. Where the kernel refuses inherit for groups, the threads are listed
 * again on every sample instead.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_TASKS_H
#define ROOFTOP_BACKENDS_PERF_COMMON_TASKS_H

#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "backends/perf_common/tally.h"

struct tasks;

struct tasks_status {
    unsigned found, attached; /* threads */
    unsigned gone;            /* ended before they were attached */
    unsigned
        uncertain; /* started while attaching: counted only if their creator was attached before */
    int fatal;     /* errno that ended attaching (EMFILE...), 0 = none */
    bool busy;     /* attaching goes on */
    bool inherit;  /* the kernel counts what the threads start */
};

/* plan is borrowed for life, as is every later one. pids are copied. Returns at once. threads_only:
 * processes that they start are not counted. */
struct tasks *tasks_watch(const struct perf_sys *sys, const struct plan *plan, const pid_t *pids,
                          size_t npids, bool threads_only);
/* A child that is stopped before its exec: opened here and now; counting starts with the exec. */
struct tasks *tasks_command(const struct perf_sys *sys, const struct plan *plan, pid_t pid);
/* Everything is opened anew under another plan. */
void tasks_set_plan(struct tasks *t, const struct plan *plan);
/* Adds every thread's deltas. Never waits for the attaching. */
void tasks_sample(struct tasks *t, struct tally *tally);
void tasks_status(struct tasks *t, struct tasks_status *out);
void tasks_free(struct tasks *t);

/* Threads of a process, its main thread first. *tids is malloc'ed. Count or -errno (-ESRCH: no such
 * process). */
long task_list(pid_t pid, pid_t **tids);
/* Start of a thread in clock ticks since boot; 0 unknown. */
unsigned long long task_start(pid_t pid, pid_t tid);
/* True while the process has not ended (a zombie has). */
bool task_alive(pid_t pid);

#endif
