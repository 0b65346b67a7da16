/*
 * Decides which events are counted together: requested sets become groups that the PMU can hold.
 * Pure functions.
 *
 * The kernel schedules a group as a whole, so its counts cover the same time and may be divided by
 * each other. A set stays in one group if it fits. Sets that share events share a group if both
 * fit. A set that is too large is split, and the plan reports it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "backends/perf_event/encoding.h"

enum { PLAN_GROUP_MAX = 32 }; /* events in a group; the kernel's read buffer holds far more */

struct plan_event {
    const struct perf_encoding *enc; /* borrowed while planning */
    int set;                         /* events with the same number belong together; -1: alone */
};

struct plan_limits {
    int counters; /* general-purpose counters of a core PMU; 0: unknown, the kernel decides */
    int taken;    /* counters in use by others: 1 with the NMI watchdog */
    int uncore;   /* counters of an uncore PMU; 0: unknown */
};

enum plan_domain { PLAN_CORE, PLAN_SOFTWARE, PLAN_UNCORE };

struct plan_group {
    struct perf_encoding *members; /* leader first */
    size_t n;
    size_t first; /* index of members[0] among the members of all groups */
    enum plan_domain domain;
    bool metrics; /* led by Intel's slots event, which must stay the leader */
    int cost;     /* counters that it needs */
};

struct plan_place {
    int group;  /* index; -1: in no group */
    int member; /* index in the group */
};

struct group_plan {
    struct plan_group *groups;
    size_t ngroups;
    size_t nmembers;          /* of all groups together */
    struct plan_place *where; /* one for each requested event */
    size_t nevents;
    unsigned sets_split; /* sets that did not fit into one group */
};

/* Makes a plan; never fails. An event that fits no group gets its own, and the kernel decides. Free
 * it with group_plan_free. */
struct group_plan *group_plan_new(const struct plan_event *events, size_t n,
                                  const struct plan_limits *limits);
/* The same plan with one group, which the PMU never ran, split in two: the leader and half of the
 * cost stay. NULL if it cannot be split: a single event, or slots with only its metrics. */
struct group_plan *group_plan_split(const struct group_plan *p, size_t group);
void group_plan_free(struct group_plan *p);
