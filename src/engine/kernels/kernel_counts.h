/* What hardware counters say about one call of a kernel: means over the dispatches that have
 * them. */
#pragma once

#include "engine/roofline/gpu_work.h"

/*
 * The counters that rules use; counter_defs.yaml of rocprofiler-sdk documents each. A profile made
 * in several passes has other counters for each dispatch, so each counter is a mean over the
 * dispatches that have it.
 */
enum kernel_counter {
    COUNTER_WAVES,
    COUNTER_WAVE_CYCLES, /* this and the next: quad-cycles, summed over waves */
    COUNTER_WAIT_ANY,
    COUNTER_VALU, /* instructions, summed over waves; MFMA instructions are included */
    COUNTER_SALU,
    COUNTER_SMEM,
    COUNTER_VMEM,
    COUNTER_LDS,
    COUNTER_BRANCH,
    KERNEL_COUNTERS
};

struct kernel_counts {
    double counter[KERNEL_COUNTERS];      /* mean over dispatches; NaN = not counted */
    double ops_s[WORK_UNITS][WORK_TYPES]; /* operations, bytes a second, over the time of only */
    double bytes_s[WORK_LEVELS];          /* that counted them; NaN = not counted */
    uint32_t dispatches;                  /* number of dispatches with any counter */
    uint32_t missing; /* gpu_work.missing of the dispatch that lacks the fewest counters */
};

/* Sums while the dispatches are read. */
struct kernel_counting {
    double counter[KERNEL_COUNTERS], ops[WORK_UNITS][WORK_TYPES], bytes[WORK_LEVELS];
    uint64_t ops_ns[WORK_UNITS][WORK_TYPES],
        bytes_ns[WORK_LEVELS]; /* time of the dispatches that counted each */
    uint32_t ncounter[KERNEL_COUNTERS];
    uint32_t dispatches, missing;
};

/* Adds the counters of one dispatch that took ns nanoseconds: trace.counters[first..first + n).
 * slot: for every name of trace.calls, from kernel_counter_slots. */
void kernel_counting_add(struct kernel_counting *to, const struct trace *t, uint32_t dispatch,
                         uint32_t first, uint32_t n, const uint8_t *slot, uint64_t ns);
void kernel_counting_merge(struct kernel_counting *to, const struct kernel_counting *from);
/* Computes the means. `from` may be NULL: nothing was counted. */
struct kernel_counts kernel_counts_of(const struct kernel_counting *from);
/* For each name one byte: its enum kernel_counter, or KERNEL_COUNTERS for other names. The caller
 * frees it. */
uint8_t *kernel_counter_slots(const struct graph *calls);
