/* Sums of calls: their quantiles lie between the shortest and the longest call, and near the exact
 * ones. */
#include <stdlib.h>
#include <string.h>

#include "engine/syscalls/calls.h"
#include "engine/syscalls/sums.h"
#include "support/test.h"

static void add_call(struct syscall_sums *s, uint64_t begin, uint64_t ns)
{
    const struct syscall_event e = {
        .kind = SYSCALL_CALL, .number = 1, .begin_ns = begin, .end_ns = begin + ns};
    syscall_sums_add(s, &e);
}

TEST(one_call_is_all_its_quantiles)
{
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

TEST(quantiles_are_near_the_exact_ones)
{
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

TEST(without_times_it_is_zero)
{
    struct syscall_sums s = {0};
    const struct syscall_event e = {.kind = SYSCALL_CALL, .number = 1, .flags = SYSCALL_UNFINISHED};
    syscall_sums_add(&s, &e);
    assert_true(syscall_sum_quantile(&s.list[0], 0.5) == 0);
    syscall_sums_free(&s);
}

static void add_number(struct syscall_sums *s, uint8_t abi, uint32_t number)
{
    const struct syscall_event e = {.kind = SYSCALL_CALL,
                                    .abi = abi,
                                    .number = number,
                                    .begin_ns = 1,
                                    .end_ns = 11,
                                    .result = -38};
    syscall_sums_add(s, &e);
}

static const struct syscall_sum *sum_named(const struct syscall_sums *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(syscall_name(s->list[i].abi, s->list[i].number), name) == 0)
            return &s->list[i];
    fail_msg("no row for %s", name);
    return NULL;
}

/* A program can call any of 2^32 numbers: those that no table knows share a row in the end. A call
 * that has a name keeps its own row, also when it comes last. */
TEST(numbers_without_a_name_take_bounded_memory)
{
    enum { MANY = 200000 };
    struct syscall_sums s = {0};
    for (uint32_t i = 0; i < MANY; i++)
        add_number(&s, i % 2 ? SYSCALL_X86_64 : SYSCALL_I386, 100000 + i * 17);
    const uint32_t close = (uint32_t)syscall_number(SYSCALL_X86_64, "close");
    add_number(&s, SYSCALL_X86_64, close);
    add_number(&s, SYSCALL_X86_64, 100000 + 17); /* it has a row */
    assert_int_equal(s.n, SYSCALL_SUMS_UNKNOWN + 2);
    assert_int_equal(s.calls, MANY + 2);
    assert_int_equal(s.errors, MANY + 2);
    assert_int_equal(s.total_ns, 10 * (MANY + 2));
    assert_int_equal(sum_named(&s, "close")->calls, 1);
    assert_int_equal(sum_named(&s, "syscall_0x186b1")->calls, 2);
    const struct syscall_sum *others = sum_named(&s, "(other numbers)");
    assert_int_equal(others->calls, MANY - SYSCALL_SUMS_UNKNOWN);
    assert_int_equal(others->errors, MANY - SYSCALL_SUMS_UNKNOWN);
    uint64_t calls = 0;
    for (size_t i = 0; i < s.n; i++)
        calls += s.list[i].calls;
    assert_int_equal(calls, MANY + 2);
    syscall_sums_free(&s);
}

/* An operation of io_uring goes on beside its thread: it has times of its own, which are no part of
 * the time in calls. */
TEST(operations_take_no_time_of_threads)
{
    struct syscall_sums s = {0};
    const struct syscall_event operation = {.kind = SYSCALL_CALL,
                                            .abi = SYSCALL_URING,
                                            .number = 22,
                                            .begin_ns = 100,
                                            .end_ns = 900100,
                                            .result = 4096};
    add_call(&s, 1, 70);
    syscall_sums_add(&s, &operation);
    syscall_sums_add(&s, &operation);
    add_call(&s, 500, 30);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.total_ns, 100);
    assert_int_equal(s.list[1].calls, 2);
    assert_int_equal(s.list[1].total_ns, 1800000);
    assert_int_equal(s.list[1].max_ns, 900000);
    assert_true(syscall_sums_share(&s, &s.list[0]) == 1);
    assert_true(syscall_sums_share(&s, &s.list[1]) == 0);
    syscall_sums_free(&s);
}
