/* Buckets leave no gaps, and quantiles agree with the sorted values. */
#include <math.h>
#include <stdlib.h>

#include "engine/value/histogram.h"
#include "support/test.h"

TEST(buckets_have_no_gaps)
{
    uint64_t next = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        assert_int_equal(histogram_low(i), next);
        next += histogram_width(i);
        assert_int_equal(histogram_bucket(histogram_low(i)), i);
        assert_int_equal(histogram_bucket(next - 1), i);
    }
    assert_int_equal(next, (uint64_t)1 << HISTOGRAM_MAX_BITS);
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

TEST(quantiles_are_off_by_a_32nd_at_most)
{
    enum { N = 1000 };
    static uint64_t value[N];
    static const double quantiles[] = {0, 0.001, 0.25, 0.5, 0.95, 0.99, 1};
    uint64_t seed = 1;
    for (int round = 0; round < 50; round++) {
        struct histogram half[2] = {0};
        for (int i = 0; i < N; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            value[i] = seed >> (24 + (seed >> 3) % 40); /* of 1 to 40 bits */
            histogram_count(&half[i % 2], value[i]);
        }
        histogram_add(&half[0], &half[1]);
        qsort(value, N, sizeof *value, by_value);
        for (size_t k = 0; k < sizeof quantiles / sizeof *quantiles; k++) {
            double rank = fmax(ceil(quantiles[k] * N), 1);
            double exact = (double)value[(size_t)rank - 1];
            assert_true(fabs(histogram_quantile(&half[0], quantiles[k]) - exact) <= exact / 32);
        }
        histogram_free(&half[0]);
        histogram_free(&half[1]);
    }
}

/* Whatever is counted in whatever order: each bucket has its own count, and memory is used only
 * between the smallest and the largest. */
TEST(buckets_are_kept_where_something_is)
{
    static const unsigned orders[][4] = {{100, 3, 590, 101}, {591, 0, 7, 8}, {64, 65, 66, 64}};
    for (size_t o = 0; o < 3; o++) {
        struct histogram h = {0};
        uint32_t wanted[HISTOGRAM_BUCKETS] = {0};
        for (unsigned i = 0; i < 4; i++) {
            histogram_put(&h, orders[o][i], i + 1);
            wanted[orders[o][i]] += i + 1;
            for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
                assert_int_equal(histogram_at(&h, b), wanted[b]);
        }
        assert_int_equal(h.total, 10);
        assert_true(o < 2 || h.n <= 16);
        histogram_clear(&h);
        for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
            assert_int_equal(histogram_at(&h, b), 0);
        assert_true(histogram_quantile(&h, 1) == 0);
        histogram_free(&h);
    }
}

TEST(nothing_counted_is_zero)
{
    struct histogram h = {0};
    assert_true(histogram_quantile(&h, 0.5) == 0);
}
