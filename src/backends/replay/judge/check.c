/* Whether the candidate is right, and whether the check can tell right from wrong. */
#include <stdlib.h>
#include <string.h>

#include "backends/replay/device/variables.h"
#include "backends/replay/judge/trial.h"
#include "base/env.h"

enum { FRESH = 4, LINES = 4 };

static const struct trial_setup as_captured = {.poison = -1};

/* --- twins: memory is written as a wrong candidate would leave it --- */

static void make_copy(const struct trial *k)
{
    const struct gpu_input *in = &k->inputs.input[0];
    for (size_t i = 0; i < k->s.c->nregions; i++) {
        const uint8_t *from = trial_memory(k, in->region) + in->offset;
        uint8_t *to = trial_memory(k, i);
        for (uint64_t at = 0; k->changed[i] && at < k->s.c->regions[i].size; at++)
            to[at] = from[at % in->size];
    }
}

/* float32 with the 11 bits of half precision, float64 with 24, halves with fewer. */
static unsigned bits_to_drop(enum memory_type t)
{
    if (t == MEMORY_F32)
        return 13;
    if (t == MEMORY_F64)
        return 29;
    return t == MEMORY_F16 ? 5 : 4;
}

static void make_lower(const struct trial *k)
{
    const enum memory_type t = k->t->rule.type;
    const unsigned drop = bits_to_drop(t), size = (unsigned)memory_type_size(t);
    for (size_t i = 0; i < k->s.c->nregions; i++)
        for (uint64_t at = 0; k->changed[i] && at + size <= k->s.c->regions[i].size; at += size) {
            uint8_t *p = trial_memory(k, i) + at;
            const uint64_t bits = memory_bits(t, p) >> drop << drop;
            memcpy(p, &bits, size);
        }
}

/* 1: the twin is wrong and passes. */
static int passes_though_wrong(struct trial *k, struct replay_output *right, bool even_if_right,
                               struct replay_failure *f)
{
    struct replay_verdict exact, v;
    struct replay_rule bits = k->t->rule;
    bits.tolerance = (struct memory_tolerance){.exact = true};
    if (replay_output_compare(&exact, right, &bits, f) != 0)
        return -1;
    const bool same = exact.equal;
    replay_verdict_free(&exact);
    if (replay_output_compare(&v, right, &k->t->rule, f) != 0)
        return -1;
    const bool equal = v.equal;
    replay_verdict_free(&v);
    return equal && (even_if_right || !same);
}

static int refuse_blind_rule(struct trial *k, const char *what, const char *why)
{
    struct judge_refusal r;
    judge_refuse(&r, GUARD_BLIND, "a kernel that %s would pass%s", what, why);
    return trial_refuse(k, &r);
}

/* Memory is as before a launch of the baseline, whose answer is `right`. */
static int try_twins(struct trial *k, const struct trial_setup *setup, struct replay_output *right,
                     struct replay_failure *f)
{
    int rc = passes_though_wrong(k, right, true, f);
    if (rc == 1)
        return refuse_blind_rule(k, "does nothing", "");
    if (rc == 0 && k->inputs.n) {
        make_copy(k);
        rc = passes_though_wrong(k, right, false, f);
        if (rc == 1)
            return refuse_blind_rule(k, "copies its first input", "");
    }
    if (rc == 0 && !k->t->rule.tolerance.exact && memory_type_is_float(k->t->rule.type)) {
        rc = trial_launch(k, 0, setup, NULL, f);
        make_lower(k);
        if (rc == 0)
            rc = passes_though_wrong(k, right, false, f);
        if (rc == 1)
            return refuse_blind_rule(k, "computes with lower precision", "");
    }
    return rc;
}

int trial_twins(struct trial *k, struct replay_failure *f)
{
    struct trial_setup setup = {.fresh = true, .poison = -1};
    env_random(&setup.seed, sizeof setup.seed);
    int rc = trial_launch(k, 0, &setup, NULL, f);
    struct replay_output *right = rc == 0 ? replay_output_keep(k->s.c, k->s.workers) : NULL;
    if (rc == 0 && !right)
        rc = replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory", "no copy of memory fits");
    if (rc == 0)
        rc = trial_prepare(k, 0, &setup, f);
    if (rc == 0)
        rc = try_twins(k, &setup, right, f);
    replay_output_free(right);
    if (rc != 0 || k->reached)
        return rc;
    return refuse_blind_rule(k, "holds the captured answer",
                             k->inputs.n
                                 ? ": fresh inputs do not change it"
                                 : ": no input is proved to be real numbers, --vary says which "
                                   "arguments are inputs");
}

/* --- the candidate --- */

/* Module variables of the capture, which no tolerance counts for. One that the candidate lacks must
 * be one that the baseline leaves as it is. */
static int compare_variables(struct trial *k)
{
    const struct replay_code *base = &k->s.code[0], *mine = &k->s.code[1];
    struct judge_refusal r = {.guard = JUDGE_NO_GUARD};
    uint8_t *all = trial_variables(k, 1);
    const uint8_t *right = k->variables;
    for (size_t i = 0; i < base->nvariables && r.guard == JUDGE_NO_GUARD; i++) {
        const struct replay_variable *v = &base->variables[i];
        const uint8_t *got = v->contents, *at = all;
        for (size_t o = 0; o < mine->nvariables; at += mine->variables[o].size, o++)
            if (mine->variables[o].was == v->was && mine->variables[o].size == v->size)
                got = at;
        if (memcmp(got, right, v->size) != 0)
            judge_refuse(&r, GUARD_OUTPUT,
                         "a module variable of %llu bytes is not what the baseline "
                         "leaves",
                         (unsigned long long)v->size);
        right += v->size;
    }
    free(all);
    return r.guard == JUDGE_NO_GUARD ? 0 : trial_refuse(k, &r);
}

/* Where the baseline breaks the laws, too, its counts are not to be believed. */
static int ask_floor(struct trial *k)
{
    struct judge_refusal r, own;
    k->work[1] = k->last;
    if (gpu_floor_guard(&k->need, k->changed_lines, &k->work[0], &own) ||
        !gpu_floor_guard(&k->need, trial_changed_lines(k), &k->work[1], &r))
        return 0;
    return trial_refuse(k, &r);
}

/* The candidate again from the same memory, whose answer `mine` is. */
static int ask_again(struct trial *k, const struct trial_setup *setup, struct replay_output *mine,
                     const char *when, struct replay_failure *f)
{
    struct judge_refusal r;
    struct replay_verdict v;
    struct replay_rule bits = k->t->rule;
    bits.tolerance = (struct memory_tolerance){.exact = true};
    int rc = trial_launch(k, 1, setup, NULL, f);
    if (rc != 0)
        return rc;
    if (replay_output_compare(&v, mine, &bits, f) != 0)
        return -1;
    const bool same = v.equal;
    replay_verdict_free(&v);
    if (same)
        return 0;
    judge_refuse(&r, GUARD_BITS, "two launches with the same inputs leave different bits, %s",
                 when);
    return trial_refuse(k, &r);
}

/* Memory is what the candidate left. */
static int ask_for_same_bits(struct trial *k, const struct trial_setup *setup, int times,
                             const char *when, struct replay_failure *f)
{
    struct replay_output *mine = replay_output_keep(k->s.c, k->s.workers);
    int rc = 0;
    if (!mine)
        rc = replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory", "no copy of memory fits");
    for (int i = 0; i < times && rc == 0; i++)
        rc = ask_again(k, setup, mine, when, f);
    replay_output_free(mine);
    return rc;
}

static int ask_captured(struct trial *k, struct replay_failure *f)
{
    static const char when[] = "with the captured inputs";
    int rc = trial_launch(k, 1, &as_captured, NULL, f);
    if (rc == 0)
        rc = trial_compare(k, k->right, false, false, when, f);
    if (rc == 0)
        rc = compare_variables(k);
    if (rc == 0)
        rc = ask_floor(k);
    return rc ? rc : ask_for_same_bits(k, &as_captured, 2, when, f);
}

/* Both sides from the same memory. */
static int ask_both(struct trial *k, const struct trial_setup *setup, bool stale, const char *when,
                    struct replay_failure *f)
{
    int rc = trial_launch(k, 0, setup, NULL, f);
    struct replay_output *kept = rc == 0 ? replay_output_keep(k->s.c, k->s.workers) : NULL;
    if (rc == 0 && !kept)
        rc = replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory", "no copy of memory fits");
    if (rc == 0)
        rc = trial_launch(k, 1, setup, NULL, f);
    if (rc == 0)
        rc = trial_compare(k, kept, false, stale, when, f);
    replay_output_free(kept);
    return rc;
}

/* Where the baseline does so, too, it counts on something that the emulated GPU does not know. */
static int ask_races(struct trial *k)
{
    const struct emulated_races *own = &k->races[0], *r = &k->races[1];
    struct judge_refusal refusal;
    if (r->races > 0 && own->races == 0)
        judge_refuse(&refusal, GUARD_BARRIERS,
                     "a race: two waves of a work-group use byte 0x%llx of LDS with no barrier "
                     "between them, at +0x%llx and +0x%llx of the kernel's code, and one stores",
                     (unsigned long long)r->address, (unsigned long long)r->pc[0],
                     (unsigned long long)r->pc[1]);
    else if (r->parted > 0 && own->parted == 0)
        judge_refuse(&refusal, GUARD_BARRIERS,
                     "not all waves of a work-group reach the barrier before +0x%llx of the "
                     "kernel's code",
                     (unsigned long long)r->barrier);
    else
        return 0;
    return trial_refuse(k, &refusal);
}

int trial_check(struct trial *k, struct replay_failure *f)
{
    int rc = ask_captured(k, f);
    bool some = false;
    for (size_t i = 0; i < k->s.c->nregions; i++)
        some |= k->poisonable[i];
    for (int pattern = 0; pattern < 2 && rc == 0 && some; pattern++) {
        const struct trial_setup setup = {.poison = pattern};
        rc = ask_both(k, &setup, true, "over a pattern in the outputs", f);
    }
    for (int i = 0; i < FRESH && rc == 0 && k->inputs.n; i++) {
        struct trial_setup setup = {.fresh = true, .poison = i % 3 - 1};
        env_random(&setup.seed, sizeof setup.seed);
        rc = ask_both(k, &setup, false, "with fresh inputs", f);
        if (i == 0) /* captured values may be so simple that no order of sums shows */
            if (rc == 0)
                rc = ask_for_same_bits(k, &setup, 2, "with fresh inputs", f);
    }
    for (int i = 0; i < LINES && rc == 0 && k->inputs.n; i++) {
        struct trial_setup setup = {.fresh = true, .poison = -1, .part = trial_line(k)};
        env_random(&setup.seed, sizeof setup.seed);
        rc = ask_both(k, &setup, false, "with one line of an input changed", f);
    }
    return rc ? rc : ask_races(k);
}
