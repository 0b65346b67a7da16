#include "engine/judge/judge_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "engine/statistics/ranks.h"
#include "engine/value/value.h"

/* With 99 % of confidence an interval has ends from 11 pairs on. */
enum { FEWEST_PAIRS = 8, FEWEST_COLD = 12, COLD_EACH = 3 };

static const uint64_t TELL_NS = 1000000000; /* an interval of many pairs takes milliseconds */
static const double FLOOR_SLACK = 1.25;     /* roofs are medians; a lucky clock is above them */

struct series {
    double *shift[2]; /* logarithms of candidate by baseline: warm, cold */
    size_t n[2], cap[2];
    double *elapsed; /* the same of what went by, warm */
    size_t nelapsed, elapsedcap;
    double *call[2]; /* ns of a call, warm */
    size_t ncall[2], callcap[2];
    double *count[2]; /* instructions of a call, warm */
    size_t ncount[2], countcap[2];
    bool confirms; /* it is the second */
    uint64_t progress_ns;
};

static void series_free(struct series *s)
{
    free(s->elapsed);
    for (int i = 0; i < 2; i++) {
        free(s->shift[i]);
        free(s->call[i]);
        free(s->count[i]);
    }
}

int judge_refuse_by_guard(const struct judge_plan *plan, struct judge_result *result,
                          enum judge_guard guard, const char *format, ...)
{
    va_list args;
    if (plan->allow[guard])
        return 0;
    va_start(args, format);
    result->refusal.guard = guard;
    vsnprintf(result->refusal.evidence, sizeof result->refusal.evidence, format, args);
    va_end(args);
    return 1;
}

static void series_add(struct series *s, bool cold, const struct judge_pair *p)
{
    LIST_ROOM(s->shift[cold], s->n[cold], s->cap[cold]);
    s->shift[cold][s->n[cold]++] = log(fmax(p->ns[1], 1)) - log(fmax(p->ns[0], 1));
    if (!cold && p->elapsed_ns[0] > 0 && p->elapsed_ns[1] > 0) {
        LIST_ROOM(s->elapsed, s->nelapsed, s->elapsedcap);
        s->elapsed[s->nelapsed++] = log(p->elapsed_ns[1]) - log(p->elapsed_ns[0]);
    }
    for (unsigned side = 0; side < 2 && !cold; side++) {
        LIST_ROOM(s->call[side], s->ncall[side], s->callcap[side]);
        s->call[side][s->ncall[side]++] = p->ns[side] / (double)p->calls;
        if (!(p->instructions[side] > 0))
            continue;
        LIST_ROOM(s->count[side], s->ncount[side], s->countcap[side]);
        s->count[side][s->ncount[side]++] = p->instructions[side] / (double)p->calls;
    }
}

static struct interval interval_of(const struct series *s, bool cold, double alpha)
{
    return interval_of_pairs(s->shift[cold], s->n[cold], alpha);
}

/* A candidate that is faster is asked for cold caches, too, of which too few pairs say nothing. */
static bool is_series_decided(const struct judge_plan *plan, const struct judge_pairs *pairs,
                              const struct pair_watch *watch, const struct series *s)
{
    if (s->n[0] < FEWEST_PAIRS || !pair_watch_decides(watch))
        return false;
    const struct interval i = interval_of(s, false, 1 - plan->confidence);
    const enum ratio_verdict v = verdict_of(&i, plan->margin);
    if (v == VERDICT_FASTER && !pairs->warm_only && s->n[1] < FEWEST_COLD)
        return false;
    return v != VERDICT_NOT_DECIDED;
}

static struct interval factors_of_interval(struct interval i)
{
    return (struct interval){exp(i.estimate), isinf(i.low) ? i.low : exp(i.low), exp(i.high)};
}

static void tell_series_progress(const struct judge_plan *plan, const struct judge_pairs *pairs,
                                 struct series *s)
{
    if (!plan->on_progress)
        return;
    const uint64_t now = pairs->now_ns(pairs->ctx);
    if (s->progress_ns && now - s->progress_ns < TELL_NS)
        return;
    s->progress_ns = now;
    const struct judge_progress p = {
        .factor = factors_of_interval(interval_of(s, false, 1 - plan->confidence)),
        .pairs = s->n[0] + s->n[1],
        .confirms = s->confirms};
    plan->on_progress(plan->progress_ctx, &p);
}

/* Takes pairs until the warm ones are decided, or the time is over. */
static int take_series_pairs(const struct judge_plan *plan, const struct judge_pairs *pairs,
                             struct judge_result *result, struct series *s, struct error *err)
{
    const uint64_t end = pairs->now_ns(pairs->ctx) + (uint64_t)(plan->for_s * 1e9);
    struct pair_watch watch;
    int rc = 0;
    pair_watch_start(&watch, 1 - plan->confidence, plan->margin);
    for (size_t n = 0; rc == 0 && (n == 0 || pairs->now_ns(pairs->ctx) < end); n++) {
        const bool cold = !pairs->warm_only && n % COLD_EACH == COLD_EACH - 1;
        struct judge_pair p = {.calls = 1};
        rc = pairs->take(pairs->ctx, cold, &p, err);
        if (rc != 0)
            break;
        result->calls += p.calls;
        series_add(s, cold, &p);
        if (!cold)
            pair_watch_add(&watch, s->shift[0][s->n[0] - 1]);
        if (is_series_decided(plan, pairs, &watch, s))
            break;
        tell_series_progress(plan, pairs, s);
    }
    pair_watch_end(&watch);
    return rc;
}

static enum judge_verdict verdict_from(enum ratio_verdict v)
{
    switch (v) {
    case VERDICT_FASTER:
        return JUDGE_FASTER;
    case VERDICT_SLOWER:
        return JUDGE_SLOWER;
    case VERDICT_EQUIVALENT:
        return JUDGE_EQUIVALENT;
    default:
        return JUDGE_NOT_DECIDED;
    }
}

static int refuse_slow_cold_calls(const struct judge_plan *plan, struct judge_result *out,
                                  const struct interval *cold)
{
    if (verdict_of(cold, plan->margin) != VERDICT_SLOWER)
        return 0;
    return judge_refuse_by_guard(plan, out, GUARD_COLD,
                                 "with cold caches its time is %.3f of the baseline's",
                                 exp(cold->estimate));
}

/* Less CPU time while more time goes by: others work for it, or it waits. Whatever else the machine
 * does, it does to both sides. */
static int refuse_waiting(const struct judge_plan *plan, struct judge_result *out,
                          const struct series *s)
{
    if (s->nelapsed < FEWEST_PAIRS)
        return 0;
    const struct interval i = interval_of_pairs(s->elapsed, s->nelapsed, 1 - plan->confidence);
    if (verdict_of(&i, plan->margin) != VERDICT_SLOWER)
        return 0;
    return judge_refuse_by_guard(plan, out, GUARD_WAITS,
                                 "its CPU time is %.3f of the baseline's, what goes by is %.3f",
                                 out->warm.estimate, exp(i.estimate));
}

/* Below what the roofs allow by more than their error: then work was left out, or done elsewhere.
 * Where the baseline is there, too, the harness declares too much. */
static int refuse_impossible_time(const struct judge_plan *plan, struct judge_result *out)
{
    const double floor = plan->floor.ns / FLOOR_SLACK;
    char takes[VALUE_TEXT_MAX], least[VALUE_TEXT_MAX];
    if (!(plan->floor.ns > 0) || !(out->candidate_ns < floor) || out->baseline_ns < floor)
        return 0;
    return judge_refuse_by_guard(plan, out, GUARD_FLOOR, "a call takes %s; %.160s take %s",
                                 value_time(out->candidate_ns, true, takes), plan->floor.why,
                                 value_time(plan->floor.ns, true, least));
}

/* Below what the work needs, in whatever time: work was left out. What the count holds beside the
 * function's own instructions makes it larger, never smaller. */
static int refuse_few_instructions(const struct judge_plan *plan, struct judge_result *out)
{
    const double need = plan->need.instructions;
    if (!(need > 0) || !(out->instructions[1] < need) || !(out->instructions[0] >= need))
        return 0;
    return judge_refuse_by_guard(plan, out, GUARD_FLOOR,
                                 "a call takes %.6g instructions; %.159s take %.6g",
                                 out->instructions[1], plan->need.why, need);
}

/* What the first series says of warm and cold caches. */
static int take_first(const struct judge_plan *plan, struct judge_result *out, struct series *s)
{
    const double alpha = 1 - plan->confidence;
    const struct interval warm = interval_of(s, false, alpha), cold = interval_of(s, true, alpha);
    out->warm = factors_of_interval(warm);
    out->cold = factors_of_interval(cold);
    out->pairs = s->n[0] + s->n[1];
    out->baseline_ns = median_of(s->call[0], s->ncall[0]);
    out->candidate_ns = median_of(s->call[1], s->ncall[1]);
    for (int side = 0; side < 2; side++)
        out->instructions[side] = median_of(s->count[side], s->ncount[side]);
    out->verdict = verdict_from(verdict_of(&warm, plan->margin));
    int rc = refuse_few_instructions(plan, out);
    if (rc != 0 || out->verdict != JUDGE_FASTER)
        return rc;
    rc = refuse_impossible_time(plan, out);
    if (rc == 0)
        rc = refuse_slow_cold_calls(plan, out, &cold);
    if (rc == 0)
        rc = refuse_waiting(plan, out, s);
    if (rc != 0 || out->warm.estimate >= 0.1)
        return rc;
    return judge_refuse_by_guard(plan, out, GUARD_REVIEW, "it is %.1f times as fast",
                                 1 / out->warm.estimate);
}

/* A second series, which cannot be lucky with what the first was lucky with. */
static int take_second(const struct judge_plan *plan, struct judge_result *out, struct series *s)
{
    const double alpha = 1 - plan->confidence;
    const struct interval again = interval_of(s, false, alpha), cold = interval_of(s, true, alpha);
    out->confirmed = factors_of_interval(again);
    out->confirming_pairs = s->n[0] + s->n[1];
    if (verdict_of(&again, plan->margin) != VERDICT_FASTER)
        out->verdict = JUDGE_NOT_DECIDED;
    const int rc = refuse_slow_cold_calls(plan, out, &cold);
    return rc ? rc : refuse_waiting(plan, out, s);
}

int judge_decide(const struct judge_plan *plan, const struct judge_pairs *pairs,
                 struct judge_result *result, struct error *err)
{
    struct series first = {.confirms = false}, second = {.confirms = true};
    int rc = take_series_pairs(plan, pairs, result, &first, err);
    if (rc == 0)
        rc = take_first(plan, result, &first);
    if (rc == 0 && result->verdict == JUDGE_FASTER) {
        rc = take_series_pairs(plan, pairs, result, &second, err);
        if (rc == 0)
            rc = take_second(plan, result, &second);
    }
    series_free(&first);
    series_free(&second);
    return rc;
}
