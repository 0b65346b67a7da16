#include "engine/judge/judge.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/watch.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/loading.h"

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

int judge_side_result(struct judging *j, unsigned side, int rc, struct error *err)
{
    const struct judge_refusal *r = &j->result->refusal;
    if (rc != 1 || side == 1)
        return rc;
    return error_set(
        err, ERROR_INPUT, EINVAL,
        "the baseline keeps the judge's rules, too: no static data, files, threads or "
        "clocks; and the harness describes its arguments (align: how its arrays stand)",
        j->plan->baseline, "the baseline was refused (%s): %.180s", judge_guard_name(r->guard),
        r->evidence);
}

int judge_start(struct judging *j, unsigned side, size_t slots, struct error *err)
{
    const char *candidate = j->stripped ? j->stripped : j->plan->candidate;
    const char *object = side == 0 ? j->plan->baseline : candidate;
    int rc = watch_check("judge", err);
    if (rc == 0)
        rc = j->plan->sandboxes->start(&j->sandbox[side], j->memory[side], slots, object,
                                       &j->result->refusal, err);
    return judge_side_result(j, side, rc, err);
}

void judge_stop(struct judging *j, unsigned side)
{
    j->plan->sandboxes->end(j->sandbox[side]);
    j->sandbox[side] = NULL;
}

static uint64_t sandboxes_ns(const struct judging *j)
{
    uint64_t ns = j->ended_ns;
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        ns += j->memory[side] ? j->memory[side]->cpu_ns : 0;
    return ns;
}

uint64_t judge_own_ns(const struct judging *j)
{
    return env_cpu_ns() + sandboxes_ns(j);
}

static int strip_candidate(struct judging *j, struct error *err)
{
    const struct judge_plan *plan = j->plan;
    const size_t room = strlen(plan->candidate) + sizeof ".held";
    if (plan->allow[GUARD_CONSTRUCTORS])
        return 0;
    j->stripped = xcalloc(room, 1);
    snprintf(j->stripped, room, "%s.held", plan->candidate);
    return loading_strip_file(plan->candidate, plan->baseline, j->stripped, &j->result->refusal,
                              err);
}

static void drop_candidate(struct judging *j)
{
    if (j->stripped)
        unlink(j->stripped);
    free(j->stripped);
}

int judge_run(const struct judge_plan *plan, struct judge_result *out, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct judging j = {.plan = plan, .harness = plan->harness, .result = out};
    *out = (struct judge_result){.warm = none,
                                 .cold = none,
                                 .confirmed = none,
                                 .baseline_ns = NAN,
                                 .candidate_ns = NAN,
                                 .instructions = {NAN, NAN}};
    if (plan->same_at_once && loading_same_files(plan->baseline, plan->candidate)) {
        out->identical = true;
        out->verdict = JUDGE_EQUIVALENT;
        return 0;
    }
    const uint64_t began = env_cpu_ns();
    int rc = strip_candidate(&j, err);
    for (unsigned side = 0; side < JUDGE_SIDES && rc == 0; side++)
        rc = sandbox_memory_open(&j.memory[side], plan->harness, 1 << 12, err);
    if (rc == 0)
        rc = judge_check(&j, err);
    if (rc == 0)
        rc = judge_time(&j, err);
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        judge_stop(&j, side);
    out->cost.judge_ns = (double)(env_cpu_ns() - began);
    out->cost.sandboxes_ns = (double)sandboxes_ns(&j);
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        sandbox_memory_close(j.memory[side]);
    drop_candidate(&j);
    if (watch_given_up()) /* the key that gives up may have ended the process of a side, too */
        return watch_check("judge", err);
    if (rc == 1)
        out->verdict = JUDGE_REFUSED;
    return rc < 0 ? rc : 0;
}
