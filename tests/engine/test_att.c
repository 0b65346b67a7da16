/* What follows from a thread trace, against traces made up here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/att_analysis.h"

static struct att_row *add_row(struct att *a, const char *isa, uint64_t vaddr, uint64_t hits,
                               uint64_t latency, uint64_t stall)
{
    a->rows = att_grow(a->rows, a->nrows, sizeof *a->rows);
    a->rows[a->nrows] = (struct att_row){.isa = isa,
                                         .source = "",
                                         .line = a->nrows,
                                         .codeobj = 1,
                                         .vaddr = vaddr,
                                         .hits = hits,
                                         .latency = latency,
                                         .stall = stall,
                                         .reasons = ATT_UNKNOWN};
    att_row_complete(a, a->nrows);
    return &a->rows[a->nrows++];
}

static void add_event(struct att *a, uint32_t se, int64_t time, uint32_t slot, bool start)
{
    a->events = att_grow(a->events, a->nevents, sizeof *a->events);
    a->events[a->nevents++] =
        (struct att_event){.time = time, .se = se, .slot = slot, .start = start};
}

static struct att_wave *add_wave(struct att *a, uint32_t se, uint32_t cu, int64_t begin,
                                 int64_t end)
{
    a->waves = att_grow(a->waves, a->nwaves, sizeof *a->waves);
    a->waves[a->nwaves] = (struct att_wave){.se = se,
                                            .cu = cu,
                                            .id = a->nwaves,
                                            .begin = begin,
                                            .end = end,
                                            .read = true,
                                            .first_period = a->nperiods,
                                            .first_instruction = a->ninstructions};
    a->waves_read++;
    return &a->waves[a->nwaves++];
}

static void add_period(struct att *a, uint8_t state, uint64_t duration)
{
    a->periods = att_grow(a->periods, a->nperiods, sizeof *a->periods);
    a->periods[a->nperiods++] = (struct att_period){duration, state};
    a->waves[a->nwaves - 1].nperiods++;
}

static void add_instruction(struct att *a, uint8_t category, uint32_t duration, uint32_t stall)
{
    a->instructions = att_grow(a->instructions, a->ninstructions, sizeof *a->instructions);
    a->instructions[a->ninstructions++] =
        (struct att_instruction){.category = category, .duration = duration, .stall = stall};
    a->waves[a->nwaves - 1].ninstructions++;
}

static void add_level(struct att *a, uint8_t state, int64_t time, uint64_t waves)
{
    a->levels = att_grow(a->levels, a->nlevels, sizeof *a->levels);
    a->levels[a->nlevels++] = (struct att_level){time, waves, state};
}

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

/* --- rows --- */

static void mnemonics_have_their_category(void **state)
{
    static const struct {
        const char *isa;
        enum att_category category;
    } rows[] = {
        {"v_fma_f32 v0, v1, v2, v3", ATT_VALU},
        {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", ATT_MATRIX},
        {"v_smfmac_f32_16x16x32_f16 v[0:3]", ATT_MATRIX},
        {"v_wmma_f32_16x16x16_f16 v[0:7]", ATT_MATRIX},
        {"v_accvgpr_read_b32 v0, a0", ATT_VALU},
        {"v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3", ATT_VALU},
        {"s_add_u32 s0, s1, s2", ATT_SALU},
        {"s_mov_b64 s[0:1], 0", ATT_SALU},
        {"s_setreg_b32 hwreg(HW_REG_MODE), s0", ATT_SALU},
        {"s_load_dwordx4 s[0:3], s[4:5], 0x0", ATT_SMEM},
        {"s_buffer_load_dword s0, s[4:7], 0x0", ATT_SMEM},
        {"s_memtime s[0:1]", ATT_SMEM},
        {"s_waitcnt vmcnt(0)", ATT_IMMED},
        {"s_wait_loadcnt 0x0", ATT_IMMED},
        {"s_barrier", ATT_IMMED},
        {"s_nop 0", ATT_IMMED},
        {"s_endpgm", ATT_IMMED},
        {"s_delay_alu instid0(VALU_DEP_1)", ATT_IMMED},
        {"s_cbranch_scc1 65530", ATT_JUMP},
        {"s_branch 12", ATT_JUMP},
        {"s_setpc_b64 s[30:31]", ATT_JUMP},
        {"s_sendmsg sendmsg(MSG_INTERRUPT)", ATT_MESSAGE},
        {"global_load_dword v1, v0, s[0:1]", ATT_VMEM},
        {"buffer_store_dword v1, off, s[0:3], 0", ATT_VMEM},
        {"scratch_load_dword v1, off", ATT_VMEM},
        {"image_load v0, v1, s[0:7]", ATT_VMEM},
        {"image_bvh_intersect_ray v[0:3], v[4:14], s[0:3]", ATT_BVH},
        {"flat_load_dword v1, v[0:1]", ATT_FLAT},
        {"ds_read_b32 v4, v5", ATT_LDS},
        {"exp mrt0 v0, v1, v2, v3", ATT_OTHER},
        {"", ATT_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (att_category_of(rows[i].isa) != rows[i].category)
            fail_msg("%s is %s", rows[i].isa, att_category_name(att_category_of(rows[i].isa)));
}

static void places_are_found_in_sources(void **state)
{
    static const struct {
        const char *source, *file;
        uint32_t line;
    } rows[] = {
        {"axpy.cpp:7", "axpy.cpp", 7},
        {"/a/b.h:12 -> c.cpp:3", "/a/b.h", 12},
        {"C:/x.cpp:44", "C:/x.cpp", 44},
        {"", "", 0},
        {"x.cpp", "", 0},
        {":7", "", 0},
        {"x.cpp:", "", 0},
        {"x.cpp:99999999999", "", 0},
        {"axpy(float*, float*, int)", "", 0},
        {"7", "", 0},
    };
    struct att a = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_row(&a, "v_nop", i, 0, 0, 0)->source = rows[i].source;
        att_row_complete(&a, a.nrows - 1);
        assert_string_equal(a.rows[i].file, rows[i].file);
        assert_int_equal(a.rows[i].source_line, rows[i].line);
    }
    att_free(&a);
}

/* Latency holds the stall already: cycles are never latency + stall. */
static void cycles_are_counted_once(void **state)
{
    struct att a = {0};
    struct att_totals t;
    (void)state;
    add_row(&a, "; kernel.kd", 0, 0, 0, 0);
    add_row(&a, "v_add_f32 v0, v1, v2", 0, 4, 40, 30)->idle = 5;
    add_row(&a, "global_load_dword v1, v0, s[0:1]", 4, 4, 160, 70);
    add_row(&a, "v_nop", 12, 0, 0, 0);
    att_totals(&a, &t);
    assert_int_equal(t.all.rows, 3);
    assert_int_equal(t.all.executed, 2);
    assert_int_equal(t.all.hits, 8);
    assert_int_equal(t.all.latency, 200);
    assert_int_equal(t.all.stall, 100);
    assert_int_equal(t.all.idle, 5);
    assert_int_equal(t.category[ATT_VALU].latency, 40);
    assert_int_equal(t.category[ATT_VMEM].stall, 70);
    NEAR(att_share(t.all.stall, t.all.latency), 0.5);
    NEAR(att_per_hit(&a.rows[2]), 40);
    assert_true(isnan(att_per_hit(&a.rows[3])));
    assert_true(isnan(att_share(0, 0)));
    att_free(&a);
}

static void sums_do_not_wrap(void **state)
{
    struct att a = {0};
    struct att_totals t;
    (void)state;
    add_row(&a, "v_nop", 0, 1, UINT64_MAX - 1, 0);
    add_row(&a, "v_nop", 4, 1, 7, 0);
    att_totals(&a, &t);
    assert_true(t.all.latency == UINT64_MAX);
    att_free(&a);
}

static void the_hottest_come_first_in_one_order(void **state)
{
    struct att a = {0};
    uint32_t n;
    (void)state;
    add_row(&a, "; kernel.kd", 0, 0, 0, 0);
    add_row(&a, "v_a", 0, 1, 10, 0);
    add_row(&a, "v_b", 4, 1, 90, 0);
    add_row(&a, "v_c", 8, 2, 10, 0);
    add_row(&a, "v_d", 12, 1, 10, 0);
    add_row(&a, "v_e", 16, 0, 0, 0)->stalled = 3;
    add_row(&a, "v_f", 20, 0, 0, 0);
    uint32_t *hot = att_hottest(&a, &n);
    const uint32_t expected[] = {2, 3, 1, 4, 5, 6};
    assert_int_equal(n, 6);
    assert_memory_equal(hot, expected, sizeof expected);
    free(hot);
    att_free(&a);
}

static void kernels_are_named_by_their_marker(void **state)
{
    struct att a = {0};
    (void)state;
    assert_string_equal(att_kernel_name(&a), "");
    add_row(&a, "; _Z1fv.kd", 0, 0, 0, 0);
    assert_string_equal(att_kernel_name(&a), "_Z1fv.kd");
    add_row(&a, "v_nop", 0, 0, 0, 0);
    struct att_row *marker = add_row(&a, "; _Z1gv.kd", 256, 0, 0, 0);
    marker->isa = "; _Z1gv.kd";
    marker->source = "g()"; /* the tool's demangled name */
    att_row_complete(&a, 2);
    add_row(&a, "v_nop", 256, 3, 9, 0);
    assert_string_equal(att_kernel_name(&a), "g()");
    att_free(&a);
}

static void rows_are_found_by_line(void **state)
{
    struct att a = {0};
    (void)state;
    add_row(&a, "v_c", 8, 0, 0, 0)->line = 30;
    add_row(&a, "v_a", 0, 0, 0, 0)->line = 10;
    add_row(&a, "; k", 0, 0, 0, 0)->line = 10;
    add_row(&a, "v_b", 4, 0, 0, 0)->line = 20;
    att_finish(&a);
    assert_string_equal(a.rows[att_row_of_line(&a, 10)].isa, "v_a");
    assert_string_equal(a.rows[att_row_of_line(&a, 20)].isa, "v_b");
    assert_string_equal(a.rows[att_row_of_line(&a, 30)].isa, "v_c");
    assert_int_equal(att_row_of_line(&a, 15), ATT_UNKNOWN);
    assert_int_equal(att_row_of_line(&a, 31), ATT_UNKNOWN);
    att_free(&a);
}

/* A loop: entry, body from 8 that the branch at 16 goes back to, exit. */
static void blocks_begin_at_targets_and_behind_branches(void **state)
{
    struct att a = {0};
    uint32_t n;
    (void)state;
    add_row(&a, "; k.kd", 0, 0, 0, 0);
    add_row(&a, "s_mov_b32 s0, 0", 0, 1, 4, 0);
    add_row(&a, "s_mov_b32 s1, 0", 4, 1, 4, 0);
    add_row(&a, "v_add_f32 v0, v1, v2", 8, 10, 400, 300);
    add_row(&a, "s_add_u32 s0, s0, 1", 12, 10, 40, 0);
    add_row(&a, "s_cbranch_scc1 65533", 16, 10, 80, 0); /* 16 + 4 - 12 = 8 */
    add_row(&a, "s_endpgm", 20, 1, 4, 0);
    add_row(&a, "; other.kd", 256, 0, 0, 0);
    add_row(&a, "s_endpgm", 256, 0, 0, 0);
    struct att_block *b = att_blocks(&a, &n);
    assert_int_equal(n, 4);
    assert_int_equal(b[0].first, 3);
    assert_int_equal(b[0].nrows, 3);
    assert_int_equal(b[0].entered, 10);
    assert_int_equal(b[0].sum.latency, 520);
    assert_int_equal(b[0].sum.stall, 300);
    assert_int_equal(b[1].first, 1);
    assert_int_equal(b[1].nrows, 2);
    assert_int_equal(b[2].first, 6);
    assert_int_equal(b[3].first, 8);
    free(b);
    att_free(&a);
}

/* --- waves --- */

static void instructions_per_cycle_are_those_of_the_waves_read(void **state)
{
    struct att a = {0};
    struct att_ipc ipc;
    (void)state;
    att_ipc(&a, &ipc);
    assert_true(isnan(ipc.per_wave));
    add_wave(&a, 0, 1, 1000, 1100);
    for (int i = 0; i < 30; i++)
        add_instruction(&a, ATT_VALU, 4, 1);
    add_wave(&a, 0, 1, 1050, 1150);
    for (int i = 0; i < 20; i++)
        add_instruction(&a, ATT_VMEM, 8, 3);
    add_wave(&a, 1, 1, 1000, 1100); /* on another engine */
    for (int i = 0; i < 10; i++)
        add_instruction(&a, ATT_NEXT, 1, 0);
    add_wave(&a, 0, 1, 0, 5000)->read = false; /* only known to be */
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
    att_free(&a);
}

static void occupancy_is_waves_over_time(void **state)
{
    struct att a = {0};
    uint32_t n;
    double part[4];
    (void)state;
    add_event(&a, 1, 100, 0, true);
    add_event(&a, 1, 200, 1, true);
    add_event(&a, 1, 300, 0, false); /* its slot is taken again at once */
    add_event(&a, 1, 300, 0, true);
    add_event(&a, 1, 500, 0, false);
    add_event(&a, 1, 500, 1, false);
    add_event(&a, 0, 400, 3, false); /* was there before */
    add_event(&a, 0, 200, 2, true);
    add_event(&a, 0, 400, 2, false);
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
    NEAR(part[0], 2); /* the one from before counts from the first part on */
    NEAR(part[2], 4);
    NEAR(part[3], 2);
    att_occupancy_bins(&a, 7, 100, 500, 4, part);
    NEAR(part[1], 0);
    att_free(&a);
}

/* Random waves: the parts add up to the integral, however many parts there are; the peak is that of
 * a count made here. */
static void parts_add_up_to_the_whole(void **state)
{
    uint64_t seed = 88172645463325252U;
    (void)state;
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
            add_wave(&a, 0, 0, begin[i], end[i]);
            add_period(&a, (uint8_t)(next(&seed) % ATT_STATES), (uint64_t)(end[i] - begin[i]));
            add_event(&a, 0, end[i], i, false);
            add_event(&a, 0, begin[i], i, true);
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

static void states_come_from_the_most_complete(void **state)
{
    struct att a = {0};
    double part[2][ATT_STATES];
    uint64_t sum[ATT_STATES];
    (void)state;
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_NONE);
    add_wave(&a, 0, 0, 0, 100);
    add_period(&a, ATT_STATE_EXEC, 50);
    add_period(&a, ATT_STATE_STALL, 50);
    add_level(&a, ATT_STATE_EXEC, 0, 3);
    add_level(&a, ATT_STATE_EXEC, 50, 0);
    add_level(&a, ATT_STATE_WAIT, 50, 4);
    add_level(&a, ATT_STATE_WAIT, 100, 0);
    att_finish(&a);
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_WAVES);
    NEAR(part[0][ATT_STATE_EXEC], 1);
    NEAR(part[1][ATT_STATE_STALL], 1);
    NEAR(part[1][ATT_STATE_WAIT], 0);
    add_wave(&a, 0, 0, 0, 100)->read = false;
    a.waves_read--; /* one was left out: the tool's sums know more */
    assert_int_equal(att_states_bins(&a, 0, 100, 2, part), ATT_STATES_LEVELS);
    NEAR(part[0][ATT_STATE_EXEC], 3);
    NEAR(part[1][ATT_STATE_WAIT], 4);
    NEAR(part[1][ATT_STATE_EXEC], 0);
    assert_int_equal(att_states_sum(&a, sum), ATT_STATES_LEVELS);
    assert_int_equal(sum[ATT_STATE_EXEC], 150);
    assert_int_equal(sum[ATT_STATE_WAIT], 200);
    att_free(&a);
}

static void clocks_tell_the_frequency(void **state)
{
    struct att a = {.frequency = 1e8};
    (void)state;
    assert_true(isnan(att_clock_hz(&a)));
    const struct att_clock clocks[] = {
        {1000, 50, 0}, {3000, 150, 0}, {22000, 1050, 0}, {500, 7, 1}}; /* one alone tells nothing */
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        a.clocks = att_grow(a.clocks, a.nclocks, sizeof *a.clocks);
        a.clocks[a.nclocks++] = clocks[i];
    }
    NEAR(att_clock_hz(&a), 2.1e9);
    a.frequency = 0;
    assert_true(isnan(att_clock_hz(&a)));
    att_free(&a);
}

static void counters_are_found_by_bank(void **state)
{
    struct att a = {0};
    struct att_counter c;
    (void)state;
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

static void latency_ends_as_the_generation_says(void **state)
{
    struct att a = {.gfx = 9, .gfxv = "vega"};
    char name[32];
    (void)state;
    assert_string_equal(att_latency_end(&a), "issue");
    assert_string_equal(att_gfx_name(&a, name), "gfx9 (vega)");
    a.gfx = 11, a.gfxv = "navi";
    assert_string_equal(att_latency_end(&a), "execution");
    a.gfx = ATT_UNKNOWN;
    assert_string_equal(att_latency_end(&a), "execution");
    a.gfxv = "vega";
    assert_string_equal(att_latency_end(&a), "issue");
    a.gfxv = "";
    assert_null(att_latency_end(&a));
    assert_string_equal(att_gfx_name(&a, name), "unknown GPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mnemonics_have_their_category),
        cmocka_unit_test(places_are_found_in_sources),
        cmocka_unit_test(cycles_are_counted_once),
        cmocka_unit_test(sums_do_not_wrap),
        cmocka_unit_test(the_hottest_come_first_in_one_order),
        cmocka_unit_test(kernels_are_named_by_their_marker),
        cmocka_unit_test(rows_are_found_by_line),
        cmocka_unit_test(blocks_begin_at_targets_and_behind_branches),
        cmocka_unit_test(instructions_per_cycle_are_those_of_the_waves_read),
        cmocka_unit_test(occupancy_is_waves_over_time),
        cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(states_come_from_the_most_complete),
        cmocka_unit_test(clocks_tell_the_frequency),
        cmocka_unit_test(counters_are_found_by_bank),
        cmocka_unit_test(latency_ends_as_the_generation_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
