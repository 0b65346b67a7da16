/*
 * Hardware and software counters of the calling thread, for programs that count their own code:
 *
 *     #include <rooftop/counters.h>
 *
 *     rooftop_counters *group = rooftop_counters_open("cycles,instructions,branch-misses");
 *     rooftop_counts before, after;
 *     rooftop_counters_read(group, &before);
 *     work();
 *     rooftop_counters_read(group, &after);
 *     rooftop_counts d = rooftop_counts_between(&before, &after);
 *     double share = rooftop_counts_share(&d);       // of the time that was counted
 *     double cycles = rooftop_counts_scaled(&d, 0);  // as if it had been all of it
 *     const char *why = rooftop_counters_why(group, 0); // not "": not counted, and cycles is 0
 *     rooftop_counters_close(group);
 *
 * Compile with: cc prog.c $(pkg-config --cflags --libs rooftop)
 *
 * The events of a group are counted at the same time, so their ratios are those of one piece of
 * code. Where the kernel allows it, a reading is made of a few instructions (rdpmc) instead of a
 * system call. What cannot be counted says why and never reads as 0 in silence. Bricks have
 * counters without this header: ROOFTOP_BRICK_COUNTERS=cycles,instructions in the environment. C11
 * and C++11. -DROOFTOP_DISABLE does not change this header.
 */
#ifndef ROOFTOP_COUNTERS_H
#define ROOFTOP_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ROOFTOP_COUNTERS_MAX = 8 }; /* events of a group */

typedef struct rooftop_counters rooftop_counters;

/* One reading, or the difference of two. */
typedef struct rooftop_counts {
    uint64_t enabled_ns, running_ns; /* the time that was to be counted, and that was counted */
    uint64_t value[ROOFTOP_COUNTERS_MAX]; /* in the order of the events; 0: it is not counted */
} rooftop_counts;

/*
 * Opens a group for the calling thread, which counts from now on. Events are separated by commas:
 * names of perf ("cycles", "LLC-load-misses", "page-faults"), raw codes ("r01c2"), or
 * NAME=TYPE:CONFIG with the numbers of perf_event_open ("flops=4:0xff03"). ":u", ":k" and ":uk"
 * count user mode, the kernel or both. Without one of them it is user mode; context switches and
 * migrations happen in the kernel and are counted there.
 * An event that cannot be counted stays in the group and has a reason (rooftop_counters_why).
 * Returns NULL only where there is no memory.
 */
rooftop_counters *rooftop_counters_open(const char *events);
void rooftop_counters_close(rooftop_counters *group); /* NULL allowed */

/* The number of events that were asked for, at most ROOFTOP_COUNTERS_MAX; name and reason of one.
 */
unsigned rooftop_counters_n(const rooftop_counters *group);
const char *rooftop_counters_name(const rooftop_counters *group, unsigned i);
/* Why it is not counted, for people; "": it is counted. */
const char *rooftop_counters_why(const rooftop_counters *group, unsigned i);
/* 1: readings need no system call now. They do on a thread other than the group's own. */
int rooftop_counters_fast(const rooftop_counters *group);

/*
 * Reads all events of the group at once. Any thread may read; what is counted is the thread that
 * opened the group. Returns 0, or a negative errno with *out zeroed: -ENODATA if no event is
 * counted, -ECHILD in a child after fork, which opens a group of its own.
 */
int rooftop_counters_read(const rooftop_counters *group, rooftop_counts *out);

static inline rooftop_counts rooftop_counts_between(const rooftop_counts *before,
                                                    const rooftop_counts *after)
{
    rooftop_counts d;
    d.enabled_ns = after->enabled_ns - before->enabled_ns;
    d.running_ns = after->running_ns - before->running_ns;
    for (int i = 0; i < ROOFTOP_COUNTERS_MAX; i++)
        d.value[i] = after->value[i] - before->value[i];
    return d;
}

/*
 * The share of the time in which the group was on the PMU, 0 to 1. Below 1 other groups had the PMU
 * for the rest, and counts are parts. 0: nothing is known.
 */
static inline double rooftop_counts_share(const rooftop_counts *d)
{
    if (d->enabled_ns == 0)
        return 0;
    if (d->running_ns >= d->enabled_ns)
        return 1;
    return (double)d->running_ns / (double)d->enabled_ns;
}

/* A count as if the group had been on the PMU all the time; NaN where it never was, or for an i
 * that no group has. */
static inline double rooftop_counts_scaled(const rooftop_counts *d, unsigned i)
{
    double share = rooftop_counts_share(d);
    return share > 0 && i < ROOFTOP_COUNTERS_MAX ? (double)d->value[i] / share : __builtin_nan("");
}

/*
 * What was counted in all calls of a brick (a rooftop_id of rooftop/brick.h), over all threads and
 * places, where ROOFTOP_BRICK_COUNTERS asks for it: in the order of its events. Returns how many
 * calls were counted; 0: none, and *out is zeroed.
 */
uint64_t rooftop_brick_counts(uint32_t id, rooftop_counts *out);

#ifdef __cplusplus
}
#endif
#endif
