/*
 * Counts tasks: a stopped child before it executes, or every thread of running processes.
 *
 * A separate thread lists /proc/PID/task and opens the threads (56 us for an event: 10^4 threads
 * take seconds). It uses inherit, so that the kernel counts the threads and processes that they
 * start later. If the kernel refuses inherit for groups, the threads are listed again at every
 * sample instead.
 */
#pragma once

#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "backends/perf_common/tally.h"

struct tasks;

struct tasks_status {
    unsigned found, attached; /* threads */
    unsigned gone;            /* ended before they were attached */
    /* started while attaching: counted only if their creator was already attached */
    unsigned uncertain;
    int fatal;    /* errno that ended the attaching (EMFILE...); 0: none */
    bool busy;    /* attaching is in progress */
    bool inherit; /* the kernel counts what the threads start */
};

/* Starts watching processes and returns at once. plan, and every later plan, is borrowed until
 * tasks_free; pids are copied. threads_only: processes that they start are not counted. */
struct tasks *tasks_watch(const struct perf_sys *sys, const struct group_plan *plan,
                          const pid_t *pids, size_t npids, bool threads_only);
/* Watches a child that is stopped before its exec: opened immediately, counted from the exec on. */
struct tasks *tasks_command(const struct perf_sys *sys, const struct group_plan *plan, pid_t pid);
/* Opens everything again for another plan. */
void tasks_set_plan(struct tasks *t, const struct group_plan *plan);
/* Adds every thread's deltas to tally. Never waits for the attaching. */
void tasks_sample(struct tasks *t, struct tally *tally);
void tasks_status(struct tasks *t, struct tasks_status *out);
void tasks_free(struct tasks *t);

/* Lists the threads of a process, the main thread first. The caller frees *tids. Returns how many,
 * or -errno (-ESRCH: no such process). */
long task_list(pid_t pid, pid_t **tids);
/* The start of a thread in clock ticks since boot; 0: unknown. */
unsigned long long task_start(pid_t pid, pid_t tid);
/* False once the process has ended; a zombie has ended. */
bool task_alive(pid_t pid);
