/*
 * One group of events in one place: a task, a CPU, or a cgroup on a CPU. Not thread-safe: a group
 * belongs to the thread that reads it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/perf_common/group_plan.h"
#include "backends/perf_common/scale.h"
#include "backends/perf_common/sys.h"

struct group_where {
    pid_t pid; /* -1 with cpu; with PERF_FLAG_PID_CGROUP the descriptor of a cgroup's directory */
    int cpu;   /* -1 with pid */
    unsigned long flags; /* PERF_FLAG_PID_CGROUP or 0 */
    bool inherit;        /* also count what the task starts from now on */
    bool threads_only;   /* of what it starts, only threads, not processes (Linux 5.13) */
    bool on_exec;        /* start counting when the task executes a program */
};

struct perf_group {
    size_t n; /* members, as in the plan's group; 0: never opened */
    int *fd;  /* -1: not open */
    int *err; /* for each member: 0, positive errno or EXPLAIN_* */
    unsigned long long *id;
    struct count *last;
    bool kernel_excluded; /* opened without the kernel, which may not be counted */
    bool too_big;         /* a member opens alone but not in this group */
    bool stolen;          /* reads return end of file */
};

/* Opens a group. Returns 0 if at least one member is open, otherwise a negative errno: EMFILE,
 * ENFILE, ESRCH and ENOMEM stop the attempt (nothing stays open), else the error of the first
 * member. err[] has each member's reason in both cases. */
int group_open(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               const struct group_where *where);
/* Writes the counts since the last read to delta[n] (zero if a member is not open or went
 * backwards); for a gauge its present value. Returns 0, -errno, or -ENODATA if another user took
 * the PMU (each call then requests it again). */
int group_read(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               struct count *delta);
/* Whether at least one member is open. */
bool group_is_open(const struct perf_group *g);
void group_close(struct perf_group *g, const struct perf_sys *sys); /* safe on a zeroed group */

/* Whether the kernel accepts all members in one group. Tested on ourselves with an enabled leader:
 * on some CPUs the kernel does not check a disabled one, and such a group opens but never runs. */
bool group_fits(const struct perf_sys *sys, const struct plan_group *plan);

/* Calls perf_event_open, again after interruptions, for an older kernel's attr, or without
 * exclude_hv. Returns a descriptor or -errno. */
int event_open_attr(const struct perf_sys *sys, struct perf_event_attr *a,
                    const struct group_where *w, int group_fd);
/* Opens one encoding as rooftop would, counting at once. Returns a descriptor or -errno. */
int event_open_probe(const struct perf_sys *sys, const struct perf_encoding *enc, pid_t pid,
                     int cpu, bool *kernel_excluded);
