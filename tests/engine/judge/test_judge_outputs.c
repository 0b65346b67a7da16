/* What counts as the same output, and wrong answers that a check must see. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/judge/judge_inputs.h"
#include "engine/judge/judge_impl.h"
#include "support/test.h"

static const struct harness tolerant = {.relative = 1e-3, .absolute = 1e-6};

static bool same(double wanted, double got, enum judge_rule rule)
{
    const struct judge_argument a = {
        .type = JUDGE_FLOAT64, .array = true, .length = 1, .direction = JUDGE_OUT};
    struct judge_difference d;
    return judge_same(&tolerant, &a, &wanted, &got, rule, &d);
}

TEST(one_value)
{
    static const struct {
        double wanted, got;
        bool each, exact;
    } cases[] = {
        {1, 1, true, true},
        {1, 1.0009, true, false},
        {1, 1.0011, false, false},
        {0, 9e-7, true, false},
        {0, 2e-6, false, false},
        {0.0, -0.0, true, true},
        {NAN, NAN, true, true},
        {-NAN, NAN, true, true},
        {1, NAN, false, false},
        {NAN, 1, false, false},
        {INFINITY, INFINITY, true, true},
        {INFINITY, -INFINITY, false, false},
        {INFINITY, 1e308, false, false},
        {1e308, INFINITY, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (same(cases[i].wanted, cases[i].got, JUDGE_EACH) != cases[i].each ||
            same(cases[i].wanted, cases[i].got, JUDGE_EXACT) != cases[i].exact)
            fail_msg("%g and %g", cases[i].wanted, cases[i].got);
    }
}

/* Special inputs make outputs that overflow, that depend on the order of sums, or that have few
 * bits. */
TEST(special_values)
{
    assert_true(same(INFINITY, NAN, JUDGE_ENDLESS) && same(NAN, INFINITY, JUDGE_ENDLESS));
    assert_false(same(INFINITY, -INFINITY, JUDGE_ENDLESS) || same(INFINITY, 1, JUDGE_ENDLESS));
    assert_false(same(1, NAN, JUDGE_ENDLESS) || same(0, INFINITY, JUDGE_ENDLESS));
    assert_true(same(INFINITY, 3, JUDGE_FINITE) && same(NAN, 3, JUDGE_FINITE));
    assert_false(same(3, INFINITY, JUDGE_FINITE) || same(3, NAN, JUDGE_FINITE));
    const struct harness relative = {.relative = 1e-6};
    const struct judge_argument a = {
        .type = JUDGE_FLOAT32, .array = true, .length = 1, .direction = JUDGE_OUT};
    const float wanted = 0x1p-135f, near = 0x1p-135f + 0x1p-140f, zero = 0;
    struct judge_difference d;
    assert_true(judge_same(&relative, &a, &wanted, &near, JUDGE_LEAST, &d));
    assert_false(judge_same(&relative, &a, &wanted, &near, JUDGE_EACH, &d));
    assert_false(judge_same(&relative, &a, &wanted, &zero, JUDGE_LEAST, &d));
}

/* How many values of each special kind come, and that a range keeps them away. */
TEST(special_inputs)
{
    enum { N = 320 };
    float x[N];
    struct judge_argument a = {.type = JUDGE_FLOAT32, .array = true, .length = N};
    for (int d = JUDGE_NANS; d < JUDGE_DISTRIBUTIONS; d++)
        for (uint64_t seed = 1; seed < 50; seed++) {
            size_t nan = 0, endless = 0, tiny = 0, minus = 0, huge = 0;
            judge_fill(&a, 0, (enum judge_distribution)d, seed, x);
            for (size_t i = 0; i < N; i++) {
                nan += isnan(x[i]) != 0;
                endless += isinf(x[i]) != 0;
                tiny += x[i] != 0 && fabsf(x[i]) < 0x1p-126f;
                minus += x[i] == 0 && signbit(x[i]);
                huge += isfinite(x[i]) && fabsf(x[i]) > 0x1p90f;
            }
            assert_int_equal(nan > 0, d == JUDGE_NANS);
            assert_int_equal(endless > 0, d == JUDGE_INFINITE);
            assert_int_equal(tiny > N / 4 && minus > 0, d == JUDGE_TINY);
            assert_int_equal(huge, d == JUDGE_HUGE);
            assert_in_range(nan + endless, 0, 1 + N / 32);
        }
    a.generator = JUDGE_UNIFORM;
    a.high = 1;
    judge_fill(&a, 0, JUDGE_NANS, 7, x);
    for (size_t i = 0; i < N; i++)
        assert_true(x[i] >= 0 && x[i] <= 1);
}

/* Where large values cancel, the rounding of the large ones is left: by the rule of the whole it is
 * right, by that of each value it is not. */
TEST(the_whole)
{
    const float wanted[3] = {1e6f, 0, -5}, got[3] = {1e6f, 900, -5};
    const struct judge_argument a = {
        .type = JUDGE_FLOAT32, .array = true, .length = 3, .direction = JUDGE_OUT};
    struct judge_difference d;
    assert_true(judge_same(&tolerant, &a, wanted, got, JUDGE_WHOLE, &d));
    assert_true(d.worst == 900);
    assert_false(judge_same(&tolerant, &a, wanted, got, JUDGE_EACH, &d));
    assert_int_equal(d.n, 1);
    assert_int_equal(d.first, 1);
    assert_true(d.got == 900 && d.wanted == 0);
}

TEST(whole_numbers_have_no_tolerance)
{
    const int64_t wanted = INT64_C(1) << 60, got = wanted + 1; /* the same double */
    const struct judge_argument a = {
        .type = JUDGE_INT64, .array = true, .length = 1, .direction = JUDGE_OUT};
    struct judge_difference d;
    assert_false(judge_same(&tolerant, &a, &wanted, &got, JUDGE_EACH, &d));
    assert_false(judge_same(&tolerant, &a, &wanted, &got, JUDGE_WHOLE, &d));
}

/* A precision of 11 bits is beyond a tolerance of 12, and within one of 9. */
TEST(lower_precision_is_seen)
{
    float right[100], mutant[100];
    const struct judge_argument a = {
        .type = JUDGE_FLOAT32, .array = true, .length = 100, .direction = JUDGE_OUT};
    const struct harness tight = {.relative = 0x1p-12}, loose = {.relative = 0x1p-9};
    struct judge_difference d;
    judge_fill(&a, 0, JUDGE_AS_SAID, 7, right);
    assert_true(
        judge_mutant_make(JUDGE_LOWER, &a, &(struct judge_mutant_from){.right = right}, mutant));
    assert_false(judge_same(&tight, &a, right, mutant, JUDGE_EACH, &d));
    assert_true(judge_same(&loose, &a, right, mutant, JUDGE_EACH, &d));
}

TEST(poison_is_no_answer)
{
    unsigned char first[24], second[24];
    judge_poison(first, sizeof first, 0);
    judge_poison(second, sizeof second, 1);
    assert_memory_not_equal(first, second, 4);
    for (int i = 0; i < 2; i++) {
        float f;
        double d;
        memcpy(&f, i ? second : first, sizeof f);
        memcpy(&d, i ? second : first, sizeof d);
        assert_true(isnan(f) && isnan(d));
    }
}

/* The moments of what is generated, and its limits. */
TEST(inputs_are_as_said)
{
    enum { N = 20000 };
    static double v[N];
    static int8_t small[N];
    struct judge_argument a = {.type = JUDGE_FLOAT64, .array = true, .length = N, .high = 1};
    double sum = 0, squares = 0;
    judge_fill(&a, 0, JUDGE_AS_SAID, 1, v);
    for (int i = 0; i < N; i++) {
        sum += v[i];
        squares += v[i] * v[i];
    }
    assert_true(fabs(sum / N) < 0.05 && fabs(squares / N - 1) < 0.05);
    judge_fill(&a, 0, JUDGE_BITS, 1, v);
    for (int i = 0; i < N; i++)
        assert_true(v[i] == 0 || v[i] == 1);
    a = (struct judge_argument){.type = JUDGE_INT8,
                                .array = true,
                                .length = N,
                                .generator = JUDGE_UNIFORM,
                                .low = -2,
                                .high = 300};
    int least = 0, most = 0;
    judge_fill(&a, 1, JUDGE_AS_SAID, 1, small);
    for (int i = 0; i < N; i++) {
        least = small[i] < least ? small[i] : least;
        most = small[i] > most ? small[i] : most;
    }
    assert_int_equal(least, -2);
    assert_int_equal(most, 127);
}

/* Makes 100 calls' values from a pool of two calls'. Two calls share at most one value in 20; each
 * value is near one of the pool, and within the limits. */
TEST(calls_share_no_values)
{
    enum { N = 500, POOL = 2 * N, CALLS = 100 };
    static float pool[POOL], first[N], drawn[N];
    struct judge_argument a = {.type = JUDGE_FLOAT32,
                               .array = true,
                               .length = POOL,
                               .generator = JUDGE_UNIFORM,
                               .low = 0.5,
                               .high = 0.75};
    uint64_t seed = 7, again = 7;
    size_t shared = 0;
    judge_fill(&a, 0, JUDGE_AS_SAID, 1, pool);
    a.length = N;
    judge_mix_input(&a, pool, POOL, &seed, first);
    judge_mix_input(&a, pool, POOL, &again, drawn);
    assert_memory_equal(first, drawn, sizeof first);
    for (int call = 0; call < CALLS; call++) {
        judge_mix_input(&a, pool, POOL, &seed, drawn);
        for (int i = 0; i < N; i++) {
            assert_true(drawn[i] >= 0.5F && drawn[i] <= 0.75F);
            for (int k = 0; k < N && drawn[i] != 0.5F && drawn[i] != 0.75F; k++)
                shared += drawn[i] == first[k];
        }
    }
    assert_true(shared < (size_t)N * CALLS / 20);
}

static double value_of(enum judge_type type, const void *p, size_t i)
{
    switch (type) {
    case JUDGE_INT8:
        return ((const int8_t *)p)[i];
    case JUDGE_UINT16:
        return ((const uint16_t *)p)[i];
    case JUDGE_INT64:
        return (double)((const int64_t *)p)[i];
    case JUDGE_FLOAT32:
        return ((const float *)p)[i];
    default:
        return ((const double *)p)[i];
    }
}

/* Drawn values keep mean and deviation of those of the pool, and stay within their limits. */
TEST(drawn_values_are_distributed_as_the_pool)
{
    enum { N = 10007, POOL = 20000 };
    static const enum judge_type types[] = {JUDGE_INT8, JUDGE_UINT16, JUDGE_INT64, JUDGE_FLOAT32,
                                            JUDGE_FLOAT64};
    static double pool[POOL], drawn[N];
    for (size_t k = 0; k < 2 * sizeof types / sizeof *types; k++) {
        struct judge_argument a = {.type = types[k / 2],
                                   .array = true,
                                   .length = POOL,
                                   .generator = k & 1 ? JUDGE_UNIFORM : JUDGE_NORMAL,
                                   .low = 3,
                                   .high = 100};
        double sum[2] = {0}, squares[2] = {0};
        uint64_t seed = k;
        judge_fill(&a, 0, JUDGE_AS_SAID, k + 1, pool);
        a.length = N;
        judge_mix_input(&a, pool, POOL, &seed, drawn);
        for (size_t i = 0; i < POOL; i++) {
            const double v = value_of(a.type, pool, i);
            sum[0] += v / POOL;
            squares[0] += v * v / POOL;
        }
        for (size_t i = 0; i < N; i++) {
            const double v = value_of(a.type, drawn, i);
            sum[1] += v / N;
            squares[1] += v * v / N;
            assert_true(!(k & 1) || (v >= 3 && v <= 100));
            assert_true(judge_types[a.type].real || v == nearbyint(v));
        }
        const double deviation = sqrt(squares[0] - sum[0] * sum[0]);
        if (a.type == JUDGE_UINT16 && !(k & 1))
            continue; /* half of the pool is 0, where the type ends: a sum has another mean */
        assert_true(fabs(sum[1] - sum[0]) < 0.1 * deviation);
        assert_true(fabs(sqrt(squares[1] - sum[1] * sum[1]) - deviation) < 0.1 * deviation);
    }
}

/* Whatever stands beside it, the one value that is wrong is found, and its number. */
TEST(one_wrong_value_is_found_everywhere)
{
    enum { N = 200 };
    static const double wrong[] = {1.0011, NAN, INFINITY, -INFINITY, 0.9989};
    for (int type = JUDGE_FLOAT32; type <= JUDGE_FLOAT64; type++)
        for (size_t at = 0; at < (size_t)N * 5; at++) {
            const struct judge_argument a = {
                .type = (enum judge_type)type, .array = true, .length = N, .direction = JUDGE_OUT};
            double wanted[N], got[N];
            float w[N], g[N];
            struct judge_difference d;
            for (size_t i = 0; i < N; i++) {
                const bool odd = i % 50 == 49, is = i == at / 5; /* an infinity that is right */
                const double want = odd && !is ? INFINITY : 1, have = odd ? want : 1.0005;
                if (type == JUDGE_FLOAT32) {
                    w[i] = (float)want;
                    g[i] = (float)(is ? wrong[at % 5] : have);
                } else {
                    wanted[i] = want;
                    got[i] = is ? wrong[at % 5] : have;
                }
            }
            assert_false(judge_same(&tolerant, &a, type == JUDGE_FLOAT32 ? (void *)w : wanted,
                                    type == JUDGE_FLOAT32 ? (void *)g : got, JUDGE_EACH, &d));
            assert_int_equal(d.n, 1);
            assert_int_equal(d.first, at / 5);
            assert_true(fabs(d.worst - 0.0005) < 1e-6);
        }
}
