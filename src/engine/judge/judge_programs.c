/* Programs that check themselves: each run is one of a pair, and each run's check has to pass. */
#include <errno.h>
#include <math.h>

#include "base/env.h"
#include "base/watch.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/program.h"

const struct program_limits program_limits_usual = {
    .seconds = 60, .memory = UINT64_C(16) << 30, .output = 16 << 20};

struct programs {
    const struct judge_plan *plan;
    const struct program_limits *limits;
    struct judge_result *result;
};

static int run_side(const struct programs *p, unsigned side, double *ns, double *elapsed,
                    struct error *err)
{
    struct judge_refusal *r = &p->result->refusal;
    const char *command = side ? p->plan->candidate : p->plan->baseline;
    struct program_took took = {0};
    int rc = watch_check("judge", err);
    if (rc == 0)
        rc = p->plan->sandboxes->run_program(command, p->limits, &took, r, err);
    *elapsed = (double)took.elapsed_ns;
    *ns = (double)(p->plan->cpu_time ? took.cpu_ns : took.elapsed_ns);
    if (rc != 1 || side == 1)
        return rc;
    return error_set(
        err, ERROR_INPUT, EINVAL,
        "a baseline passes its own check, within the limits of time, memory and output", command,
        "the baseline was refused (%s): %.180s", judge_guard_name(r->guard), r->evidence);
}

static int take_pair(void *ctx, bool cold, struct judge_pair *out, struct error *err)
{
    const struct programs *p = ctx;
    uint8_t chance;
    int rc = 0;
    (void)cold;
    env_random(&chance, sizeof chance);
    out->calls = 1;
    for (unsigned i = 0; i < 2 && rc == 0; i++) {
        const unsigned side = (chance & 1) ^ i;
        rc = run_side(p, side, &out->ns[side], &out->elapsed_ns[side], err);
    }
    return rc;
}

/* A program that does nothing must not pass. */
static int try_nothing(const struct programs *p, const char *nothing, struct error *err)
{
    struct judge_refusal r;
    struct program_took ignored;
    const int rc = p->plan->sandboxes->run_program(nothing, p->limits, &ignored, &r, err);
    if (rc != 0)
        return rc == 1 ? 0 : rc;
    return judge_refuse_by_guard(
        p->plan, p->result, GUARD_BLIND,
        "a program that does nothing passes, too: the check is part of what is judged");
}

int judge_programs(const struct judge_plan *plan, const char *nothing,
                   const struct program_limits *limits, struct judge_result *out, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct programs p = {.plan = plan, .limits = limits, .result = out};
    const struct judge_pairs pairs = {
        .take = take_pair, .now_ns = judge_now_ns, .ctx = &p, .warm_only = true};
    double ignored[2];
    *out = (struct judge_result){
        .warm = none, .cold = none, .confirmed = none, .baseline_ns = NAN, .candidate_ns = NAN};
    int rc = run_side(&p, 0, &ignored[0], &ignored[1], err);
    if (rc == 0)
        rc = try_nothing(&p, nothing, err);
    if (rc == 0) {
        out->checks = 1;
        rc = run_side(&p, 1, &ignored[0], &ignored[1], err);
    }
    if (rc == 0)
        rc = judge_decide(plan, &pairs, out, err);
    if (watch_given_up())
        return watch_check("judge", err);
    if (rc == 1)
        out->verdict = JUDGE_REFUSED;
    return rc < 0 ? rc : 0;
}
