#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/budgets/budgets_impl.h"

static bool is_budget_of_program(const struct budget *b, const char *program)
{
    if (!b->applies_to)
        return true;
    for (const char *at = b->applies_to; program && *at;) {
        size_t n = strcspn(at, "\n");
        char one[256];
        if (n < sizeof one) {
            memcpy(one, at, n);
            one[n] = 0;
            if (fnmatch(one, program, 0) == 0)
                return true;
        }
        at += n + (at[n] == '\n');
    }
    return false;
}

static bool is_exit(const struct budget *b)
{
    return b->kind == budget_kind_exit;
}

static bool is_budget_violated(const struct budget *b, struct budget_verdict *v)
{
    if (b->rule)
        return v->measured > 0 && v->measured >= v->limit;
    if (b->expression)
        return v->measured < v->limit;
    if (is_exit(b)) {
        v->limit = b->most;
        return v->measured != v->limit;
    }
    if (!isnan(b->least) && v->measured < b->least) {
        v->limit = b->least;
        v->too_little = true;
        return true;
    }
    v->limit = isnan(b->most) ? b->least : b->most;
    v->too_little = isnan(b->most);
    return !isnan(b->most) && v->measured > b->most && !v->unsure;
}

/* --- what a run did not record --- */

static uint64_t most_resident(const struct run_facts *f)
{
    uint64_t most = 0;
    for (size_t i = 0; i < f->nprocesses; i++)
        if (f->processes[i].resident_peak > most)
            most = f->processes[i].resident_peak;
    return most;
}

const char *budget_lack(const struct budget_run *run, unsigned needs)
{
    const struct run_facts *f = run->facts;
    if ((needs & NEEDS_CALLS) && run->gpu && !f->calls)
        return "a profile has no system calls: run the command, or judge a trace of rooftop trace";
    if ((needs & NEEDS_TIMES) && !f->has_times)
        return "the trace has no times";
    if ((needs & NEEDS_WALL) && !run->wall_ns && !f->has_times)
        return run->gpu ? "the profile does not say how long the run lasted"
                        : "the trace has no times";
    if ((needs & NEEDS_END) && !run->ended)
        return run->gpu ? "the profile does not say how the program ended"
                        : "the trace does not say how the program ended";
    if ((needs & NEEDS_RESIDENT) && most_resident(f) == 0)
        return "the trace does not say how much memory its processes used";
    return NULL;
}

/* What keeps this budget from being measured; NULL: nothing. */
static const char *find_budget_lack(const struct budget *b, const struct budget_run *run)
{
    unsigned needs = b->kind->needs;
    if (b->rule && run->gpu && antipattern_of_transfers(b->rule))
        return run->gpu->transfer_ns + run->gpu->compute_ns
                   ? NULL
                   : "the profile has neither kernels nor copies";
    if (b->rule)
        needs |= NEEDS_CALLS | (b->rule->timed ? NEEDS_TIMES : 0);
    if (b->choice && strcmp(b->choice, "rss") == 0)
        needs |= NEEDS_RESIDENT;
    return budget_lack(run, needs);
}

static void budget_judge(const struct budget *b, const struct budget_run *run,
                         struct budget_verdict *out)
{
    *out = (struct budget_verdict){.budget = b, .unit = b->kind->unit, .help = b->kind->help};
    if (b->disabled || !is_budget_of_program(b, run->program)) {
        out->state = b->disabled ? BUDGET_DISABLED : BUDGET_NOT_MEANT;
        return;
    }
    const char *lack = find_budget_lack(b, run);
    if (lack) {
        out->state = BUDGET_UNKNOWN;
        snprintf(out->why, sizeof out->why, "%s", lack);
        return;
    }
    b->kind->measure(b, run, out);
    if (out->state == BUDGET_UNKNOWN || out->state == BUDGET_NO_GOLDEN)
        return;
    if (is_budget_violated(b, out))
        out->state = b->warns ? BUDGET_WARNED : BUDGET_VIOLATED;
}

/* Makes the budget that demands success if the file has none about the exit status. */
static const struct budget *make_success_budget(void)
{
    static struct budget b = {.name = "exit status", .threshold = 1};
    b.kind = budget_kind_exit;
    b.most = 0;
    b.least = NAN;
    return &b;
}

size_t budget_judge_all(const struct budget_file *f, const struct budget_run *run,
                        struct budget_verdict *out, bool *failed)
{
    size_t n = 0;
    bool about_exit = !run->ended;
    *failed = false;
    for (size_t i = 0; i < f->n; i++) {
        about_exit |= is_exit(&f->list[i]) && !f->list[i].disabled;
        budget_judge(&f->list[i], run, &out[n++]);
    }
    if (!about_exit)
        budget_judge(make_success_budget(), run, &out[n++]);
    for (size_t i = 0; i < n; i++)
        *failed |= out[i].state == BUDGET_VIOLATED ||
                   (out[i].state == BUDGET_UNKNOWN && !out[i].budget->warns);
    return n;
}

const char *budget_state_name(enum budget_state s)
{
    static const char *const names[BUDGET_STATES] = {
        [BUDGET_KEPT] = "kept",
        [BUDGET_VIOLATED] = "violated",
        [BUDGET_WARNED] = "warning",
        [BUDGET_UNKNOWN] = "not measured",
        [BUDGET_NOT_MEANT] = "other program",
        [BUDGET_DISABLED] = "disabled",
        [BUDGET_NO_GOLDEN] = "no golden trace",
    };
    return names[s];
}
