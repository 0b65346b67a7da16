/* Sums of calls: their quantiles lie between the shortest and the longest call, and near the exact
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/syscalls/sums.h"

static void add_call(struct syscall_sums *s, uint64_t begin, uint64_t ns)
{
    const struct syscall_event e = {
        .kind = SYSCALL_CALL, .number = 1, .begin_ns = begin, .end_ns = begin + ns};
    syscall_sums_add(s, &e);
}

static void one_call_is_all_its_quantiles(void **state)
{
    (void)state;
    static const uint64_t times[] = {1, 17, 1000, 170123456, 3600000000000};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct syscall_sums s = {0};
        add_call(&s, 5, times[i]);
        for (int q = 0; q <= 100; q += 10)
            assert_true(syscall_sum_quantile(&s.list[0], q / 100.0) == (double)times[i]);
        syscall_sums_free(&s);
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void quantiles_are_near_the_exact_ones(void **state)
{
    (void)state;
    enum { N = 999 };
    static uint64_t times[N];
    unsigned seed = 3;
    struct syscall_sums s = {0};
    for (int i = 0; i < N; i++) {
        times[i] = 100 + ((uint64_t)rand_r(&seed) << (rand_r(&seed) % 8));
        add_call(&s, 1, times[i]);
    }
    qsort(times, N, sizeof *times, by_value);
    for (int q = 1; q <= 100; q++) {
        const int rank = (q * N + 99) / 100; /* nearest rank */
        const double exact = (double)times[rank - 1];
        const double v = syscall_sum_quantile(&s.list[0], q / 100.0);
        if (v < exact * (1 - 1.0 / 32) || v > exact * (1 + 1.0 / 32) || v > (double)times[N - 1] ||
            v < (double)times[0])
            fail_msg("quantile %d is %g, exactly %g of %g to %g", q, v, exact, (double)times[0],
                     (double)times[N - 1]);
    }
    syscall_sums_free(&s);
}

static void without_times_it_is_zero(void **state)
{
    (void)state;
    struct syscall_sums s = {0};
    const struct syscall_event e = {.kind = SYSCALL_CALL, .number = 1, .flags = SYSCALL_UNFINISHED};
    syscall_sums_add(&s, &e);
    assert_true(syscall_sum_quantile(&s.list[0], 0.5) == 0);
    syscall_sums_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_is_all_its_quantiles),
        cmocka_unit_test(quantiles_are_near_the_exact_ones),
        cmocka_unit_test(without_times_it_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
