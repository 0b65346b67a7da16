/*
 * Which events are counted together: requested sets become groups that the PMU can hold. Pure.
 *
 * One group is scheduled as a whole, so numbers of one group cover the same time and may be divided
 * by each other. A set stays in one group while it fits; sets that share events share a group where
 * both fit; what is too big is split, and the plan says so.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_GROUP_PLAN_H
#define ROOFTOP_BACKENDS_PERF_COMMON_GROUP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/perf_event/encoding.h"

enum { PLAN_GROUP_MAX = 32 }; /* events in a group; the kernel's read buffer holds far more */

struct plan_event {
    const struct perf_encoding *enc; /* borrowed while planning */
    int set;                         /* events of one number belong together; -1 = alone */
};

struct plan_limits {
    int counters; /* general-purpose counters of a core PMU; 0 = unknown: the kernel decides */
    int taken;    /* of these held by others: 1 with the NMI watchdog */
    int uncore;   /* counters of an uncore PMU, 0 = unknown */
};

enum plan_domain { PLAN_CORE, PLAN_SOFTWARE, PLAN_UNCORE };

struct plan_group {
    struct perf_encoding *members; /* leader first */
    size_t n;
    size_t first; /* flat index of members[0] among all members of the plan */
    enum plan_domain domain;
    bool metrics; /* led by Intel's slots: cannot lose its leader */
    int cost;     /* counters it takes */
};

struct plan_place {
    int group;  /* index, -1 = in no group */
    int member; /* in the group */
};

struct plan {
    struct plan_group *groups;
    size_t ngroups;
    size_t nmembers;          /* of all groups together */
    struct plan_place *where; /* one per event asked for */
    size_t nevents;
    unsigned sets_split; /* sets that did not fit one group */
};

/* Never fails: an event too big for any group gets one alone and the kernel has the last word. */
struct plan *group_plan_new(const struct plan_event *events, size_t n,
                            const struct plan_limits *limits);
/*
 * The same plan with one group cut in two (leader and half of the cost stay), for a group that the
 * PMU never ran. NULL where it cannot be cut: a single event, or slots with its metrics alone.
 */
struct plan *group_plan_split(const struct plan *p, size_t group);
void group_plan_free(struct plan *p);

/* True for Intel's topdown "slots" (event 0, umask 4), which must lead its group; metric events
 * follow it. */
bool plan_is_slots(const struct perf_encoding *enc);

#endif
