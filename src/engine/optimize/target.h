/*
 * What an optimisation is judged by: a function with a harness, a captured dispatch of a GPU, or a
 * program with a check of its own. The loop knows no more of it than this; src/cli/optimize fills
 * it with what `rooftop optimize judge` has.
 */
#pragma once

#include "engine/judge/judge.h"

/* One question to the judge. What it draws at random is its own. */
struct target_trial {
    const char *baseline, *candidate; /* what the build command made */
    double for_s;                     /* of pairs, the confirmation not counted */
    double margin, confidence;
    /* As in judge_plan, called with what the pairs say so far. NULL: nobody listens. */
    void (*on_progress)(void *ctx, const struct judge_progress *p);
    void *progress_ctx;
};

struct target_judgement {
    enum judge_verdict verdict;
    struct judge_refusal refusal; /* JUDGE_REFUSED; GUARD_BLIND: the check lets wrong pass */
    /* What the candidate takes by what the baseline takes: factors. NaN: not measured. */
    struct interval warm, cold, confirmed;
    double baseline_ns, candidate_ns; /* medians of a call, run or launch; NaN: no time at all */
    uint64_t pairs;
    bool modelled; /* the factors are those of a model, not of time */
};

struct optimize_target {
    const char *name;     /* in the log: "harness", "capture", "run" */
    const char *function; /* whose body may change; "": any part of the source */
    const char *object;   /* how what is built ends: ".so" */
    const char *build;    /* the command that builds where the user names none */
    uint64_t hash;        /* of all that the judge goes by: another one is another target */
    /* What proposers are told of arguments: a harness, or the size of the work-groups that are
     * launched. NULL, and zeros: nothing. */
    const struct harness *harness;
    uint32_t block[3];
    bool amd;           /* its source is for an AMD GPU: .cu is HIP */
    const char *kernel; /* its name in profiles, with parameters; NULL: it is none of a GPU */
    void *state;
    /* 0 with *out, or -errno with err where nothing can be judged. Looks at watch_given_up(). */
    int (*judge)(void *state, const struct target_trial *t, struct target_judgement *out,
                 struct error *err);
    /* A hash of the code in a build, without what differs from build to build and is never run;
     * 0 with err. NULL: build_hash (optimize_impl.h). */
    uint64_t (*code)(void *state, const char *path, struct error *err);
};
