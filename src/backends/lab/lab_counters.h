/* The counters of a run: sets of events that are counted together, one set at a time, so that
 * nothing is multiplexed. */
#ifndef ROOFTOP_BACKENDS_LAB_LAB_COUNTERS_H
#define ROOFTOP_BACKENDS_LAB_LAB_COUNTERS_H

#include "backends/perf_common/open.h"
#include "engine/lab/lab.h"

/* The sets: of the core; macro-ops; L1; top-down. */
enum { LAB_SET_TOPDOWN = 3, LAB_SETS, LAB_EVENTS = 12, LAB_SUMS = LAB_NUMBERS + LAB_EVENTS };

struct lab_set {
    struct perf_encoding events[LAB_EVENTS];
    /* what each is a part of: enum lab_number; of top-down LAB_NUMBERS and its place in the set */
    unsigned number[LAB_EVENTS];
    const char *names[LAB_EVENTS]; /* of top-down: as its metrics name them */
    size_t n;
    bool hits;         /* the CPU counts hits, not accesses */
    char why[LAB_WHY]; /* why it cannot be counted; "" where it can */
    /* While it is open: */
    struct plan_group plan;
    struct perf_group group;
};

/* Finds the events of this CPU, and which sets can be counted now. */
void lab_sets_find(struct lab_set sets[LAB_SETS]);
/* 0 or -errno. */
int lab_set_open(struct lab_set *s);
/* Reads; adds what was counted since the last time to sum, which may be NULL. */
int lab_set_read(struct lab_set *s, double sum[LAB_SUMS]);
void lab_set_close(struct lab_set *s);

#endif
