/* brick_cuda.h and brick_hip.h with a simulated device clock. */

#include "support/fake_gpu/runtime.h"
#include "support/test.h"

#include <rooftop/brick_cuda.h>
#include <rooftop/brick_hip.h>

static void near(uint64_t got, uint64_t want)
{
    /* the runtime's times are floats in milliseconds */
    if (got + 100 < want || got > want + 100)
        fail_msg("%llu ns, not %llu", (unsigned long long)got, (unsigned long long)want);
}

/* Ten calls of 3, 6, ... 30 us of device time; returns the brick's statistics. */
static rooftop_stats ten(const char *name, enum rooftop_sync mode)
{
    rooftop_id id = rooftop_register(name, ROOFTOP_OTHER);
    rooftop_set_sync(mode);
    for (uint64_t i = 1; i <= 10; i++) {
        rooftop_timer t = rooftop_start(id);
        fake_gpu_work(3000 * i);
        rooftop_stop(t, i);
        fake_gpu_work(500);
    }
    rooftop_finalize(0);
    rooftop_set_sync(ROOFTOP_DEFERRED);
    return rooftop_stats_of(id);
}

static void check(rooftop_stats s)
{
    assert_int_equal(s.count, 10);
    assert_int_equal(s.elements, 55);
    near(s.min_ns, 3000);
    near(s.max_ns, 30000);
    near(s.total_ns / 10, 16500);
}

TEST(cuda_immediate_equals_deferred)
{
    rooftop_cuda g;
    assert_int_equal(rooftop_cuda_open(&g, NULL), 0);
    int before = fake_gpu.waits;
    check(ten("cuda immediate", ROOFTOP_IMMEDIATE));
    assert_true(fake_gpu.waits >= before + 10);
    before = fake_gpu.waits;
    check(ten("cuda deferred", ROOFTOP_DEFERRED));
    assert_int_equal(fake_gpu.waits, before + 1);
    assert_int_equal(ten("cuda none", ROOFTOP_NONE).count, 0);
    assert_int_equal(g.pending[0] + g.pending[1], 0);
    rooftop_cuda_close(&g);
    assert_int_equal(fake_gpu.live, 0);
}

TEST(hip_anchored_anew_at_every_wait)
{
    rooftop_hip g;
    assert_int_equal(rooftop_hip_open(&g, NULL), 0);
    g.anchor_every_ns = 0;
    check(ten("hip immediate", ROOFTOP_IMMEDIATE));
    uint64_t first = g.anchor_ns[g.current];
    check(ten("hip deferred", ROOFTOP_DEFERRED));
    assert_true(g.anchor_ns[g.current] > first);
    rooftop_hip_close(&g);
    assert_int_equal(fake_gpu.live, 0);
}

TEST(stamps_are_read_after_the_wait_only_and_once)
{
    rooftop_hip g;
    uint32_t event = 0;
    uint64_t ns = 0;
    assert_int_equal(rooftop_hip_open(&g, NULL), 0);
    assert_int_equal(rooftop_hip_record(&g, &event), 0);
    assert_int_not_equal(event, 0);
    assert_int_not_equal(rooftop_hip_resolve(&g, event, &ns), 0);
    assert_int_not_equal(rooftop_hip_resolve(&g, 9999, &ns), 0);
    fake_gpu.fail_create = 1; /* the first event is in the pool */
    assert_int_equal(rooftop_hip_record(&g, &event), 0);
    uint32_t more = 0;
    assert_int_not_equal(rooftop_hip_record(&g, &more), 0);
    fake_gpu.fail_create = 0;
    assert_int_equal(rooftop_hip_synchronize(&g), 0);
    assert_int_equal(rooftop_hip_resolve(&g, event, &ns), 0);
    assert_true(ns >= g.anchor_ns[0]);
    rooftop_hip_close(&g);
    fake_gpu.fail_create = 1;
    assert_int_equal(rooftop_hip_open(&g, NULL), 2);
    fake_gpu.fail_create = 0;
    assert_int_equal(fake_gpu.live, 0);
}
