/* Intervals hold what they promise when they are looked at after every pair, and verdicts follow.
 */
#include <math.h>
#include <stdbool.h>

#include "engine/statistics/interval.h"
#include "engine/statistics/ranks.h"
#include "engine/statistics/noise.h"
#include "support/test.h"

/* Tables of the normal distribution (NIST/SEMATECH e-Handbook, 1.3.6.7.1). */
TEST(quantiles_as_in_the_tables)
{
    static const double table[][2] = {{0.5, 0},          {0.975, 1.959964},
                                      {0.995, 2.575829}, {0.0005, -3.290527},
                                      {1e-6, -4.753424}, {1e-9, -5.997807}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(fabs(normal_quantile(table[i][0]) - table[i][1]) < 1e-6);
}

TEST(ranks_count_equal_values_half)
{
    struct ranked r = {0};
    assert_true(ranked_add(&r, 5) == 0.5);
    assert_true(ranked_add(&r, 7) == 0.75);
    assert_true(ranked_add(&r, 5) == 2.0 / 2 / 3);
    assert_true(ranked_median(&r) == 5);
    assert_true(ranked_share(&r, 5) == 1.0 / 3 && ranked_share(&r, 6) == 2.0 / 3);
    ranked_drop(&r, 5);
    assert_true(r.n == 2 && r.v[0] == 5 && r.v[1] == 7);
    ranked_drop(&r, 7);
    assert_true(r.n == 1 && ranked_share(&r, 5) == 0.5 && ranked_share(&r, 8) == 1);
    ranked_free(&r);
    assert_true(isnan(median_of(NULL, 0)));
}

/* Differences of pairs in random order: noise of the machine, which both see, cancels or not; the
 * sign is chance. */
static void fill_pairs(enum noise kind, double shift, double *d, size_t n)
{
    double x[400];
    noise_fill(kind, x, 2 * n);
    for (size_t i = 0; i < n; i++)
        d[i] = shift + (noise_uniform() < 0.5 ? x[2 * i] - x[2 * i + 1] : x[2 * i + 1] - x[2 * i]);
}

/* Looked at eight times in 48 pairs, at 10 %: at most 10 % of the series ever exclude the truth. */
TEST(pairs_never_exclude_the_truth)
{
    enum { SERIES = 30, PAIRS = 48 };
    static const double shifts[] = {0, 0.1};
    noise_seed = 5;
    for (enum noise kind = CONSTANT; kind <= STRONG_DRIFT; kind++)
        for (int s = 0; s < 2; s++) {
            int wrong = 0;
            for (int i = 0; i < SERIES; i++) {
                double d[PAIRS];
                bool missed = false;
                fill_pairs(kind, shifts[s], d, PAIRS);
                for (size_t n = 6; n <= PAIRS && !missed; n += 6) {
                    struct interval k = interval_of_pairs(d, n, 0.1);
                    missed = k.low > shifts[s] || k.high < shifts[s];
                }
                wrong += missed;
            }
            if (wrong > 3)
                fail_msg("noise %d, shift %g: %d of %d exclude it", kind, shifts[s], wrong, SERIES);
        }
}

/* 3 % is seen through noise of 2 % in 60 pairs, 10 % in 10. */
TEST(true_differences_are_seen)
{
    static const struct {
        double shift;
        size_t pairs;
        enum ratio_verdict verdict;
    } cases[] = {
        {0.03, 60, VERDICT_SLOWER}, {-0.03, 60, VERDICT_FASTER}, {0.1, 13, VERDICT_SLOWER}};
    noise_seed = 6;
    for (size_t k = 0; k < 3; k++) {
        int seen = 0;
        for (int i = 0; i < 40; i++) {
            double d[100];
            fill_pairs(CONSTANT, cases[k].shift, d, cases[k].pairs);
            struct interval v = interval_of_pairs(d, cases[k].pairs, 0.01);
            seen += verdict_of(&v, 0.001) == cases[k].verdict;
        }
        if (seen < 38)
            fail_msg("shift %g: %d of 40 seen", cases[k].shift, seen);
    }
}

TEST(few_pairs_say_nothing)
{
    const double d[] = {1, 1, 1, 1};
    struct interval k = interval_of_pairs(d, 4, 0.01);
    assert_true(isinf(k.low) && isinf(k.high) && fabs(k.estimate - 1) < 1e-9);
    assert_int_equal(verdict_of(&k, 0.01), VERDICT_NOT_DECIDED);
    k = interval_of_pairs(d, 0, 0.01);
    assert_true(isnan(k.estimate));
    assert_int_equal(verdict_of(&k, 0.01), VERDICT_NOT_DECIDED);
}

TEST(verdicts_by_the_margin)
{
    static const struct {
        struct interval i;
        enum ratio_verdict verdict;
    } cases[] = {{{0.02, 0.011, 0.03}, VERDICT_SLOWER},
                 {{0.005, 0.001, 0.009}, VERDICT_EQUIVALENT},
                 {{0.008, 0.001, 0.02}, VERDICT_SLOWER},
                 {{-0.02, -0.03, -0.001}, VERDICT_FASTER},
                 {{0, -0.011, 0.011}, VERDICT_NOT_DECIDED}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(verdict_of(&cases[k].i, 0.01), cases[k].verdict);
    assert_string_equal(verdict_name(VERDICT_NOT_DECIDED), "not decided");
}

/* Skewed values with a median of 0.02, independent or each depending on the one before. */
TEST(medians_hold)
{
    static const struct {
        enum noise kind;
        double median;
    } cases[] = {{SKEWED, 0.02}, {HEAVY, 0}, {MEMORY, 0}, {CONSTANT, 0}};
    noise_seed = 7;
    for (size_t k = 0; k < 4; k++) {
        int wrong = 0;
        for (int i = 0; i < 100; i++) {
            double v[100];
            bool missed = false;
            noise_fill(cases[k].kind, v, 100);
            for (size_t n = 10; n <= 100 && !missed; n += 10) {
                struct interval m = interval_of_median(v, n, 0.1);
                missed = m.low > cases[k].median || m.high < cases[k].median;
            }
            wrong += missed;
        }
        if (wrong > 10)
            fail_msg("noise %d: %d of 100 exclude the median", cases[k].kind, wrong);
    }
}

/* The chance that at most u of the n * m pairs are in the wrong order, by counting arrangements:
 * of n + m equal values, the last one is of the first set or of the second. */
static double chance_of_rank_sum(int n, int m, int u)
{
    if (u < 0)
        return 0;
    if (n == 0 || m == 0)
        return 1;
    return ((double)n * chance_of_rank_sum(n - 1, m, u - m) +
            (double)m * chance_of_rank_sum(n, m - 1, u)) /
           (double)(n + m);
}

/* The bounds are differences of values; which one, the exact distribution says. */
TEST(sets_have_the_exact_bounds)
{
    const double alpha = 0.01;
    double a[9], b[9];
    for (int n = 1; n <= 9; n++)
        for (int m = 1; m <= 9; m++) {
            for (int i = 0; i < n; i++)
                a[i] = 0.001 * ((i * 7) % 9); /* no order */
            for (int i = 0; i < m; i++)
                b[i] = 1 + 0.1 * ((i * 5) % 9);
            struct interval k = interval_of_sets(a, (size_t)n, b, (size_t)m, alpha);
            int below = 0; /* differences below the lower bound: as many are refuted */
            for (int i = 0; i < n * m; i++)
                below += b[i % m] - a[i / m] < k.low - 1e-9;
            if (isinf(k.low)) {
                assert_true(isinf(k.high));
                assert_true(2 * chance_of_rank_sum(n, m, 0) > alpha / 3);
                continue;
            }
            if (2 * chance_of_rank_sum(n, m, below) > alpha * 1.001 ||
                2 * chance_of_rank_sum(n, m, below + 4) < alpha)
                fail_msg("%d and %d values: bound %d", n, m, below);
        }
}

TEST(sets_hold_what_they_promise)
{
    static const enum noise kinds[] = {CONSTANT, SPIKES, HEAVY, SKEWED, MEMORY};
    noise_seed = 8;
    for (size_t k = 0; k < 5; k++) {
        int wrong = 0, seen = 0;
        for (int i = 0; i < 200; i++) {
            double a[30], b[40];
            noise_fill(kinds[k], a, 30);
            noise_fill(kinds[k], b, 40);
            for (int j = 0; j < 40; j++)
                b[j] += 0.1;
            struct interval s = interval_of_sets(a, 30, b, 40, 0.05);
            wrong += s.low > 0.1 || s.high < 0.1;
            seen += s.low > 0 && fabs(s.estimate - 0.1) < 0.03;
        }
        if (wrong > 18 || seen < 180) /* 10 expected; 19 or more happen once in 170 */
            fail_msg("noise %d: %d of 200 wrong, %d seen", kinds[k], wrong, seen);
    }
}

/* The larger sets are thinned; nothing is there without values. */
TEST(sets_of_any_size)
{
    static double a[5000], b[5000];
    for (int i = 0; i < 5000; i++) {
        a[i] = (i * 7919 % 5000) / 5000.0;
        b[i] = a[i] + 0.25;
    }
    struct interval k = interval_of_sets(a, 5000, b, 5000, 0.01);
    assert_true(fabs(k.estimate - 0.25) < 0.02 && k.low < 0.25 && k.high > 0.25);
    k = interval_of_sets(a, 0, b, 9, 0.01);
    assert_true(isnan(k.estimate) && isinf(k.low));
}
