/*
 * Baseline and candidate are launched in pairs, in random order. Each pair has inputs of its own,
 * and the memory after each launch is compared.
 */
#include <string.h>

#include "backends/replay/judge/trial.h"
#include "base/env.h"

enum { FEWEST_PAIRS = 8 };

static int run_pair(struct trial *k, struct gpu_series *s, struct replay_failure *f)
{
    struct {
        uint64_t seed;
        uint8_t first, poison;
    } draw;
    double cost[TRIAL_SIDES] = {0};
    env_random(&draw, sizeof draw);
    const struct trial_setup setup = {
        .fresh = true, .seed = draw.seed, .poison = draw.poison % 3 - 1};
    const unsigned first = draw.first & 1;
    int rc = trial_launch(k, first, &setup, &cost[first], f);
    struct replay_output *kept = rc == 0 ? replay_output_keep(k->s.c, k->s.workers) : NULL;
    if (rc == 0 && !kept)
        rc = replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory", "no copy of memory fits");
    rc = rc ? rc : trial_launch(k, !first, &setup, &cost[!first], f);
    rc = rc ? rc : trial_compare(k, kept, first == 1, false, "in a timed launch", f);
    replay_output_free(kept);
    if (rc == 0)
        gpu_series_add(s, cost[0], cost[1]);
    return rc;
}

static int run_series(struct trial *k, struct gpu_series *s, enum judge_verdict *verdict,
                      struct replay_failure *f)
{
    const uint64_t end = env_now_ns() + (uint64_t)(k->t->for_s * 1e9);
    size_t look = FEWEST_PAIRS;
    int rc = 0;
    *verdict = JUDGE_NOT_DECIDED;
    while (rc == 0 && *verdict == JUDGE_NOT_DECIDED && (s->n == 0 || env_now_ns() < end)) {
        rc = run_pair(k, s, f);
        if (rc != 0 || s->n < look)
            continue;
        *verdict = gpu_series_verdict(s, k->t->confidence, k->t->margin);
        look = s->n + 1 + s->n / 10;
    }
    return rc;
}

int trial_time(struct trial *k, struct replay_failure *f)
{
    enum judge_verdict verdict;
    struct judge_refusal r;
    int rc = run_series(k, &k->series[0], &verdict, f);
    if (rc != 0 || verdict != JUDGE_FASTER)
        return rc;
    const double factor = gpu_series_interval(&k->series[0], k->t->confidence).estimate;
    judge_refuse(&r, GUARD_REVIEW, "it is %.1f times as fast", 1 / factor);
    if (factor < 0.1)
        rc = trial_object(k, &r);
    return rc ? rc : run_series(k, &k->series[1], &verdict, f);
}
