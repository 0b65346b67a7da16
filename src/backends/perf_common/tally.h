/*
 * The counts of one tick, summed over all places, for each member of a plan. readers.c and tasks.c
 * fill it, emit.c reads it. Only the sampling thread uses it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "backends/perf_common/group_plan.h"
#include "backends/perf_common/scale.h"

struct tally {
    const struct group_plan *plan; /* borrowed */
    int ncpus;                     /* entries of cpu[] for each member; 0: not split by CPU */
    struct count_sum *sum;         /* plan->nmembers */
    int *err; /* for each member: the first reason why a place does not count; 0: none */
    struct count_sum *cpu; /* nmembers * ncpus, a row for each member */
    int *cpu_err;          /* the same layout */
    bool *excluded;        /* for each member: some place is counted without the kernel */
    bool *too_big;         /* for each group: the kernel refused its size */
    unsigned late;         /* places that did not answer in time */
    unsigned offline;      /* offline CPUs */
};

void tally_init(struct tally *t, const struct group_plan *plan, int ncpus);
void tally_free(struct tally *t);
/* Adds one place's delta of a member. cpu: its index in cpu[], or -1. */
void tally_add(struct tally *t, size_t member, int cpu, const struct count *delta,
               unsigned intervals);
void tally_refuse(struct tally *t, size_t member, int cpu, int err);
void tally_pending(struct tally *t, size_t member, int cpu);
