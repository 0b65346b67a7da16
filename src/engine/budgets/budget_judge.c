#include <fnmatch.h>
#include <math.h>
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

static void budget_judge(const struct budget *b, const struct budget_run *run,
                         struct budget_verdict *out)
{
    *out = (struct budget_verdict){.budget = b, .unit = b->kind->unit, .help = b->kind->help};
    if (b->disabled || !is_budget_of_program(b, run->program)) {
        out->state = b->disabled ? BUDGET_DISABLED : BUDGET_NOT_MEANT;
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
