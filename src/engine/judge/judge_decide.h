/*
 * What pairs of times say: when it looks, when it ends, which verdict it gives. Where the pairs
 * come from is not its matter: from processes, or from a test.
 */
#ifndef ROOFTOP_ENGINE_JUDGE_JUDGE_DECIDE_H
#define ROOFTOP_ENGINE_JUDGE_JUDGE_DECIDE_H

#include "engine/judge/judge.h"

struct judge_pair {
    double ns[2];           /* of the baseline, of the candidate: all calls together */
    double instructions[2]; /* the same; NAN: not counted */
    size_t calls;           /* of each side; at least 1 */
};

struct judge_pairs {
    /* Measures a pair whose order chance chose. 0, 1 with the refusal in the result, or -errno. */
    int (*take)(void *ctx, bool cold, struct judge_pair *out, struct error *err);
    uint64_t (*now_ns)(void *ctx);
    void *ctx;
    bool warm_only; /* there are no pairs with cold caches */
};

/*
 * Takes pairs until they are decided or plan->for_s is over, and where they say "faster" once more,
 * to confirm it. Fills the times, intervals, pairs and the verdict of the result. Returns 0, 1 with
 * result->refusal, or -errno with err.
 */
int judge_decide(const struct judge_plan *plan, const struct judge_pairs *pairs,
                 struct judge_result *result, struct error *err);

/* Refuses, unless the plan allows it: then 0. */
int judge_objects(const struct judge_plan *plan, struct judge_result *result,
                  const struct judge_refusal *refusal);

#endif
