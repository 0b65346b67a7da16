/* Whether the candidate's answers are right, and whether the check can tell right from wrong. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/watch.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_inputs.h"
#include "engine/judge/judge_shapes.h"

/* Arrays are aligned alike in all slots but the last, SHIFTED: there they need not give the same
 * bits. */
enum { SEEDS = 2, SLOTS = 4, SHIFTED = SLOTS - 1 };

struct checking {
    struct judging *j;
    enum judge_distribution distribution;
    uint32_t sample; /* seed of the values of numbers; its low JUDGE_TURN_BITS count the draws of
                        inputs */
    void
        *input[JUDGE_ARGUMENTS + 1]; /* what all calls are given; NULL where it is none, as below */
    void *right[JUDGE_ARGUMENTS + 1];  /* outputs of the baseline */
    void *before[JUDGE_ARGUMENTS + 1]; /* outputs before the call */
    void *first[JUDGE_ARGUMENTS + 1];  /* of the candidate, of the first call */
    struct judge_blind *blind;
};

static void fill_call_slot(const struct checking *k, unsigned side, size_t slot, unsigned pattern)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        void *to = a->array ? sandbox_buffer(k->j->memory[side], slot, i) : NULL;
        if (to && k->input[i])
            memcpy(to, k->input[i], judge_bytes(a));
        else if (to)
            judge_poison(to, judge_bytes(a), pattern);
    }
    sandbox_set_margins(k->j->memory[side], slot);
}

static int call_slot(const struct checking *k, unsigned side, uint32_t slot, struct error *err)
{
    struct sandbox_cost ignored;
    const struct sandbox_calls calls = {.slots = &slot, .samples = &k->sample, .n = 1};
    struct judging *j = k->j;
    j->result->checks += side;
    int rc = j->plan->sandboxes->call(j->sandbox[side], &calls, &ignored, &j->result->refusal, err);
    if (rc == 0)
        rc = sandbox_margins(j->memory[side], slot, &j->result->refusal);
    return judge_side_result(j, side, rc, err);
}

static void keep_outputs(const struct checking *k, unsigned side, size_t slot, void *const *to)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++)
        if (to[i])
            memcpy(to[i], sandbox_buffer(k->j->memory[side], slot, i),
                   judge_bytes(&h->arguments[i]));
}

/* The first output whose bytes differ, or NULL. */
static const struct judge_argument *find_changed_output(const struct checking *k, unsigned side,
                                                        size_t slot, void *const *from)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (from[i] &&
            memcmp(from[i], sandbox_buffer(k->j->memory[side], slot, i), judge_bytes(a)) != 0)
            return a;
    }
    return NULL;
}

/* Whether low and high leave whole numbers of zeros and ones: sums of 0.1 are not exact. */
static bool bits_are_whole(const struct harness *h)
{
    for (size_t i = 0; i < h->n; i++) {
        const struct judge_argument *a = &h->arguments[i];
        const double least = fmin(fmax(0, a->low), a->high), most = fmin(fmax(1, a->low), a->high);
        if (judge_is_input(a) && a->generator == JUDGE_UNIFORM &&
            (least != nearbyint(least) || most != nearbyint(most)))
            return false;
    }
    return true;
}

static enum judge_rule rule_of(const struct checking *k)
{
    const struct harness *h = k->j->harness;
    switch (k->distribution) {
    case JUDGE_BITS:
        return h->exact_on_bits && bits_are_whole(h) ? JUDGE_EXACT : JUDGE_EACH;
    case JUDGE_WIDE:
        return JUDGE_WHOLE;
    case JUDGE_INFINITE:
        return JUDGE_ENDLESS;
    case JUDGE_TINY:
        return JUDGE_LEAST;
    case JUDGE_HUGE:
        return JUDGE_FINITE;
    default:
        return JUDGE_EACH;
    }
}

/* --- the baseline --- */

static int ask_baseline(struct checking *k, struct error *err)
{
    int rc = 0;
    for (unsigned slot = 0; slot < 2 && rc == 0; slot++) {
        fill_call_slot(k, 0, slot, slot);
        if (slot == 0)
            keep_outputs(k, 0, 0, k->before);
        rc = call_slot(k, 0, slot, err);
    }
    if (rc == 0 && k->distribution == JUDGE_AS_SAID) { /* does it take arrays that are shifted? */
        fill_call_slot(k, 0, SHIFTED, 0);
        rc = call_slot(k, 0, SHIFTED, err);
    }
    if (rc != 0)
        return rc;
    keep_outputs(k, 0, 0, k->right);
    const struct judge_argument *a = find_changed_output(k, 0, 1, k->right);
    return !a ? 0
              : error_set(
                    err, ERROR_INPUT, EINVAL,
                    "a baseline gives the same bits for the same inputs, and writes the whole "
                    "of its outputs; is the direction \"inout\"?",
                    k->j->plan->baseline, "two calls with the same inputs give different %s",
                    a->name);
}

/* --- is the check blind? --- */

static const void *first_input(const struct checking *k, size_t *n)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < h->n; i++)
        if (judge_is_input(&h->arguments[i])) {
            *n = judge_bytes(&h->arguments[i]);
            return k->input[i];
        }
    return NULL;
}

static void show_to_blind(const struct checking *k)
{
    size_t n = 0;
    const void *input = first_input(k, &n);
    judge_blind_add(k->blind, k->before, k->right, input, n);
}

/* --- the candidate --- */

static int refuse_output(const struct checking *k, const struct judge_argument *a,
                         const struct judge_difference *d)
{
    return judge_refuse_by_guard(
        k->j->plan, k->j->result, GUARD_OUTPUT,
        "%zu of %zu values of %.60s are wrong; [%zu] is %.9g, not %.9g (%s)", d->n, a->length,
        a->name, d->first, d->got, d->wanted, judge_distribution_name(k->distribution));
}

static int check_outputs(const struct checking *k, size_t slot)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        struct judge_difference d;
        if (!judge_is_output(a))
            continue;
        if (!judge_same(h, a, k->right[i], sandbox_buffer(k->j->memory[1], slot, i), rule_of(k),
                        &d))
            return refuse_output(k, a, &d);
        if (!judge_is_special(k->distribution)) /* of 2^100 the rounding alone is 2^76 */
            k->j->result->worst = fmax(k->j->result->worst, d.worst);
    }
    return 0;
}

static void add_clause(struct judge_refusal *r, const char *clause)
{
    const size_t n = strlen(r->evidence);
    snprintf(r->evidence + n, sizeof r->evidence - n, " (%s)", clause);
}

static int ask_candidate(const struct checking *k, struct error *err)
{
    struct judging *j = k->j;
    int rc = 0;
    for (unsigned slot = 0; slot < SLOTS && rc == 0; slot++) {
        fill_call_slot(k, 1, slot, slot & 1);
        rc = call_slot(k, 1, slot, err);
        if (rc == 0)
            rc = check_outputs(k, slot);
        if (rc == 1 && slot == SHIFTED)
            add_clause(&j->result->refusal, "arrays no more aligned than their types");
        if (rc == 0 && slot == 0)
            keep_outputs(k, 1, 0, k->first);
    }
    if (rc != 0)
        return rc;
    const struct judge_argument *same = find_changed_output(k, 1, 2, k->first),
                                *other = find_changed_output(k, 1, 1, k->first);
    if (same)
        return judge_refuse_by_guard(j->plan, j->result, GUARD_BITS,
                                     "two calls with the same inputs give different bits of %.60s",
                                     same->name);
    if (other)
        return judge_refuse_by_guard(j->plan, j->result, GUARD_STALE,
                                     "%.60s depends on what stood there before the call",
                                     other->name);
    return 0;
}

static void begin_draws(struct checking *k)
{
    env_random(&k->sample, sizeof k->sample);
    k->sample >>= 1; /* a word has 31 bits of it */
}

static void draw_inputs(struct checking *k)
{
    const struct harness *h = k->j->harness;
    uint64_t seed;
    env_random(&seed, sizeof seed);
    const uint32_t turns = (1u << JUDGE_TURN_BITS) - 1;
    k->sample = (k->sample & ~turns) | ((k->sample + 1) & turns);
    for (size_t i = 0; i < h->n; i++)
        if (judge_is_input(&h->arguments[i]))
            judge_fill(&h->arguments[i], i, k->distribution, seed, k->input[i]);
}

static int check_once(struct checking *k, struct error *err)
{
    draw_inputs(k);
    const int rc = ask_baseline(k, err);
    return rc ? rc : ask_candidate(k, err);
}

/*
 * Inputs that the harness may not mean: where the baseline is refused with them, they are left out.
 * Returns as judge_check does, or LEFT_OUT with the reason in *why.
 */
enum { LEFT_OUT = 2 };
static int check_if_defined(struct checking *k, struct error *why, struct error *err)
{
    k->j->result->refusal = (struct judge_refusal){0}; /* of what was left out before */
    draw_inputs(k);
    const int rc = ask_baseline(k, why);
    if (rc == 0)
        return ask_candidate(k, err);
    if (rc == -EINVAL && !watch_given_up())
        return LEFT_OUT;
    *err = *why;
    return rc;
}

static void leave_out(struct judge_result *result, const char *what, const char *why)
{
    const size_t n = strlen(result->left_out);
    snprintf(result->left_out + n, sizeof result->left_out - n, "%s%s (%.160s)", n ? "; " : "",
             what, why);
}

static int check_special(struct checking *k, struct error *err)
{
    int rc = 0;
    if (!k->j->harness->special || !judge_takes_special(k->j->harness))
        return 0;
    for (int d = JUDGE_NANS; d < JUDGE_DISTRIBUTIONS && rc == 0; d++)
        for (int s = 0; s < SEEDS && rc == 0; s++) {
            struct error why = ERROR_INIT;
            k->distribution = (enum judge_distribution)d;
            rc = check_if_defined(k, &why, err);
            if (rc != LEFT_OUT)
                continue;
            leave_out(k->j->result, judge_distribution_name(k->distribution), why.why);
            judge_stop(k->j, 0);
            rc = judge_start(k->j, 0, SLOTS, err);
            s = SEEDS;
        }
    return rc;
}

/* The inputs of more calls, as the timed ones have them, are the baseline's only. */
static int refuse_blind_check(struct checking *k, struct error *err)
{
    const size_t calls = judge_blind_calls(k->j->harness);
    struct judge_refusal r;
    int rc = 0;
    k->distribution = JUDGE_AS_SAID;
    for (size_t i = 0; i < calls && rc == 0; i++) {
        draw_inputs(k);
        rc = ask_baseline(k, err);
        if (rc == 0)
            show_to_blind(k);
    }
    if (rc == 0 && judge_blind_refuse(k->blind, &r) != 0)
        rc = judge_refuse_by_guard(k->j->plan, k->j->result, r.guard, "%s", r.evidence);
    return rc;
}

static void allocate_check_buffers(struct checking *k)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const size_t n = judge_bytes(&h->arguments[i]);
        if (judge_is_input(&h->arguments[i]))
            k->input[i] = xcalloc(1, n);
        if (!judge_is_output(&h->arguments[i]))
            continue;
        k->right[i] = xcalloc(1, n);
        k->before[i] = xcalloc(1, n);
        k->first[i] = xcalloc(1, n);
    }
    k->blind = judge_blind_new(h);
}

static void free_check_buffers(struct checking *k)
{
    for (size_t i = 0; i <= JUDGE_ARGUMENTS; i++) {
        free(k->input[i]);
        free(k->right[i]);
        free(k->before[i]);
        free(k->first[i]);
    }
    judge_blind_free(k->blind);
}

static int start_both(struct judging *j, struct error *err)
{
    int rc = 0;
    for (unsigned side = 0; side < JUDGE_SIDES && rc == 0; side++)
        rc = judge_start(j, side, SLOTS, err);
    return rc;
}

static void stop_both(struct judging *j)
{
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        judge_stop(j, side);
}

/* --- other lengths --- */

/* With memory and processes of its own. Returns as check_if_defined does. */
static int check_shape(struct judging *j, const struct harness *h, const char *shape,
                       struct error *why, struct error *err)
{
    struct judging other = *j;
    struct checking k = {.j = &other, .distribution = JUDGE_AS_SAID};
    int rc = 0;
    begin_draws(&k);
    other.harness = h;
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        other.memory[side] = NULL;
    for (unsigned side = 0; side < JUDGE_SIDES && rc == 0; side++)
        rc = sandbox_memory_open(&other.memory[side], h, SLOTS, err);
    allocate_check_buffers(&k);
    if (rc == 0)
        rc = start_both(&other, err);
    if (rc == 0)
        rc = check_if_defined(&k, why, err);
    free_check_buffers(&k);
    stop_both(&other);
    if (rc == 1)
        add_clause(&j->result->refusal, shape);
    for (unsigned side = 0; side < JUDGE_SIDES; side++) {
        j->ended_ns += other.memory[side] ? other.memory[side]->cpu_ns : 0;
        sandbox_memory_close(other.memory[side]);
    }
    return rc;
}

/* What the baseline refuses of a number of the harness is a mistake there, of others it is left
 * out. */
static int check_lead(struct judging *j, size_t argument, uint64_t seed, struct error *err)
{
    const struct judge_argument *a = &j->harness->arguments[argument];
    double values[JUDGE_SHAPES];
    char shape[JUDGE_NAME + 32], first[sizeof shape + 32] = "";
    struct error why = ERROR_INIT, reason = ERROR_INIT;
    size_t left_out = 0;
    int rc = 0;
    const size_t n = judge_shapes_values(j->harness, argument, seed, values);
    for (size_t v = 0; v < n && rc == 0; v++) {
        struct harness other;
        snprintf(shape, sizeof shape, "%s = %.17g", a->name, values[v]);
        if (!judge_shape(j->harness, argument, values[v], &other))
            continue;
        rc = check_shape(j, &other, shape, &why, err);
        if (rc != LEFT_OUT)
            continue;
        if (a->nvalues > 1)
            return error_set(err, ERROR_INPUT, EINVAL,
                             "lengths of arrays seem to follow from it; with other_lengths = false "
                             "none do",
                             shape, "%s", why.why);
        if (left_out++ == 0) {
            reason = why;
            snprintf(first, sizeof first, "%s", shape);
        }
        rc = j->result->refusal.guard == GUARD_TIME ? LEFT_OUT : 0; /* not ten seconds for each */
    }
    if (left_out > 1)
        snprintf(first + strlen(first), sizeof first - strlen(first), " and %zu more",
                 left_out - 1);
    if (left_out > 0)
        leave_out(j->result, first, reason.why);
    return rc == LEFT_OUT ? 0 : rc;
}

static int check_shapes(struct judging *j, struct error *err)
{
    uint64_t seed;
    int rc = 0;
    env_random(&seed, sizeof seed);
    for (size_t i = 0; i < j->harness->n && rc == 0; i++)
        if (judge_shapes_lead(j->harness, i))
            rc = check_lead(j, i, seed, err);
    return rc;
}

/* Each value of a number is seen. */
static int rounds_of(const struct harness *h)
{
    size_t most = SEEDS;
    for (size_t i = 0; i < h->n; i++)
        if (judge_is_varied(&h->arguments[i]) && h->arguments[i].nvalues > most)
            most = h->arguments[i].nvalues;
    return (int)most;
}

int judge_check(struct judging *j, struct error *err)
{
    struct checking k = {.j = j};
    int rc = start_both(j, err);
    begin_draws(&k);
    allocate_check_buffers(&k);
    for (int d = 0; d < JUDGE_NANS && rc == 0; d++)
        for (int s = 0; s < (d == JUDGE_AS_SAID ? rounds_of(j->harness) : SEEDS) && rc == 0; s++) {
            k.distribution = (enum judge_distribution)d;
            rc = check_once(&k, err);
        }
    if (rc == 0)
        rc = check_special(&k, err);
    if (rc == 0)
        rc = refuse_blind_check(&k, err);
    free_check_buffers(&k);
    stop_both(j);
    return rc ? rc : check_shapes(j, err);
}
