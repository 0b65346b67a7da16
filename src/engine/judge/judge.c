#include "engine/judge/judge.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"
#include "engine/judge/judge_decide.h"
#include "engine/judge/judge_impl.h"

static const struct guard_row {
    const char *name, *stops;
} guards[JUDGE_GUARDS] = {
    [JUDGE_NO_GUARD] = {"", ""},
#define GUARD(id, name, stops) [GUARD_##id] = {name, stops},
#include "engine/judge/judge_guards.def"
#undef GUARD
};

const char *judge_guard_name(enum judge_guard g)
{
    return guards[g].name;
}

const char *judge_guard_stops(enum judge_guard g)
{
    return guards[g].stops;
}

enum judge_guard judge_guard_named(const char *name)
{
    for (int g = JUDGE_NO_GUARD + 1; g < JUDGE_GUARDS; g++)
        if (strcmp(guards[g].name, name) == 0)
            return (enum judge_guard)g;
    return JUDGE_NO_GUARD;
}

const char *judge_verdict_name(enum judge_verdict v)
{
    static const char *const names[] = {
        [JUDGE_NOT_DECIDED] = "not decided", [JUDGE_FASTER] = "faster",   [JUDGE_SLOWER] = "slower",
        [JUDGE_EQUIVALENT] = "equivalent",   [JUDGE_REFUSED] = "refused",
    };
    return names[v];
}

int judge_refuse(struct judge_refusal *r, enum judge_guard guard, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->guard = guard;
    vsnprintf(r->evidence, sizeof r->evidence, format, args);
    va_end(args);
    return 1;
}

int judge_object(struct judging *j, const struct judge_refusal *refusal)
{
    return judge_objects(j->plan, j->result, refusal);
}

int judge_side_result(struct judging *j, unsigned side, int rc, struct error *err)
{
    const struct judge_refusal *r = &j->result->refusal;
    if (rc != 1 || side == 1)
        return rc;
    return error_set(err, ERROR_INPUT, EINVAL,
                     "the baseline keeps the judge's rules, too: no static data, files, threads or "
                     "clocks; and the harness describes its arguments",
                     j->plan->baseline, "the baseline was refused (%s): %.180s",
                     judge_guard_name(r->guard), r->evidence);
}

int judge_start(struct judging *j, unsigned side, struct error *err)
{
    const char *object = side ? j->plan->candidate : j->plan->baseline;
    int rc = watch_check("judge", err);
    rc = rc ? rc : cell_start(&j->cell[side], j->memory[side], object, &j->result->refusal, err);
    return judge_side_result(j, side, rc, err);
}

void judge_stop(struct judging *j, unsigned side)
{
    cell_free(j->cell[side]);
    j->cell[side] = NULL;
}

int judge_run(const struct judge_plan *plan, struct judge_result *out, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct judging j = {.plan = plan, .harness = plan->harness, .result = out};
    *out = (struct judge_result){
        .warm = none, .cold = none, .confirmed = none, .baseline_ns = NAN, .candidate_ns = NAN};
    int rc = 0;
    for (unsigned side = 0; side < JUDGE_SIDES && rc == 0; side++)
        rc = cell_memory_open(&j.memory[side], plan->harness, 1 << 12, err);
    rc = rc ? rc : judge_check(&j, err);
    rc = rc ? rc : judge_time(&j, err);
    for (unsigned side = 0; side < JUDGE_SIDES; side++) {
        judge_stop(&j, side);
        cell_memory_close(j.memory[side]);
    }
    if (watch_given_up()) /* the key that gives up may have ended the process of a side, too */
        return watch_check("judge", err);
    if (rc == 1)
        out->verdict = JUDGE_REFUSED;
    return rc < 0 ? rc : 0;
}
