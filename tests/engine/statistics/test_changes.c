/* Simulated series: no change is found where there is none, however often one looks, and a step is
 * found soon. The rates are those that docs/BENCH.md promises; seeds are fixed. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/statistics/changes.h"
#include "engine/statistics/noise.h"
#include "support/test.h"

enum { LOOKS = 500, SERIES = 50, MOST = 800 };
static const size_t baselines[] = {20, 50, 200};

/* A series whose level is multiplied by `step` from run `at` on; returns its first change. */
static bool first_change(enum noise kind, size_t baseline, size_t n, size_t at, double step,
                         struct change *first)
{
    double v[MOST];
    struct change *found;
    struct change_rule rule = change_rule_usual;
    rule.baseline = baseline;
    noise_fill(kind, v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = exp(v[i]) * (i >= at ? step : 1);
    size_t changes = changes_find(v, n, &rule, &found);
    if (changes)
        *first = found[0];
    free(found);
    return changes > 0;
}

/* Alarms (rises) among series without a change, of all baselines together. */
static int count_alarms(enum noise kind)
{
    int alarms = 0;
    noise_seed = 1;
    for (size_t b = 0; b < 3; b++)
        for (int i = 0; i < SERIES; i++) {
            struct change c;
            if (first_change(kind, baselines[b], baselines[b] + LOOKS, MOST, 1, &c))
                alarms += c.after > c.before;
        }
    return alarms;
}

TEST(unchanged_series_raise_no_alarm)
{
    static const enum noise kinds[] = {CONSTANT, SPIKES, MODES, MEMORY, HEAVY, SKEWED};
    int all = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int alarms = count_alarms(kinds[k]);
        if (alarms > 4) /* 150 series: 5 or more at 1 % happen once in 70 */
            fail_msg("noise %zu: %d alarms in %d series", k, alarms, 3 * SERIES);
        all += alarms;
    }
    assert_true(all <= 9); /* of 900 */
}

/* A drift is a change that has no moment: a slow one is not found, a strong one is. */
TEST(drift_is_found_where_it_is_strong)
{
    assert_true(count_alarms(DRIFT) <= 6);
    assert_true(count_alarms(STRONG_DRIFT) >= 120);
}

TEST(steps_are_found_soon)
{
    static const struct {
        double step;
        size_t runs;
        int least, near; /* of 100 series, with 150 runs before the step */
    } cases[] = {{1.05, 10, 95, 90}, {1.03, 20, 85, 70}, {1 / 1.05, 10, 93, 90}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int found = 0, near = 0;
        noise_seed = 2;
        for (int i = 0; i < 100; i++) {
            struct change c;
            if (!first_change(CONSTANT, 50, 150 + cases[k].runs, 150, cases[k].step, &c) ||
                c.found < 150)
                continue;
            found++;
            near += c.at >= 148 && c.at <= 152;
            assert_true((c.after > c.before) == (cases[k].step > 1));
        }
        if (found < cases[k].least || near < cases[k].near * found / 100)
            fail_msg("step %g: %d found, %d of them near", cases[k].step, found, near);
    }
}

/* However high, wherever. */
TEST(a_spike_is_no_change)
{
    static const double heights[] = {1.2, 10, 1e9, 1e-3};
    noise_seed = 3;
    for (size_t h = 0; h < 4; h++)
        for (size_t at = 0; at < 120; at++) {
            double v[120];
            struct change *found;
            noise_fill(CONSTANT, v, 120);
            for (size_t i = 0; i < 120; i++)
                v[i] = exp(v[i]) * (i == at ? heights[h] : 1);
            size_t n = changes_find(v, 120, &change_rule_usual, &found);
            for (size_t i = 0; i < n; i++)
                assert_true(found[i].at + 2 < at || found[i].at > at + 2);
            free(found);
        }
}

/* What was found is found for good: later runs change no earlier answer. */
TEST(later_runs_change_no_answer)
{
    double v[400];
    struct change *all, *some;
    noise_seed = 4;
    noise_fill(CONSTANT, v, 400);
    for (size_t i = 0; i < 400; i++)
        v[i] = exp(v[i]) * (i >= 300 ? 1.1 : i >= 150 ? 1.2 : 1);
    size_t n = changes_find(v, 400, &change_rule_usual, &all);
    assert_int_equal(n, 2);
    assert_in_range(all[0].at, 149, 151);
    assert_in_range(all[1].at, 299, 301);
    assert_true(fabs(all[0].after / all[0].before - 1.2) < 0.03);
    for (size_t m = 0; m < 400; m += 7) {
        size_t k = changes_find(v, m, &change_rule_usual, &some);
        assert_int_equal(k, (size_t)(m > all[0].found) + (size_t)(m > all[1].found));
        for (size_t i = 0; i < k; i++)
            assert_memory_equal(&some[i], &all[i], sizeof *all);
        free(some);
    }
    free(all);
}

TEST(constant_and_short_series)
{
    double v[100];
    struct change *found;
    for (size_t i = 0; i < 100; i++)
        v[i] = 7;
    assert_int_equal(changes_find(v, 100, &change_rule_usual, &found), 0);
    free(found);
    assert_int_equal(changes_find(v, 0, &change_rule_usual, &found), 0);
    free(found);
    for (size_t i = 60; i < 100; i++)
        v[i] = 7.5; /* a clock without noise */
    assert_int_equal(changes_find(v, 100, &change_rule_usual, &found), 1);
    assert_int_equal(found[0].at, 60);
    free(found);
}
