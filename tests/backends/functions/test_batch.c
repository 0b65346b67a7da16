#include "backends/functions/sampler_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "support/records.h"
#include "support/test.h"

static void add(struct batch *b, uint64_t time)
{
    uint64_t buf[16];
    batch_add(b, buf,
              record_make_sample(buf, (struct record_ids){1, 1, time, 0}, 0, time, NULL, 0));
}

static struct batch *batch_of(struct batch_queue *q, uint64_t until, const uint64_t *times,
                              size_t n)
{
    struct batch *b = xcalloc(1, sizeof *b);
    for (size_t i = 0; i < n; i++)
        add(b, times[i]);
    b->until = until;
    batch_queue_put(q, b);
    return batch_queue_take(q);
}

static void expect(struct batch_order *o, struct batch_queue *q, const uint64_t *times, size_t n)
{
    size_t size;
    uint64_t time, ip;
    for (size_t i = 0; i < n; i++) {
        const void *r = order_next(o, q, &size, &time);
        assert_non_null(r);
        memcpy(&ip, (const uint8_t *)r + 8, 8);
        assert_int_equal(time, times[i]);
        assert_int_equal(ip, times[i]); /* the record belongs to this time */
    }
    assert_null(order_next(o, q, &size, &time));
}

/* Reads two rings one after the other in a batch. Records that may not be in order yet wait for
 * the next batch. */
TEST(records_of_all_rings_come_in_order_of_time)
{
    struct batch_queue q;
    struct batch_order o = {0};
    batch_queue_init(&q);
    order_add(&o, &q, batch_of(&q, 60, (uint64_t[]){10, 30, 50, 70, 20, 40, 80}, 7));
    expect(&o, &q, (uint64_t[]){10, 20, 30, 40, 50}, 5);
    order_add(&o, &q, batch_of(&q, 90, (uint64_t[]){90, 95, 65}, 3));
    expect(&o, &q, (uint64_t[]){65, 70, 80, 90}, 4);
    order_add(&o, &q, batch_of(&q, UINT64_MAX, NULL, 0)); /* all that is left */
    expect(&o, &q, (uint64_t[]){95}, 1);
    assert_int_equal(batch_queue_bytes(&q), 0); /* everything was given back */
    order_free(&o, &q);
    batch_queue_destroy(&q);
}

/* A slow ring holds the others back: the waiting records grow, and all are there in the end. */
TEST(waiting_records_are_kept)
{
    enum { BATCHES = 20, EACH = 1000 };
    struct batch_queue q;
    struct batch_order o = {0};
    uint64_t times[EACH], all[BATCHES * EACH];
    batch_queue_init(&q);
    for (uint64_t k = 0; k < BATCHES; k++) {
        for (uint64_t i = 0; i < EACH; i++)
            times[i] = 1 + i * BATCHES + k;
        order_add(&o, &q, batch_of(&q, 0, times, EACH));
        expect(&o, &q, NULL, 0);
    }
    for (uint64_t i = 0; i < BATCHES * EACH; i++)
        all[i] = 1 + i;
    order_add(&o, &q, batch_of(&q, UINT64_MAX, NULL, 0));
    expect(&o, &q, all, BATCHES * EACH);
    assert_int_equal(batch_queue_bytes(&q), 0);
    order_free(&o, &q);
    batch_queue_destroy(&q);
}

TEST(records_that_were_never_taken_are_freed)
{
    struct batch_queue q;
    struct batch_order o = {0};
    size_t size;
    uint64_t time;
    batch_queue_init(&q);
    order_add(&o, &q, batch_of(&q, 25, (uint64_t[]){10, 20, 30}, 3));
    expect(&o, &q, (uint64_t[]){10, 20}, 2);
    order_add(&o, &q, batch_of(&q, 100, (uint64_t[]){40, 50}, 2));
    assert_non_null(order_next(&o, &q, &size, &time)); /* stops in the middle */
    assert_true(batch_queue_bytes(&q) > 0);
    order_free(&o, &q);
    assert_int_equal(batch_queue_bytes(&q), 0);
    struct batch *left = xcalloc(1, sizeof *left);
    add(left, 1);
    batch_queue_put(&q, left);
    batch_queue_close(&q);
    assert_null(batch_queue_take(&q));
    batch_queue_destroy(&q);
}

TEST(equal_times_keep_their_order)
{
    struct batch_queue q;
    struct batch_order o = {0};
    uint64_t buf[16], time, ip;
    size_t size;
    batch_queue_init(&q);
    struct batch *b = xcalloc(1, sizeof *b);
    for (uint64_t i = 0; i < 1000; i++)
        batch_add(b, buf, record_make_sample(buf, (struct record_ids){1, 1, 5, 0}, 0, i, NULL, 0));
    b->until = 5;
    batch_queue_put(&q, b);
    order_add(&o, &q, batch_queue_take(&q));
    for (uint64_t i = 0; i < 1000; i++) {
        const void *r = order_next(&o, &q, &size, &time);
        memcpy(&ip, (const uint8_t *)r + 8, 8);
        assert_int_equal(ip, i);
    }
    order_free(&o, &q);
    batch_queue_destroy(&q);
}
