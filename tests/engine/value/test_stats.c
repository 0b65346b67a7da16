/* Statistics agree with tables of Student's t, published examples, and processes with a known
 * answer. */
#include <math.h>

#include "engine/value/stats.h"
#include "support/normal.h"
#include "support/test.h"

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.10g instead of %.10g", got, want);
}

/* NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2, column 0.975. */
TEST(t_as_in_the_tables)
{
    static const struct {
        double df, t;
    } table[] = {{1, 12.706}, {2, 4.303}, {5, 2.571}, {10, 2.228}, {30, 2.042}, {100, 1.984}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        near(stats_t_95(table[i].df), table[i].t, 6e-4);
        near(stats_t_p(table[i].t, table[i].df), 0.05, 5e-5);
        near(stats_t_p(-table[i].t, table[i].df), 0.05, 5e-5);
    }
    near(stats_t_p(0, 7), 1, 1e-12);
    near(stats_t_p(1, 1), 0.5, 1e-12); /* Cauchy distribution: exactly a quarter on each side */
    near(stats_t_p(1e9, 5), 0, 1e-12);
    near(stats_t_95(1e7), 1.959964, 1e-4);
}

TEST(plain_numbers)
{
    static const double v[] = {2, NAN, 4, 4, 4, 5, 5, NAN, 7, 9};
    struct stats s = stats_of(v, sizeof v / sizeof *v);
    assert_int_equal(s.n, 8);
    near(s.mean, 5, 1e-12);
    near(s.sd, sqrt(32.0 / 7), 1e-12);
    near(s.median, 4.5, 0);
    near(s.min, 2, 0);
    near(s.max, 9, 0);
    assert_int_equal(stats_of(v, 0).n, 0);
    assert_int_equal(stats_of(v + 1, 1).n, 0);
    near(stats_of(v, 1).sd, 0, 0);
    near(stats_of(v, 1).effective, 1, 0);
}

static uint64_t seed;

static void walk(double *v, size_t n, double memory, double level)
{
    double x = 0;
    for (size_t i = 0; i < n; i++) {
        x = memory * x + sqrt(1 - memory * memory) * normal_next(&seed);
        v[i] = level + x;
    }
}

/* n samples of x' = a x + noise say as much as n (1 - a) / (1 + a) independent ones. */
TEST(correlated_samples_count_less)
{
    enum { N = 20000 };
    static double v[N];
    static const double memory[] = {0, 0.5, 0.9, 0.97};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        seed = i + 1;
        walk(v, N, memory[i], 0);
        double want = N * (1 - memory[i]) / (1 + memory[i]);
        struct stats s = stats_of(v, N);
        if (s.effective < 0.6 * want || s.effective > 1.6 * want)
            fail_msg("memory %g: %g effective samples, not about %g", memory[i], s.effective, want);
        assert_true(s.effective <= N);
    }
}

/* Two runs of the same process differ "significantly" about one time in twenty, and not much more
 * often although their samples are correlated. */
TEST(equal_processes_seldom_differ)
{
    enum { N = 300, TRIALS = 400 };
    static double a[N], b[N];
    static const double memory[] = {0, 0.8};
    for (size_t k = 0; k < 2; k++) {
        int wrong = 0;
        seed = 77 + k;
        for (int i = 0; i < TRIALS; i++) {
            walk(a, N, memory[k], 3);
            walk(b, N, memory[k], 3);
            struct stats x = stats_of(a, N), y = stats_of(b, N);
            wrong += stats_compare(&x, &y).p < 0.05;
        }
        if (wrong < TRIALS / 100 || wrong > TRIALS / 10)
            fail_msg("memory %g: %d of %d", memory[k], wrong, TRIALS);
    }
}

TEST(a_real_difference_is_found)
{
    enum { N = 400 };
    static double a[N], b[N];
    seed = 5;
    walk(a, N, 0.5, 10);
    walk(b, N, 0.5, 11);
    struct stats x = stats_of(a, N), y = stats_of(b, N);
    struct stats_difference d = stats_compare(&x, &y);
    assert_true(d.p < 1e-6);
    assert_true(d.low < 1 && 1 < d.high);
    near(d.difference, y.mean - x.mean, 1e-12);
}

TEST(few_samples_and_equal_samples)
{
    static const double few[] = {1, 2, 3}, same[] = {4, 4, 4, 4, 4, 4}, other[] = {5, 5, 5, 5, 5};
    struct stats f = stats_of(few, 3), s = stats_of(same, 6), o = stats_of(other, 5);
    struct stats_difference d = stats_compare(&f, &s);
    assert_true(d.low > d.high && d.p == 1);
    d = stats_compare(&s, &s);
    near(d.p, 1, 0);
    d = stats_compare(&s, &o);
    near(d.p, 0, 0);
    near(d.low, 1, 0);
    near(d.high, 1, 0);
}

/* The example in Benjamini and Hochberg 1995, section 3.2: four of fifteen remain at 0.05. */
TEST(adjusting_for_many)
{
    double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                  0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    int marked = 0;
    stats_adjust(p, 15);
    for (size_t i = 0; i < 15; i++) {
        marked += p[i] <= 0.05;
        assert_true(i == 0 || p[i] >= p[i - 1]);
    }
    assert_int_equal(marked, 4);
    near(p[0], 0.0015, 1e-12);
    double one[] = {0.5, 0.01};
    stats_adjust(one, 2);
    near(one[1], 0.02, 1e-12);
    near(one[0], 0.5, 1e-12);
    stats_adjust(one, 0);
}
