/* What the steps of the judge share. */
#ifndef ROOFTOP_ENGINE_JUDGE_JUDGE_IMPL_H
#define ROOFTOP_ENGINE_JUDGE_JUDGE_IMPL_H

#include "engine/judge/cell.h"
#include "engine/judge/judge.h"

enum { JUDGE_SIDES = 2 }; /* 0: the baseline, 1: the candidate */

struct judging {
    const struct judge_plan *plan;
    const struct harness *harness;
    struct judge_result *result;
    struct cell_memory *memory[JUDGE_SIDES];
    struct cell *cell[JUDGE_SIDES];
    char *held;   /* a copy of the candidate that runs nothing when it is loaded; NULL: allowed */
    size_t batch; /* the most calls of a timed batch */
    double elapsed_ns;               /* what went by in all timed batches */
    void *pool[JUDGE_ARGUMENTS + 1]; /* of each input: values from which calls take theirs */
};

/* All of these return 0, 1 with result->refusal, or -errno with err. */
int judge_start(struct judging *j, unsigned side, size_t places, struct error *err);
void judge_stop(struct judging *j, unsigned side);
/* CPU time so far, of this process and of the ended ones that made calls. */
uint64_t judge_own_ns(const struct judging *j);
/* Turns a refusal of the baseline into an error: nothing can be judged then. */
int judge_side_result(struct judging *j, unsigned side, int rc, struct error *err);
int judge_check(struct judging *j, struct error *err);
int judge_time(struct judging *j, struct error *err);
/* Refuses, unless a person has allowed it: then 0. */
int judge_object(struct judging *j, const struct judge_refusal *refusal);

#endif
