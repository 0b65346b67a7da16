/* What judges an optimisation, as the command line names it: engine/optimize/target.h. */
#pragma once

#include "cli/options/command.h"
#include "engine/optimize/target.h"

/* The values of rooftop optimize; NULL and 0: not given. */
struct optimize_options {
    const char *harness, *run, *vary; /* of the target */
    const char *build, *allow, *min_gain, *confidence, *folder, *db, *profile, *kernel, *function;
    const char *proposers; /* a line each */
    long iterations, tries, population;
    double each_s, answer_s;
    bool dry_run, resume, apply, no_store, cpu_time;
};

struct target_ops {
    /* Fills out, including out->state. 0, or -errno with err. Call close with the state in
     * either case. o and allow (JUDGE_GUARDS values) must outlive the target. */
    int (*open)(struct optimize_target *out, const struct options *o, const bool *allow,
                struct error *err);
    /* The exit status of the command if the judge failed; 0: the status that the error implies.
     * NULL: as if it returned 0. */
    int (*status)(const void *state);
    void (*close)(void *state); /* NULL allowed as state */
};
extern const struct target_ops target_harness, target_capture, target_run;

/* For targets of the CPU: fills the plan for judge_run, and reads its result. */
void target_plan(struct judge_plan *plan, const struct target_trial *t, const bool *allow);
void target_take(struct target_judgement *out, const struct judge_result *r);
