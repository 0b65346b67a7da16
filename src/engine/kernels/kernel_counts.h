/* What the hardware counters of a kernel's dispatches say of one call of it. */
#ifndef ROOFTOP_ENGINE_KERNELS_KERNEL_COUNTS_H
#define ROOFTOP_ENGINE_KERNELS_KERNEL_COUNTS_H

#include "engine/roofline/gpu_work.h"

/*
 * Counters that rules look at; docs of each in rocprofiler-sdk, counter_defs.yaml. A profile in
 * several passes has other counters for every dispatch: each is a mean over the dispatches that
 * have it.
 */
enum kernel_counter {
    COUNTER_WAVES,
    COUNTER_WAVE_CYCLES, /* this and the next: quad-cycles of waves */
    COUNTER_WAIT_ANY,
    COUNTER_VALU, /* instructions of waves; MFMA are among them */
    COUNTER_SALU,
    COUNTER_SMEM,
    COUNTER_VMEM,
    COUNTER_LDS,
    COUNTER_BRANCH,
    KERNEL_COUNTERS
};

struct kernel_counts {
    double counter[KERNEL_COUNTERS];      /* mean of a dispatch; NaN = not counted */
    double ops_s[WORK_UNITS][WORK_TYPES]; /* of gpu_work, a second: over the time of just those */
    double bytes_s[WORK_LEVELS];          /* dispatches that counted it; NaN = not counted */
    uint32_t dispatches;                  /* that have any counter */
    uint32_t missing;                     /* the least that a dispatch lacks: gpu_work.missing */
};

/* Sums while dispatches are gone through. */
struct kernel_counting {
    double counter[KERNEL_COUNTERS], ops[WORK_UNITS][WORK_TYPES], bytes[WORK_LEVELS];
    uint64_t ops_ns[WORK_UNITS][WORK_TYPES], bytes_ns[WORK_LEVELS]; /* that those took */
    uint32_t ncounter[KERNEL_COUNTERS];
    uint32_t dispatches, missing;
};

/* The counters of one dispatch that took ns, from trace.counters[first..first + n). slot: of every
 * name of trace.calls, from kernel_counter_slots. */
void kernel_counting_add(struct kernel_counting *to, const struct trace *t, uint32_t dispatch,
                         uint32_t first, uint32_t n, const uint8_t *slot, uint64_t ns);
void kernel_counting_merge(struct kernel_counting *to, const struct kernel_counting *from);
/* from NULL: nothing was counted. */
struct kernel_counts kernel_counts_of(const struct kernel_counting *from);
/* One byte a name, KERNEL_COUNTERS for others; free it. */
uint8_t *kernel_counter_slots(const struct graph *calls);

#endif
