/* The ratio of two builds: that of geometric means, whatever the order of launches. */
#include "engine/replay/replay_ratio.h"
#include "support/test.h"

#include <math.h>

TEST(test_a_ratio_is_of_geometric_means)
{
    const double a[] = {1, 4, 1, 4, 1, 4}, b[] = {4, 1, 4, 16, 4, 16};
    const struct replay_ratio r = replay_ratio_of(a, 6, b, 6), back = replay_ratio_of(b, 6, a, 6);
    assert_float_equal(r.ratio, pow(4 * 1 * 4 * 16 * 4 * 16 / 64.0, 1 / 6.0), 1e-12);
    assert_float_equal(r.ratio * back.ratio, 1, 1e-12);
    assert_float_equal(r.p, back.p, 1e-12);
    assert_true(r.low <= r.ratio && r.ratio <= r.high);
}

TEST(test_verdicts)
{
    const double slow[] = {10, 11, 10, 12, 11, 10, 11, 12};
    const double fast[] = {5, 6, 5, 5, 6, 6, 5, 6};
    struct replay_ratio r = replay_ratio_of(slow, 8, fast, 8);
    assert_string_equal(replay_ratio_verdict(&r), "faster");
    r.p = 0.2; /* adjusting for several builds may give this */
    assert_string_equal(replay_ratio_verdict(&r), "same");
    r = replay_ratio_of(fast, 8, slow, 8);
    assert_string_equal(replay_ratio_verdict(&r), "slower");
    r = replay_ratio_of(slow, 8, slow, 8);
    assert_string_equal(replay_ratio_verdict(&r), "same");
    assert_float_equal(r.ratio, 1, 0);
    r = replay_ratio_of(slow, 3, fast, 3);
    assert_string_equal(replay_ratio_verdict(&r), "too few");
    assert_false(replay_ratio_tested(&r));
}

/* Times of 0, and no launches at all. */
TEST(test_times_that_are_none)
{
    const double zero[] = {0, 2, 2, 2, 2, 2, 2}, four[] = {4, 4, 4, 4, 4, 4};
    struct replay_ratio r = replay_ratio_of(zero, 7, four, 6);
    assert_float_equal(r.ratio, 2, 1e-12);
    r = replay_ratio_of(zero, 0, four, 6);
    assert_true(isnan(r.ratio));
    assert_string_equal(replay_ratio_verdict(&r), "too few");
}
