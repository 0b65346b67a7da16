/* What the files of backends/lab share among themselves. */
#pragma once

#include "backends/perf_common/open.h"
#include "base/error.h"
#include "engine/lab/lab.h"
#include "vtpu/compile.h"

/* The counters of a run: sets of events that are counted together, one set at a time, so that
 * nothing is multiplexed. */

/* The sets: core, macro-ops, L1, top-down. */
enum { LAB_SET_TOPDOWN = 3, LAB_SETS, LAB_EVENTS = 12, LAB_SUMS = LAB_NUMBERS + LAB_EVENTS };

struct lab_set {
    struct perf_encoding events[LAB_EVENTS];
    /* the number that each adds to: enum lab_number; top-down: LAB_NUMBERS + its index in the set
     */
    unsigned number[LAB_EVENTS];
    const char *names[LAB_EVENTS]; /* top-down: as its metrics name them */
    size_t n;
    bool hits;         /* the CPU counts hits, not accesses */
    char why[LAB_WHY]; /* why it cannot be counted; "" if it can */
    /* While it is open: */
    struct plan_group plan;
    struct perf_group group;
};

/* Finds the events of this CPU, and which sets can be counted now. */
void lab_sets_find(struct lab_set sets[LAB_SETS]);
/* 0 or -errno. */
int lab_set_open(struct lab_set *s);
/* Reads the counters and adds the counts since the last time to sum, which may be NULL. */
int lab_set_read(struct lab_set *s, double sum[LAB_SUMS]);
void lab_set_close(struct lab_set *s);

/* Top-down, level 1, of a run of the lab: how the issue slots of the core were used. */

/* The metrics of this CPU (docs/METRICS.md, top-down) from the counts of the events of set s, in
 * its order. out: percent of the slots; NaN if the metric could not be evaluated. */
void lab_topdown(const struct lab_set *s, const double counts[LAB_EVENTS],
                 double out[LAB_TOPDOWN_PARTS]);

/* Compiled streams in executable memory, which is never writable and executable at the same time.
 */
struct native {
    vtpu_function *run;
    void *memory;
    size_t size;
};

/* Copies the code, which may be freed afterwards. -errno if the system refuses such memory. */
int native_load(struct native *out, const struct vtpu_native *code, struct error *err);
void native_unload(struct native *n);
