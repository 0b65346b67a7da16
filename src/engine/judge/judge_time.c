/*
 * Pairs of batches in fresh processes, in random order; each call has inputs of its own, and each
 * answer is compared. The number of calls of a batch, their places and their order are secret.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/judge/judge_decide.h"
#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_inputs.h"
#include "engine/judge/judge_outputs.h"

enum { TRY_MORE = 8, POOL = 1 << 17 }; /* values */

static uint64_t random_below(uint64_t n)
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
static void fill_call(const struct judging *j, unsigned side, size_t place, uint64_t *seed)
{
    const struct harness *h = j->harness;
    struct cell_memory *m = j->memory[side];
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (judge_is_input(a))
            judge_draw(a, j->pool[i], POOL, seed, cell_buffer(m, place, i));
        else if (a->array)
            judge_poison(cell_buffer(m, place, i), judge_bytes(a), (unsigned)judge_random(seed));
    }
    cell_set_margins(m, place);
}

/* The first n of places in random order: R. Durstenfeld, CACM 7, 1964. */
static void shuffle(uint32_t *order, size_t places, size_t n)
{
    for (size_t i = 0; i < places; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        const size_t k = i + random_below(places - i);
        const uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* --- answers --- */

static int compare_call(struct judging *j, size_t place)
{
    const struct harness *h = j->harness;
    struct judge_refusal r;
    int rc = cell_margins(j->memory[1], place, &r);
    if (rc != 0)
        return judge_object(j, &r);
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        struct judge_difference d;
        if (!judge_is_output(a))
            continue;
        if (!judge_same(h, a, cell_buffer(j->memory[0], place, i),
                        cell_buffer(j->memory[1], place, i), JUDGE_EACH, &d)) {
            judge_refuse(&r, GUARD_OUTPUT,
                         "%zu of %zu values of %.60s are wrong in a timed call; [%zu] is %.9g, not "
                         "%.9g",
                         d.n, a->length, a->name, d.first, d.got, d.wanted);
            return judge_object(j, &r);
        }
        j->result->worst = fmax(j->result->worst, d.worst);
    }
    return 0;
}

/* --- pairs --- */

/* Places that get inputs but no call: who works ahead, works there, too. */
static size_t decoys_of(const struct judging *j)
{
    return cell_places(j->memory[0]) < 16 ? 1 : 4;
}

static int compare_decoy(struct judging *j, size_t place)
{
    const struct harness *h = j->harness;
    const struct judge_argument *written = NULL;
    struct judge_refusal r;
    for (size_t i = 0; i < harness_buffers(h) && !written; i++) {
        const struct judge_argument *a = &h->arguments[i];
        if (judge_is_output(a) && memcmp(cell_buffer(j->memory[0], place, i),
                                         cell_buffer(j->memory[1], place, i), judge_bytes(a)) != 0)
            written = a;
    }
    if (!written)
        return 0;
    judge_refuse(&r, GUARD_AHEAD, "it writes %.60s of a call that was not made", written->name);
    return judge_object(j, &r);
}

/* Inputs appear when no code of the process runs: the object's may have run since it was loaded. */
static int time_side(struct judging *j, unsigned side, const struct cell_calls *calls,
                     uint64_t seed, uint64_t *elapsed, struct error *err)
{
    int rc = judge_start(j, side, err);
    if (rc == 0) {
        rc = cell_hold(j->cell[side], &j->result->refusal, err);
        for (size_t i = 0; i < calls->n + decoys_of(j) && rc == 0; i++)
            fill_call(j, side, calls->places[i], &seed);
        rc = rc ? rc : cell_call(j->cell[side], calls, elapsed, &j->result->refusal, err);
        rc = judge_side_result(j, side, rc, err);
    }
    /* what it would do after its word is not seen by anybody: it ends now */
    judge_stop(j, side);
    return rc;
}

static int run_pair(struct judging *j, bool cold, struct judge_pair *out, struct error *err)
{
    static uint32_t order[1 << 12];
    const size_t places = cell_places(j->memory[0]);
    const size_t n = j->batch - random_below(j->batch / 2 + 1);
    const unsigned first = (unsigned)random_below(2);
    uint64_t elapsed[JUDGE_SIDES] = {0}, seed;
    env_random(&seed, sizeof seed);
    const size_t decoys = decoys_of(j);
    shuffle(order, places, n + decoys);
    const struct cell_calls calls = {.places = order, .n = n, .cold = cold};
    int rc = 0;
    for (unsigned i = 0; i < JUDGE_SIDES && rc == 0; i++)
        rc = time_side(j, first ^ i, &calls, seed, &elapsed[first ^ i], err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = compare_call(j, order[i]);
    for (size_t i = n; i < n + decoys && rc == 0; i++)
        rc = compare_decoy(j, order[i]);
    *out = (struct judge_pair){.ns = {(double)elapsed[0], (double)elapsed[1]}, .calls = n};
    return rc;
}

/* The shorter of two times: in the other one the machine may have done something else. */
static int try_batch(struct judging *j, const struct cell_calls *calls, double *ns,
                     struct error *err)
{
    int rc = 0;
    *ns = INFINITY;
    for (int i = 0; i < 2 && rc == 0; i++) {
        uint64_t elapsed = 0, seed;
        env_random(&seed, sizeof seed);
        rc = time_side(j, 0, calls, seed, &elapsed, err);
        *ns = fmin(*ns, fmax((double)elapsed, 1));
    }
    return rc;
}

/* How many calls fill the time that a batch is wanted to take. The first alone is mostly the way of
 * the word, so more are tried, until they take as long. */
static int choose_batch(struct judging *j, struct error *err)
{
    static uint32_t order[1 << 12];
    const size_t places = cell_places(j->memory[0]);
    const double wanted_ns = j->plan->wanted_s * 1e9;
    double fit = 1;
    int rc = 0;
    shuffle(order, places, places);
    do {
        const struct cell_calls calls = {.places = order, .n = j->batch = (size_t)fit};
        double ns = 0;
        rc = try_batch(j, &calls, &ns, err);
        const double factor = wanted_ns / ns;
        if (factor < 2 && j->batch > 1)
            break;
        fit = fmin(fmax((double)j->batch * fmin(factor, TRY_MORE), 1),
                   (double)(places - decoys_of(j)));
    } while (rc == 0 && (size_t)fit > j->batch);
    return rc;
}

/* --- the decision --- */

static int take_pair(void *ctx, bool cold, struct judge_pair *out, struct error *err)
{
    return run_pair(ctx, cold, out, err);
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return env_now_ns();
}

int judge_time(struct judging *j, struct error *err)
{
    const struct judge_pairs pairs = {.take = take_pair, .now_ns = now_ns, .ctx = j};
    make_pools(j);
    int rc = choose_batch(j, err);
    rc = rc ? rc : judge_decide(j->plan, &pairs, j->result, err);
    for (size_t i = 0; i <= JUDGE_ARGUMENTS; i++)
        free(j->pool[i]);
    return rc;
}
