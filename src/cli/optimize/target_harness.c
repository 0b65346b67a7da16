/* A function with a harness (engine/judge/judge.h). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/judge/judge_function.h"
#include "cli/optimize/target.h"

struct function_target {
    struct judge_function function;
    const bool *allow;
};

static int judge(void *state, const struct target_trial *t, struct target_judgement *out,
                 struct error *err)
{
    const struct function_target *f = state;
    struct judge_plan plan;
    struct judge_result r;
    target_plan(&plan, t, f->allow);
    judge_function_plan(&f->function, &plan);
    const int rc = judge_run(&plan, &r, err);
    if (rc == 0)
        target_take(out, &r);
    return rc;
}

static int function_open(struct optimize_target *out, const struct options *o, const bool *allow,
                         struct error *err)
{
    struct function_target *f = xcalloc(1, sizeof *f);
    f->allow = allow;
    const struct optimize_options *own = o->own;
    *out = (struct optimize_target){.name = "harness",
                                    .object = ".so",
                                    .build = JUDGE_BUILD_FUNCTION,
                                    .state = f,
                                    .judge = judge};
    const int rc = judge_function_open(&f->function, own->harness, o->roofs, err);
    out->hash = f->function.hash;
    out->harness = &f->function.harness;
    out->function = f->function.harness.function;
    return rc;
}

const struct target_ops target_harness = {.open = function_open, .close = free};
