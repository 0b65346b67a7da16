/* Whether the candidate's answers are right, and whether the check can tell right from wrong. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_inputs.h"

enum { SEEDS = 2, PLACES = 3 };

struct checking {
    struct judging *j;
    enum judge_distribution distribution;
    void
        *input[JUDGE_ARGUMENTS + 1]; /* what all calls are given; NULL where it is none, as below */
    void *right[JUDGE_ARGUMENTS + 1];  /* outputs of the baseline */
    void *before[JUDGE_ARGUMENTS + 1]; /* outputs before the call */
    void *first[JUDGE_ARGUMENTS + 1];  /* of the candidate, of the first call */
    struct judge_blind *blind;
};

static void fill_place(const struct checking *k, unsigned side, size_t place, unsigned turn)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        void *to = a->array ? cell_buffer(k->j->memory[side], place, i) : NULL;
        if (to && k->input[i])
            memcpy(to, k->input[i], judge_bytes(a));
        else if (to)
            judge_poison(to, judge_bytes(a), turn);
    }
    cell_set_margins(k->j->memory[side], place);
}

static int call_place(const struct checking *k, unsigned side, uint32_t place, struct error *err)
{
    struct cell_took ignored;
    const struct cell_calls calls = {.places = &place, .n = 1};
    struct judging *j = k->j;
    j->result->checks += side;
    int rc = cell_call(j->cell[side], &calls, &ignored, &j->result->refusal, err);
    rc = rc ? rc : cell_margins(j->memory[side], place, &j->result->refusal);
    return judge_side_result(j, side, rc, err);
}

static void keep_outputs(const struct checking *k, unsigned side, size_t place, void *const *to)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++)
        if (to[i])
            memcpy(to[i], cell_buffer(k->j->memory[side], place, i), judge_bytes(&h->arguments[i]));
}

/* The first output whose bytes differ, or NULL. */
static const struct judge_argument *changed(const struct checking *k, unsigned side, size_t place,
                                            void *const *from)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (from[i] &&
            memcmp(from[i], cell_buffer(k->j->memory[side], place, i), judge_bytes(a)) != 0)
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
    if (k->distribution == JUDGE_BITS && k->j->harness->exact_on_bits &&
        bits_are_whole(k->j->harness))
        return JUDGE_EXACT;
    return k->distribution == JUDGE_WIDE ? JUDGE_WHOLE : JUDGE_EACH;
}

/* --- the baseline --- */

static int ask_baseline(struct checking *k, struct error *err)
{
    int rc = 0;
    for (unsigned turn = 0; turn < 2 && rc == 0; turn++) {
        fill_place(k, 0, turn, turn);
        if (turn == 0)
            keep_outputs(k, 0, 0, k->before);
        rc = call_place(k, 0, turn, err);
    }
    if (rc != 0)
        return rc;
    keep_outputs(k, 0, 0, k->right);
    const struct judge_argument *a = changed(k, 0, 1, k->right);
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
    struct judge_refusal r;
    judge_refuse(&r, GUARD_OUTPUT,
                 "%zu of %zu values of %.60s are wrong; [%zu] is %.9g, not %.9g (%s)", d->n,
                 a->length, a->name, d->first, d->got, d->wanted,
                 judge_distribution_name(k->distribution));
    return judge_object(k->j, &r);
}

static int compare_outputs(const struct checking *k, size_t place)
{
    const struct harness *h = k->j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        struct judge_difference d;
        if (!judge_is_output(a))
            continue;
        if (!judge_same(h, a, k->right[i], cell_buffer(k->j->memory[1], place, i), rule_of(k), &d))
            return refuse_output(k, a, &d);
        k->j->result->worst = fmax(k->j->result->worst, d.worst);
    }
    return 0;
}

static int ask_candidate(const struct checking *k, struct error *err)
{
    struct judge_refusal r;
    int rc = 0;
    for (unsigned turn = 0; turn < PLACES && rc == 0; turn++) {
        fill_place(k, 1, turn, turn & 1);
        rc = call_place(k, 1, turn, err);
        rc = rc ? rc : compare_outputs(k, turn);
        if (rc == 0 && turn == 0)
            keep_outputs(k, 1, 0, k->first);
    }
    if (rc != 0)
        return rc;
    const struct judge_argument *same = changed(k, 1, 2, k->first),
                                *other = changed(k, 1, 1, k->first);
    if (same)
        judge_refuse(&r, GUARD_BITS, "two calls with the same inputs give different bits of %.60s",
                     same->name);
    else if (other)
        judge_refuse(&r, GUARD_STALE, "%.60s depends on what stood there before the call",
                     other->name);
    return same || other ? judge_object(k->j, &r) : 0;
}

static void draw_inputs(const struct checking *k)
{
    const struct harness *h = k->j->harness;
    uint64_t seed;
    env_random(&seed, sizeof seed);
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

/* The inputs of more calls, as the timed ones have them, are the baseline's only. */
static int object_to_blindness(struct checking *k, struct error *err)
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
    if (rc == 0 && judge_blind_object(k->blind, &r) != 0)
        rc = judge_object(k->j, &r);
    return rc;
}

static void make_room(struct checking *k)
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

static void free_room(struct checking *k)
{
    for (size_t i = 0; i <= JUDGE_ARGUMENTS; i++) {
        free(k->input[i]);
        free(k->right[i]);
        free(k->before[i]);
        free(k->first[i]);
    }
    judge_blind_free(k->blind);
}

int judge_check(struct judging *j, struct error *err)
{
    struct checking k = {.j = j};
    int rc = 0;
    for (unsigned side = 0; side < JUDGE_SIDES && rc == 0; side++)
        rc = judge_start(j, side, PLACES, err);
    make_room(&k);
    for (int d = 0; d < JUDGE_DISTRIBUTIONS && rc == 0; d++)
        for (int s = 0; s < SEEDS && rc == 0; s++) {
            k.distribution = (enum judge_distribution)d;
            rc = check_once(&k, err);
        }
    rc = rc ? rc : object_to_blindness(&k, err);
    free_room(&k);
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        judge_stop(j, side);
    return rc;
}
