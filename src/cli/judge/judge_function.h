/* Makes the plan for judging a function with a harness from options, for rooftop optimize judge and
 * rooftop optimize. */
#pragma once

#include "cli/options/command.h"
#include "engine/judge/judge.h"

#define JUDGE_BUILD_FUNCTION "${CC:-cc} -O2 -shared -fPIC -o {out} {source} -lm"

struct judge_function {
    struct harness harness;
    uint64_t hash; /* of its file */
    struct judge_floor floor;
    struct judge_need need;
};

/* Reads the harness, and the roofs of the file `roofs` or (NULL) the stored ones. 0, or -errno
 * with err. */
int judge_function_open(struct judge_function *f, const char *harness, const char *roofs,
                        struct error *err);
/* Fills those members of a plan for judge_run that follow from the function. f must outlive the
 * plan. */
void judge_function_plan(const struct judge_function *f, struct judge_plan *plan);
