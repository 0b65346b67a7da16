/* Waves of a thread trace over time, with made-up traces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/att/att_analysis.h"
#include "support/att_made.h"
#include "support/test.h"

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void near(double a, double b, int line)
{
    if (!(fabs(a - b) <= 1e-9 * (1 + fabs(b))))
        fail_msg("line %d: %g, not %g", line, a, b);
}
#define NEAR(a, b) near(a, b, __LINE__)

TEST(instructions_per_cycle_are_those_of_the_waves_read)
{
    struct att a = {0};
    struct att_ipc ipc;
    att_ipc(&a, &ipc);
    assert_true(isnan(ipc.per_wave));
    att_made_wave(&a, 0, 1, 1000, 1100);
    for (int i = 0; i < 30; i++)
        att_made_instruction(&a, ATT_VALU, 4, 1);
    att_made_wave(&a, 0, 1, 1050, 1150);
    for (int i = 0; i < 20; i++)
        att_made_instruction(&a, ATT_VMEM, 8, 3);
    att_made_wave(&a, 1, 1, 1000, 1100); /* on another shader engine */
    for (int i = 0; i < 10; i++)
        att_made_instruction(&a, ATT_NEXT, 1, 0);
    att_ipc(&a, &ipc);
    assert_int_equal(ipc.instructions, 60);
    assert_int_equal(ipc.waves, 3);
    assert_int_equal(ipc.cus, 2);
    assert_int_equal(ipc.wave_cycles, 300);
    assert_int_equal(ipc.cu_cycles, 150 + 100);
    NEAR(ipc.per_wave, 0.2);
    NEAR(ipc.per_cu, 60.0 / 250);
    assert_int_equal(ipc.category[ATT_VMEM].latency, 160);
    assert_int_equal(ipc.category[ATT_VALU].stall, 30);
    att_made_wave(&a, 0, 1, 0, 5000)->read = false; /* only its times are known */
    a.waves_read--;
    att_ipc(&a, &ipc);
    NEAR(ipc.per_wave, 0.2);
    assert_true(isnan(ipc.per_cu)); /* it is not known what that wave issued */
    att_free(&a);
}

TEST(occupancy_is_waves_over_time)
{
    struct att a = {0};
    uint32_t n;
    double part[4];
    att_made_event(&a, 1, 100, 0, true);
    att_made_event(&a, 1, 200, 1, true);
    att_made_event(&a, 1, 300, 0, false); /* the slot is used again at the same time */
    att_made_event(&a, 1, 300, 0, true);
    att_made_event(&a, 1, 500, 0, false);
    att_made_event(&a, 1, 500, 1, false);
    att_made_event(&a, 0, 400, 3, false); /* it started before the trace */
    att_made_event(&a, 0, 200, 2, true);
    att_made_event(&a, 0, 400, 2, false);
    att_finish(&a);
    struct att_occupancy *o = att_occupancy(&a, &n);
    assert_int_equal(n, 2);
    assert_int_equal(o[0].se, 0);
    assert_int_equal(o[0].before, 1);
    assert_int_equal(o[0].peak, 2);
    NEAR(o[0].mean, 2);
    assert_int_equal(o[1].se, 1);
    assert_int_equal(o[1].before, 0);
    assert_int_equal(o[1].peak, 2);
    assert_int_equal(o[1].begun, 3);
    assert_int_equal(o[1].ended, 3);
    NEAR(o[1].mean, (100.0 + 2 * 300) / 400);
    free(o);
    att_occupancy_bins(&a, 1, 100, 500, 4, part);
    NEAR(part[0], 1);
    NEAR(part[1], 2);
    NEAR(part[3], 2);
    att_occupancy_bins(&a, ATT_UNKNOWN, 100, 500, 4, part);
    NEAR(part[0], 2); /* the wave from before counts from the first part on */
    NEAR(part[2], 4);
    NEAR(part[3], 2);
    att_occupancy_bins(&a, 7, 100, 500, 4, part);
    NEAR(part[1], 0);
    att_free(&a);
}

/* Waves that end before any began ran from the start. Their number is what the count lacks at its
 * lowest point, not at its end. */
TEST(waves_from_before_are_counted_at_the_worst_moment)
{
    struct att a = {0};
    uint32_t n;
    att_made_event(&a, 0, 100, 0, false);
    att_made_event(&a, 0, 150, 1, false);
    att_made_event(&a, 0, 200, 0, true);
    att_made_event(&a, 0, 250, 1, true);
    att_made_event(&a, 0, 300, 2, true);
    att_finish(&a);
    struct att_occupancy *o = att_occupancy(&a, &n);
    assert_int_equal(n, 1);
    assert_int_equal(o[0].before, 2);
    assert_int_equal(o[0].peak, 3);
    NEAR(o[0].mean, (50.0 * 1 + 50 * 0 + 50 * 1 + 50 * 2) / 200);
    free(o);
    att_free(&a);
}

/* Random waves: the parts add up to the integral, however many there are, and the peak is that of
 * a count in this test. */
TEST(parts_add_up_to_the_whole)
{
    uint64_t seed = 88172645463325252U;
    for (int round = 0; round < 200; round++) {
        struct att a = {0};
        int64_t begin[40], end[40], from, to;
        double part[97], sum = 0, cycles = 0;
        uint32_t waves = 1 + next(&seed) % 40, parts = 1 + next(&seed) % 97, n;
        uint64_t peak = 0;
        for (uint32_t i = 0; i < waves; i++) {
            begin[i] = (int64_t)(next(&seed) % 1000) - 500;
            end[i] = begin[i] + (int64_t)(next(&seed) % 300);
            cycles += (double)(end[i] - begin[i]);
            att_made_wave(&a, 0, 0, begin[i], end[i]);
            att_made_period(&a, (uint8_t)(next(&seed) % ATT_STATES), (uint64_t)(end[i] - begin[i]));
            att_made_event(&a, 0, end[i], i, false);
            att_made_event(&a, 0, begin[i], i, true);
        }
        for (int64_t t = -500; t < 800; t++) {
            uint64_t now = 0;
            for (uint32_t i = 0; i < waves; i++)
                now += begin[i] <= t && t < end[i];
            peak = now > peak ? now : peak;
        }
        att_finish(&a);
        struct att_occupancy *o = att_occupancy(&a, &n);
        assert_int_equal(n, 1);
        assert_int_equal(o->peak, peak);
        assert_int_equal(o->before, 0);
        if (att_span(&a, &from, &to)) {
            double(*states)[ATT_STATES] = calloc(parts, sizeof *states), width;
            width = (double)(to - from) / parts;
            NEAR(o->mean * (double)(to - from), cycles);
            att_occupancy_bins(&a, 0, from, to, parts, part);
            for (uint32_t i = 0; i < parts; i++)
                sum += part[i] * width;
            NEAR(sum, cycles);
            assert_int_equal(att_states_bins(&a, from, to, parts, states), ATT_STATES_WAVES);
            sum = 0;
            for (uint32_t i = 0; i < parts; i++)
                for (int s = 0; s < ATT_STATES; s++)
                    sum += states[i][s] * width;
            NEAR(sum, cycles);
            free(states);
        }
        free(o);
        att_free(&a);
    }
}

TEST(states_come_from_the_most_complete)
{
    struct att a = {0};
    double part[2][ATT_STATES];
    uint64_t sum[ATT_STATES];
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_NONE);
    att_made_wave(&a, 0, 0, 0, 100);
    att_made_period(&a, ATT_STATE_EXEC, 50);
    att_made_period(&a, ATT_STATE_STALL, 50);
    att_made_level(&a, ATT_STATE_EXEC, 0, 3);
    att_made_level(&a, ATT_STATE_EXEC, 50, 0);
    att_made_level(&a, ATT_STATE_WAIT, 50, 4);
    att_made_level(&a, ATT_STATE_WAIT, 100, 0);
    att_finish(&a);
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_WAVES);
    NEAR(part[0][ATT_STATE_EXEC], 1);
    NEAR(part[1][ATT_STATE_STALL], 1);
    NEAR(part[1][ATT_STATE_WAIT], 0);
    att_made_wave(&a, 0, 0, 0, 100)->read = false;
    a.waves_read--; /* a wave was left out: the tool's sums contain more */
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_LEVELS);
    NEAR(part[0][ATT_STATE_EXEC], 3);
    NEAR(part[1][ATT_STATE_WAIT], 4);
    NEAR(part[1][ATT_STATE_EXEC], 0);
    assert_int_equal(att_states_sum(&a, sum), ATT_STATES_LEVELS);
    assert_int_equal(sum[ATT_STATE_EXEC], 150);
    assert_int_equal(sum[ATT_STATE_WAIT], 200);
    att_free(&a);
}

TEST(clocks_tell_the_frequency)
{
    struct att a = {.frequency = 1e8};
    assert_true(isnan(att_clock_hz(&a)));
    const struct att_clock clocks[] = {
        {1000, 50, 0}, {3000, 150, 0}, {22000, 1050, 0}, {500, 7, 1}}; /* one is not enough */
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        a.clocks = att_grow(a.clocks, a.nclocks, sizeof *a.clocks);
        a.clocks[a.nclocks++] = clocks[i];
    }
    NEAR(att_clock_hz(&a), 2.1e9);
    a.frequency = 0;
    assert_true(isnan(att_clock_hz(&a)));
    att_free(&a);
}

TEST(counters_are_found_by_bank)
{
    struct att a = {0};
    struct att_counter c;
    const struct att_sample samples[] = {{.time = 1, .value = {1, 2, 3, 4}, .bank = 0},
                                         {.time = 2, .value = {10, 20, 30, 40}, .bank = 1},
                                         {.time = 3, .value = {3, 2, 1, 0}, .bank = 0}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        a.samples = att_grow(a.samples, a.nsamples, sizeof *a.samples);
        a.samples[a.nsamples++] = samples[i];
    }
    att_counter(&a, 0, &c);
    assert_int_equal(c.samples, 2);
    NEAR(c.mean, 2);
    NEAR(c.max, 3);
    att_counter(&a, 5, &c);
    assert_int_equal(c.samples, 1);
    NEAR(c.max, 20);
    att_counter(&a, 8, &c);
    assert_int_equal(c.samples, 0);
    assert_true(isnan(c.mean));
    att_free(&a);
}

/* Two records of one trace: instructions stalled, and their slots were "idle" or stalled, too. */
TEST(states_that_contradict_the_stalls_of_instructions_are_known)
{
    const uint64_t idle[ATT_STATES] = {[ATT_STATE_IDLE] = 984, [ATT_STATE_EXEC] = 16};
    const uint64_t stalls[ATT_STATES] = {
        [ATT_STATE_IDLE] = 100, [ATT_STATE_EXEC] = 400, [ATT_STATE_WAIT] = 500};
    const uint64_t none[ATT_STATES] = {0};
    assert_true(att_states_differ(idle, 0.925));
    assert_false(att_states_differ(idle, 0.05)); /* hardly any instruction stalled */
    assert_false(att_states_differ(idle, NAN));
    assert_false(att_states_differ(stalls, 0.925));
    assert_false(att_states_differ(none, 0.925)); /* no states were recorded */
}
