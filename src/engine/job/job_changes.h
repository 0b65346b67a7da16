/*
 * Two runs of a job, rank by rank: what changed by more than the ranks differ among each other.
 * Ranks are matched by their numbers.
 */
#pragma once

#include "engine/job/job_folder.h"
#include "engine/value/list_field.h"

struct job_change {
    const struct list_field *field; /* of rank_fields */
    uint32_t n;                     /* ranks that know the number in both runs */
    double before, after;           /* medians over them */
    double change;                  /* median of the differences of the ranks */
    double spread;  /* of the ranks: the larger one of both runs; NaN: of one rank */
    bool changed;   /* by more than twice the spread, and 1 % */
    uint32_t apart; /* number of the rank whose change is far from the others'; JOB_NONE */
    double apart_by;
};

enum { JOB_CHANGES = 10 };
struct job_changes {
    struct job_change list[JOB_CHANGES];
    uint32_t matched;       /* ranks that are in both runs */
    uint32_t alone[2];      /* ranks of a run that the other one lacks */
    uint32_t moved;         /* matched ranks that ran on another host */
    uint32_t other_program; /* matched ranks of another build or file of the program */
};

/* Returns 0, or -EINVAL with err: no rank is in both. */
int job_changes_find(struct job_changes *out, const struct job_folder *before,
                     const struct job_folder *after, struct error *err);
