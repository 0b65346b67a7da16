/*
 * Pairs of batches in fresh processes, in random order; each call has inputs of its own, and each
 * answer is compared. The number of calls of a batch, their slots and their order are secret.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_inputs.h"

/* PAIRS_LEAST: that many fit in the time, of which two thirds are warm. TIMES_ITS_COST: what is
 * measured by what the judge itself takes for it. */
enum { TRY_MORE = 8, POOL = 1 << 17 /* values */, PAIRS_LEAST = 256, TIMES_ITS_COST = 20 };

/* The share of a pair's time that its calls may take, however long the rest takes. */
static const double ROOM_LEAST = 0.25;

static uint64_t draw_number_below(uint64_t n)
{
    uint64_t v;
    env_random(&v, sizeof v);
    return n ? v % n : 0;
}

/* --- inputs --- */

static void make_pools(struct judging *j)
{
    for (size_t i = 0; i < j->harness->n; i++) {
        struct judge_argument a = j->harness->arguments[i];
        uint64_t seed;
        if (!judge_is_input(&a))
            continue;
        a.length = POOL;
        j->pool[i] = xcalloc(a.length, judge_types[a.type].size);
        env_random(&seed, sizeof seed);
        judge_fill(&a, i, JUDGE_AS_SAID, seed, j->pool[i]);
    }
}

/* The same seed makes the same inputs, for the other side. */
static void fill_call(const struct judging *j, unsigned side, size_t slot, uint64_t *seed)
{
    const struct harness *h = j->harness;
    struct sandbox_memory *m = j->memory[side];
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (judge_is_input(a))
            judge_mix_input(a, j->pool[i], POOL, seed, sandbox_buffer(m, slot, i));
        else if (a->array)
            judge_poison(sandbox_buffer(m, slot, i), judge_bytes(a), (unsigned)judge_random(seed));
    }
    sandbox_set_margins(m, slot);
}

/* The first n of slots in random order: R. Durstenfeld, CACM 7, 1964. */
static void shuffle_slots(uint32_t *order, size_t slots, size_t n)
{
    uint64_t seed;
    env_random(&seed, sizeof seed);
    for (size_t i = 0; i < slots; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < n && i < slots; i++) {
        const size_t k = i + judge_random(&seed) % (slots - i);
        const uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* Which values numbers have in each call. */
static void choose_samples(uint32_t *samples, size_t n)
{
    uint64_t seed;
    env_random(&seed, sizeof seed);
    for (size_t i = 0; i < n; i++)
        samples[i] = (uint32_t)(judge_random(&seed) >> 33);
}

/* --- answers --- */

static int compare_call(struct judging *j, size_t slot)
{
    const struct harness *h = j->harness;
    struct judge_refusal r;
    int rc = sandbox_margins(j->memory[1], slot, &r);
    if (rc != 0)
        return judge_refuse_by_guard(j->plan, j->result, r.guard, "%s", r.evidence);
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        struct judge_difference d;
        if (!judge_is_output(a))
            continue;
        if (!judge_same(h, a, sandbox_buffer(j->memory[0], slot, i),
                        sandbox_buffer(j->memory[1], slot, i), JUDGE_EACH, &d))
            return judge_refuse_by_guard(
                j->plan, j->result, GUARD_OUTPUT,
                "%zu of %zu values of %.60s are wrong in a timed call; [%zu] is %.9g, not %.9g",
                d.n, a->length, a->name, d.first, d.got, d.wanted);
        j->result->worst = fmax(j->result->worst, d.worst);
    }
    return 0;
}

/* --- pairs --- */

/* Places that get inputs but no call: who works ahead, works there, too. */
static size_t decoys_of(const struct judging *j)
{
    return j->memory[0]->slots < 16 ? 1 : 4;
}

static int compare_decoy(struct judging *j, size_t slot)
{
    const struct harness *h = j->harness;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (judge_is_output(a) &&
            memcmp(sandbox_buffer(j->memory[0], slot, i), sandbox_buffer(j->memory[1], slot, i),
                   judge_bytes(a)) != 0)
            return judge_refuse_by_guard(j->plan, j->result, GUARD_AHEAD,
                                         "it writes %.60s of a call that was not made", a->name);
    }
    return 0;
}

/* Inputs appear when no code of the process runs: the object's may have run since it was loaded. */
static int time_side(struct judging *j, unsigned side, const struct sandbox_calls *calls,
                     uint64_t seed, struct sandbox_cost *took, struct error *err)
{
    int rc = judge_start(j, side, j->batch + decoys_of(j), err);
    if (rc == 0) {
        rc = j->plan->sandboxes->hold(j->sandbox[side], &j->result->refusal, err);
        for (size_t i = 0; i < calls->n + decoys_of(j) && rc == 0; i++)
            fill_call(j, side, calls->slots[i], &seed);
        if (rc == 0)
            rc = j->plan->sandboxes->call(j->sandbox[side], calls, took, &j->result->refusal, err);
        rc = judge_side_result(j, side, rc, err);
    }
    /* its behaviour after the answer is not observed: the process ends now */
    judge_stop(j, side);
    return rc;
}

static int time_judged_pair(void *ctx, bool cold, struct judge_pair *out, struct error *err)
{
    struct judging *j = ctx;
    static uint32_t order[1 << 12], samples[1 << 12];
    const size_t n = j->batch - draw_number_below(j->batch / 2 + 1);
    const unsigned first = (unsigned)draw_number_below(2);
    struct sandbox_cost took[JUDGE_SIDES] = {{.ns = 0}, {.ns = 0}};
    uint64_t seed;
    env_random(&seed, sizeof seed);
    const size_t decoys = decoys_of(j);
    shuffle_slots(order, j->batch + decoys, n + decoys);
    choose_samples(samples, n);
    const struct sandbox_calls calls = {
        .slots = order, .samples = samples, .n = n, .cold = cold, .clean = j->clean};
    int rc = 0;
    for (unsigned i = 0; i < JUDGE_SIDES && rc == 0; i++)
        rc = time_side(j, first ^ i, &calls, seed, &took[first ^ i], err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = compare_call(j, order[i]);
    for (size_t i = n; i < n + decoys && rc == 0; i++)
        rc = compare_decoy(j, order[i]);
    j->clean |= took[0].written || took[1].written;
    j->result->cost.timed_ns += (double)took[0].ns + (double)took[1].ns;
    j->elapsed_ns += (double)took[0].elapsed_ns + (double)took[1].elapsed_ns;
    *out =
        (struct judge_pair){.ns = {(double)took[0].ns, (double)took[1].ns},
                            .elapsed_ns = {(double)took[0].elapsed_ns, (double)took[1].elapsed_ns},
                            .instructions = {took[0].instructions, took[1].instructions},
                            .calls = n};
    return rc;
}

/* What pairs of a size cost. */
struct trial {
    double call_ns; /* of both sides together */
    double own_ns;  /* CPU time of a pair that is not that of its calls */
    double lost_ns; /* elapsed time of a pair that is not that of its calls */
    double stretch; /* elapsed time of the calls by their CPU time: others work on this CPU, too */
};

static int try_pair(struct judging *j, struct trial *t, struct error *err)
{
    struct judge_pair p = {.calls = 1};
    const uint64_t own = judge_own_ns(j), began = env_now_ns();
    const double before = j->elapsed_ns;
    const int rc = time_judged_pair(j, false, &p, err);
    const double timed = fmax(p.ns[0] + p.ns[1], 1), elapsed = j->elapsed_ns - before;
    *t = (struct trial){.call_ns = timed / (double)p.calls,
                        .own_ns = fmax((double)(judge_own_ns(j) - own) - timed, 0),
                        .lost_ns = fmax((double)(env_now_ns() - began) - elapsed, 0),
                        .stretch = fmax(elapsed / timed, 1)};
    return rc;
}

/* The CPU time of both sides' calls in a pair: long beside what the pair itself costs, as long as
 * there is time for enough pairs. */
static double wanted_of(const struct judging *j, const struct trial *t)
{
    const double pair = j->plan->for_s * 1e9 / PAIRS_LEAST;
    const double room = fmax(pair - t->lost_ns, pair * ROOM_LEAST) / t->stretch;
    return fmax(fmin(t->own_ns * TIMES_ITS_COST, room), 2 * j->plan->wanted_s * 1e9);
}

/* How many calls fill the time that a pair is wanted to take. The first alone is mostly the way of
 * the word, so more are tried, until they take as long. */
static int choose_batch(struct judging *j, struct error *err)
{
    static const double usual_share = 0.75; /* of the batch; time_judged_pair takes at least half */
    const double most = (double)(j->memory[0]->slots - decoys_of(j));
    double fit = 1, factor, least_lost = INFINITY;
    int rc;
    do {
        struct trial t;
        j->batch = (size_t)fit;
        rc = try_pair(j, &t, err);
        /* what one pair waited for a CPU says little of the next */
        t.lost_ns = least_lost = fmin(t.lost_ns, least_lost);
        factor = wanted_of(j, &t) / (t.call_ns * usual_share * fit);
        fit = fmin(fmax(floor(fit * fmin(factor, TRY_MORE)), 1), most);
    } while (rc == 0 && (size_t)fit > j->batch && (factor >= 2 || j->batch == 1));
    if ((size_t)fit > 1)
        j->batch = (size_t)fit;
    return rc;
}

/* --- the decision --- */

uint64_t judge_now_ns(void *ctx)
{
    (void)ctx;
    return env_now_ns();
}

int judge_time(struct judging *j, struct error *err)
{
    const struct judge_pairs pairs = {.take = time_judged_pair, .now_ns = judge_now_ns, .ctx = j};
    make_pools(j);
    int rc = choose_batch(j, err);
    if (rc == 0)
        rc = judge_decide(j->plan, &pairs, j->result, err);
    for (unsigned side = 0; side < JUDGE_SIDES; side++)
        if (isnan(j->result->instructions[side]))
            snprintf(j->result->not_counted, sizeof j->result->not_counted, "%s",
                     j->memory[side]->not_counted);
    for (size_t i = 0; i <= JUDGE_ARGUMENTS; i++)
        free(j->pool[i]);
    return rc;
}
