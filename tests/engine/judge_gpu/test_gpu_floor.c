/* What a launch needs: the limit of a share against all outcomes, and each law broken by one. */
#include "engine/judge_gpu/gpu_floor.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

/* By the sum over all outcomes of `tried` draws, each with its probability. */
static double at_least_by_outcomes(unsigned found, unsigned tried, double share)
{
    double sum = 0;
    for (unsigned outcome = 0; outcome < 1u << tried; outcome++) {
        double p = 1;
        for (unsigned i = 0; i < tried; i++)
            p *= outcome >> i & 1 ? share : 1 - share;
        if ((unsigned)__builtin_popcount(outcome) >= found)
            sum += p;
    }
    return sum;
}

TEST(test_share_against_all_outcomes)
{
    static const double alphas[] = {0.05, 0.001};
    for (size_t a = 0; a < 2; a++)
        for (unsigned tried = 1; tried <= 12; tried++) {
            assert_true(gpu_share_at_least(0, tried, alphas[a]) == 0);
            for (unsigned found = 1; found <= tried; found++) {
                const double share = gpu_share_at_least(found, tried, alphas[a]);
                assert_true(share > 0 && share < 1);
                assert_true(fabs(at_least_by_outcomes(found, tried, share) - alphas[a]) < 1e-9);
            }
        }
}

/* The limit is above the true share no more often than it may be. */
TEST(test_share_in_trials)
{
    uint64_t seed = 88172645463325252u;
    for (int tenths = 1; tenths < 10; tenths += 2) {
        const double share = 0.1 * tenths;
        unsigned wrong = 0;
        for (int trial = 0; trial < 4000; trial++) {
            unsigned found = 0;
            for (int i = 0; i < 16; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                found += (double)(seed >> 11) * 0x1p-53 < share;
            }
            wrong += gpu_share_at_least(found, 16, 0.05) > share;
        }
        assert_true(wrong <= 250); /* 200 expected at most, 14 of deviation */
    }
}

static const struct gpu_need need = {.waves = 16, .input_lines = 1000, .tried = 16, .mattered = 16};

static bool is_refused(struct gpu_done done, const char *words)
{
    struct judge_refusal r = {.guard = JUDGE_NO_GUARD};
    const int rc = gpu_floor_guard(&need, 500, &done, &r);
    assert_true(rc == 0 || (rc == 1 && r.guard == GUARD_FLOOR));
    return rc == 1 && strstr(r.evidence, words);
}

TEST(test_laws)
{
    const uint64_t loaded = gpu_need_loaded(&need);
    assert_int_equal(loaded, (uint64_t)(1000 * pow(0.001, 1 / 16.0)));
    const struct gpu_done just = {true, 1, 16 + (loaded + 500) / 128, loaded, 500};
    struct gpu_done less = just;
    struct judge_refusal r;
    assert_int_equal(gpu_floor_guard(&need, 500, &just, &r), 0);
    less.dispatches = 2;
    assert_true(is_refused(less, "2 dispatches"));
    less.dispatches = 0;
    assert_true(is_refused(less, "0 dispatches"));
    less = just;
    less.stored--;
    assert_true(is_refused(less, "stored to 499"));
    less = just;
    less.loaded--;
    assert_true(is_refused(less, "but the right answer depends on"));
    less = just;
    less.instructions--;
    assert_true(is_refused(less, "instructions of waves"));
    less = (struct gpu_done){.counted = false};
    assert_int_equal(gpu_floor_guard(&need, 500, &less, &r), 0);
}

TEST(test_few_that_matter)
{
    struct gpu_need n = {.input_lines = 3, .tried = 16, .mattered = 1};
    assert_int_equal(gpu_need_loaded(&n), 1); /* one is known, whatever the share */
    n.mattered = 0;
    assert_int_equal(gpu_need_loaded(&n), 0);
    n = (struct gpu_need){.input_lines = 100};
    assert_int_equal(gpu_need_loaded(&n), 0);
}

TEST(test_time)
{
    const double lines = (double)gpu_need_loaded(&need) + 500;
    assert_true(fabs(gpu_floor_us(&need, 500, 64e6) - lines) < 1e-9);
    assert_true(isnan(gpu_floor_us(&need, 500, 0)));
    const struct gpu_need nothing = {.waves = 1};
    assert_true(isnan(gpu_floor_us(&nothing, 0, 1e9)));
}
