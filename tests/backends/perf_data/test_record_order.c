#include "backends/perf_data/record_order.h"

#include <string.h>

#include "support/test.h"

static uint64_t given[16];
static size_t ngiven;

static int take(void *ctx, const void *record, size_t size)
{
    (void)ctx;
    assert_int_equal(size, 12);
    assert_int_equal((uintptr_t)record % 8, 0);
    memcpy(&given[ngiven++], record, sizeof *given);
    return 0;
}

static void add(struct record_order *o, uint64_t time)
{
    uint64_t bytes[2] = {time, 0};
    record_order_add(o, bytes, 12, time);
}

static void are_given(size_t n, const uint64_t *times)
{
    assert_int_equal(ngiven, n);
    assert_memory_equal(given, times, n * sizeof *times);
    ngiven = 0;
}

/* A mark gives what is not newer than the newest record before the mark before it. */
TEST(records_of_two_cpus_come_in_the_order_of_time)
{
    struct record_order o = {0};
    add(&o, 10);
    add(&o, 30);
    add(&o, 20);
    assert_int_equal(record_order_round(&o, take, NULL), 0);
    are_given(0, NULL);
    add(&o, 25);
    add(&o, 40);
    assert_int_equal(record_order_round(&o, take, NULL), 0);
    are_given(4, (const uint64_t[]){10, 20, 25, 30});
    add(&o, 35);
    assert_int_equal(record_order_end(&o, take, NULL), 0);
    are_given(2, (const uint64_t[]){35, 40});
    record_order_free(&o);
}

static int refuse(void *ctx, const void *record, size_t size)
{
    (void)ctx, (void)record, (void)size;
    return -5;
}

TEST(what_refuses_a_record_ends_the_giving)
{
    struct record_order o = {0};
    add(&o, 1);
    assert_int_equal(record_order_end(&o, refuse, NULL), -5);
    record_order_free(&o);
}
