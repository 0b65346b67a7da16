/*
 * Baseline and candidate are launched in pairs, in random order. Each pair has inputs of its own,
 * and the memory after each launch is compared. Every third pair begins with cold caches.
 */
#include <string.h>

#include "backends/replay/judge/trial.h"
#include "base/env.h"
#include "engine/judge_gpu/gpu_progress.h"

enum { FEWEST_PAIRS = 8 };
static const uint64_t TELL_NS = 1000000000;

/* s: of the warm and of the cold pairs. */
static int run_timed_pair(struct trial *k, struct gpu_series s[2], bool cold,
                          struct replay_failure *f)
{
    struct {
        uint64_t seed;
        uint8_t first, poison;
    } draw;
    double cost[TRIAL_SIDES] = {0};
    env_random(&draw, sizeof draw);
    const struct trial_setup setup = {
        .fresh = true, .seed = draw.seed, .poison = draw.poison % 3 - 1, .cold = cold};
    const unsigned first = draw.first & 1;
    int rc = trial_launch(k, first, &setup, &cost[first], f);
    struct replay_output *kept = rc == 0 ? replay_output_keep(k->s.c, k->s.workers) : NULL;
    if (rc == 0 && !kept)
        rc = replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory", "no copy of memory fits");
    if (rc == 0)
        rc = trial_launch(k, !first, &setup, &cost[!first], f);
    if (rc == 0)
        rc = trial_compare(k, kept, first == 1, false, "in a timed launch", f);
    replay_output_free(kept);
    if (rc == 0)
        gpu_series_add(&s[cold], cost[0], cost[1]);
    return rc;
}

/* A candidate that is faster is asked for cold caches, too, of which too few pairs say nothing. */
static bool are_pairs_decided(const struct trial *k, const struct gpu_series s[2],
                              enum judge_verdict *verdict)
{
    const enum judge_verdict warm = gpu_series_verdict(&s[0], k->t->confidence, k->t->margin);
    if (warm == JUDGE_FASTER && k->flush.size && s[1].n < GPU_FEWEST_COLD)
        return false;
    *verdict = warm;
    return warm != JUDGE_NOT_DECIDED;
}

static void tell_pairs(struct trial *k, const struct gpu_series s[2])
{
    const uint64_t now = env_now_ns();
    if (k->progress_ns && now - k->progress_ns < TELL_NS)
        return;
    k->progress_ns = now;
    const struct judge_progress p = {.factor = gpu_series_interval(&s[0], k->t->confidence),
                                     .pairs = s[0].n + s[1].n,
                                     .confirms = s == k->series[1],
                                     .modelled = trial_is_modelled(k)};
    replay_event_object(&k->s.events, gpu_progress_event(&p));
}

/* Takes pairs until the warm ones are decided, or the time is over. */
static int run_pairs_in_time(struct trial *k, struct gpu_series s[2], enum judge_verdict *verdict,
                             struct replay_failure *f)
{
    const uint64_t end = env_now_ns() + (uint64_t)(k->t->for_s * 1e9);
    size_t look = FEWEST_PAIRS;
    int rc = 0;
    *verdict = JUDGE_NOT_DECIDED;
    k->progress_ns = 0;
    for (size_t n = 0; rc == 0 && (n == 0 || env_now_ns() < end); n++) {
        const bool cold = k->flush.size && n % GPU_COLD_EACH == GPU_COLD_EACH - 1;
        rc = run_timed_pair(k, s, cold, f);
        if (rc == 0 && s[0].n >= look) {
            if (are_pairs_decided(k, s, verdict))
                break;
            look = s[0].n + 1 + s[0].n / 10;
        }
        if (rc == 0)
            tell_pairs(k, s);
    }
    return rc;
}

static int refuse_cold_pairs(struct trial *k, const struct gpu_series *cold)
{
    struct judge_refusal r;
    if (gpu_series_verdict(cold, k->t->confidence, k->t->margin) != JUDGE_SLOWER)
        return 0;
    judge_refuse(&r, GUARD_COLD, "with cold caches its cost is %.3f of the baseline's",
                 gpu_series_interval(cold, k->t->confidence).estimate);
    return trial_refuse(k, &r);
}

int trial_time(struct trial *k, struct replay_failure *f)
{
    enum judge_verdict verdict;
    struct judge_refusal r;
    k->timing = true;
    int rc = run_pairs_in_time(k, k->series[0], &verdict, f);
    if (rc != 0 || verdict != JUDGE_FASTER)
        return rc;
    rc = refuse_cold_pairs(k, &k->series[0][1]);
    const double factor = gpu_series_interval(&k->series[0][0], k->t->confidence).estimate;
    judge_refuse(&r, GUARD_REVIEW, "it is %.1f times as fast", 1 / factor);
    if (rc == 0 && factor < 0.1)
        rc = trial_refuse(k, &r);
    if (rc == 0)
        rc = run_pairs_in_time(k, k->series[1], &verdict, f);
    return rc ? rc : refuse_cold_pairs(k, &k->series[1][1]);
}
