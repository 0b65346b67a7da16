/*
 * What one tick counted, summed over all places, per member of a plan. Filled by readers.c and
 * tasks.c, read by emit.c; used by the sampling thread alone.
 */
#ifndef ROOFTOP_BACKENDS_PERF_COMMON_TALLY_H
#define ROOFTOP_BACKENDS_PERF_COMMON_TALLY_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/perf_common/group_plan.h"
#include "backends/perf_common/scale.h"

struct tally {
    const struct plan *plan; /* borrowed */
    int ncpus;               /* positions of cpu[], 0 = no CPU dimension */
    struct count_sum *sum;   /* plan->nmembers */
    int *err;                /* per member: first reason why a place does not count; 0 = none */
    struct count_sum *cpu;   /* nmembers * ncpus, row per member */
    int *cpu_err;            /* the same shape */
    bool *excluded;          /* per member: somewhere counted without the kernel */
    bool *too_big;           /* per group: the kernel refused the group's size */
    unsigned late;           /* places that did not answer in time */
    unsigned offline;        /* CPUs that are offline */
};

void tally_init(struct tally *t, const struct plan *plan, int ncpus);
void tally_free(struct tally *t);
/* One place's delta of a member. cpu: position, or -1. */
void tally_add(struct tally *t, size_t member, int cpu, const struct count *delta,
               unsigned intervals);
void tally_refuse(struct tally *t, size_t member, int cpu, int err);
void tally_pending(struct tally *t, size_t member, int cpu);

#endif
