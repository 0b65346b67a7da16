/*
 * One group of events on one place: a task, a CPU, or a cgroup on a CPU. Not thread-safe by itself:
 * a group belongs to the thread that reads it.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_OPEN_H
#define ROOFTOP_BACKENDS_PERF_COMMON_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backends/perf_common/group_plan.h"
#include "backends/perf_common/scale.h"
#include "backends/perf_common/sys.h"

struct group_where {
    pid_t pid;           /* -1 with cpu; a cgroup directory's fd with PERF_FLAG_PID_CGROUP */
    int cpu;             /* -1 with pid */
    unsigned long flags; /* PERF_FLAG_PID_CGROUP or 0 */
    bool inherit;        /* count what the task starts from now on as well */
    bool threads_only;   /* of that, threads and not processes (Linux 5.13) */
    bool on_exec;        /* start counting when the task executes a program */
};

struct perf_group {
    size_t n; /* members, as in the plan's group; 0 = never opened */
    int *fd;  /* -1 = not open */
    int *err; /* per member: 0, positive errno or EXPLAIN_* */
    unsigned long long *id;
    struct count *last;
    bool kernel_excluded; /* refused with the kernel, so opened without it */
    bool too_big;         /* a member opens alone but not in this group */
    bool stolen;          /* reads give end of file */
};

/*
 * 0 when at least one member is open. Otherwise a negative errno: EMFILE, ENFILE, ESRCH and ENOMEM
 * end the attempt (nothing is left open), else the first member's. err[] tells each member's reason
 * in either case.
 */
int group_open(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               const struct group_where *where);
/*
 * Deltas since the last read into delta[n] (zero where a member is not open or went backwards). For
 * a gauge its value now. 0, -errno, or -ENODATA where the PMU was taken away (it is asked for again
 * on each call).
 */
int group_read(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               struct count *delta);
/* True when at least one member is open. */
bool group_is_open(const struct perf_group *g);
void group_close(struct perf_group *g, const struct perf_sys *sys); /* safe on a zeroed group */

/*
 * Does the kernel accept all members in one group? Tried on ourselves with an enabled leader: a
 * disabled one escapes the kernel's check on some CPUs, and such a group opens but never runs.
 */
bool group_fits(const struct perf_sys *sys, const struct plan_group *plan);

/* perf_event_open as often as it takes: interrupted, an older kernel's attr, no exclude_hv. fd or
 * -errno. */
int event_open_attr(const struct perf_sys *sys, struct perf_event_attr *a,
                    const struct group_where *w, int group_fd);
/* Opens one encoding as rooftop would, counting at once: fd or -errno. */
int event_open_probe(const struct perf_sys *sys, const struct perf_encoding *enc, pid_t pid,
                     int cpu, bool *kernel_excluded);
/* False for what happens in the kernel only: without the kernel it would read 0. */
bool event_counts_without_kernel(const struct perf_encoding *enc);

#endif
