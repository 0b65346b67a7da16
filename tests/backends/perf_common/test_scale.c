#include "backends/perf_common/scale.h"
#include "support/test.h"

static struct count step(struct count *last, uint64_t v, uint64_t e, uint64_t r, bool want)
{
    struct count d;
    assert_int_equal(scale_advance(last, (struct count){v, e, r}, &d), want);
    return d;
}

TEST(deltas_of_all_three)
{
    struct count last = {100, 1000, 500};
    struct count d = step(&last, 400, 2000, 600, true);
    assert_int_equal(d.value, 300);
    assert_int_equal(d.enabled, 1000);
    assert_int_equal(d.running, 100);
}

TEST(wrap_of_64_bits_counts_on)
{
    struct count last = {UINT64_MAX - 9, 10, 10};
    assert_int_equal(step(&last, 90, 20, 20, true).value, 100);
}

TEST(backwards_measures_nothing)
{
    struct count last = {5000, 10, 10};
    assert_int_equal(step(&last, 4000, 20, 20, false).value, 0);
    /* counting continues from there */
    assert_int_equal(step(&last, 4100, 30, 30, true).value, 100);
    /* reopened: the times start again too */
    assert_int_equal(step(&last, 7, 5, 5, false).enabled, 0);
}

TEST(multiplexed_count_is_extrapolated)
{
    /* recorded under QEMU: 16169949 in 16373200 of 40350208 ns stands for about 39.85e6 */
    struct count_sum s = {0};
    scale_add(&s, &(struct count){16169949, 40350208, 16373200}, 1);
    struct value v = scale_value(&s, SCALE_CPU, 1, UNIT_COUNT);
    assert_int_equal(v.validity, VALUE_OK);
    assert_true(v.v > 39.8e6 && v.v < 39.9e6);
    assert_int_equal(v.flags, VALUE_SCALED);
    assert_true(v.running > 0.40F && v.running < 0.41F);
}

TEST(low_share_is_low_confidence)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){10, 1000, 299}, 1);
    assert_int_equal(scale_value(&s, SCALE_CPU, 1, UNIT_COUNT).flags,
                     VALUE_SCALED | VALUE_LOW_CONFIDENCE);
}

TEST(never_scheduled_is_missing)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){0, 1000, 0}, 1);
    struct value v = scale_value(&s, SCALE_TASK, 1, UNIT_COUNT);
    assert_int_equal(v.validity, VALUE_MISSING);
    assert_ptr_equal(v.why, scale_why_never);
}

TEST(sleeping_task_did_nothing)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){0, 0, 0}, 1);
    struct value task = scale_value(&s, SCALE_TASK, 1, UNIT_COUNT);
    assert_int_equal(task.validity, VALUE_OK);
    assert_true(task.v == 0);
    assert_int_equal(scale_value(&s, SCALE_CPU, 1, UNIT_COUNT).validity, VALUE_MISSING);
}

TEST(places_scale_each_for_itself)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){100, 1000, 1000}, 1);
    scale_add(&s, &(struct count){100, 1000, 500}, 1);
    struct value v = scale_value(&s, SCALE_CPU, 1, UNIT_COUNT);
    assert_float_equal(v.v, 300, 1e-9);
    assert_float_equal(v.running, 0.75, 1e-6);
    /* a third counter that had no turn is assumed to be like the others */
    scale_add(&s, &(struct count){0, 1000, 0}, 1);
    assert_float_equal(scale_value(&s, SCALE_CPU, 1, UNIT_COUNT).v, 450, 1e-9);
}

TEST(hybrid_is_summed_raw)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){100, 1000, 250}, 1);
    struct value v = scale_value(&s, SCALE_RAW, 2, UNIT_COUNT);
    assert_float_equal(v.v, 200, 1e-9);
    assert_int_equal(v.flags, 0);
}

TEST(late_places_are_said)
{
    struct count_sum s = {0};
    scale_add(&s, &(struct count){200, 2000, 2000}, 2); /* the difference spans two intervals */
    struct value v = scale_value(&s, SCALE_CPU, 1, UNIT_COUNT);
    assert_float_equal(v.v, 100, 1e-9);
    assert_true(v.flags & VALUE_SCALED);
    s.pending = 1; /* one of two did not answer */
    v = scale_value(&s, SCALE_CPU, 1, UNIT_COUNT);
    assert_float_equal(v.v, 200, 1e-9);
    assert_float_equal(v.running, 0.5, 1e-6);
    assert_int_equal(
        scale_value(&(struct count_sum){.pending = 1}, SCALE_CPU, 1, UNIT_COUNT).validity,
        VALUE_PENDING);
}
