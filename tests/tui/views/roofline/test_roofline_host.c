/* The roofline view with the measured roofs of the host: its ceilings, DRAM under load, and what
 * counters tell of the watched program. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/bricks/bricks.h"
#include "engine/live/metric.h"
#include "engine/roofline/roofline_cpu.h"
#include "support/gpu_scene.h"
#include "support/scenes.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

static const struct cpu_load loads[] = {{1, 1e9, 100e-9, 0},
                                        {1, 10e9, 120e-9, 0},
                                        {1, 20e9, 200e-9, 0},
                                        {0.5, 10e9, 150e-9, 0},
                                        {0.5, 18e9, 400e-9, 0}};
static const struct cpu_unit units[] = {{"int8 dot", 256, {400e9, 1600e9, 0, 0}},
                                        {"int8 dot", 512, {800e9, 3200e9, 0, 0}},
                                        {"bf16 matrix", 512, {5000e9, 2e13, 0, 0}}};

static struct cpu_roofs four_cores(void)
{
    struct cpu_roofs c = {.how = "measured 2026-01-31 by rooftop lab roofs",
                          .none = "",
                          .cpus = 4,
                          .loads = loads,
                          .nloads = sizeof loads / sizeof *loads,
                          .units = units,
                          .nunits = sizeof units / sizeof *units};
    const double bytes[CPU_LEVELS] = {10e9, 40e9, 80e9, 160e9};
    for (int l = 0; l < CPU_LEVELS; l++)
        c.bytes[l] = (struct cpu_peak){.one = bytes[l], .all = bytes[l] * 2};
    c.flops[CPU_SCALAR][CPU_F32] = (struct cpu_peak){.one = 12e9, .all = 48e9};
    c.flops[CPU_256][CPU_F32] = (struct cpu_peak){.one = 100e9, .all = 400e9};
    c.flops[CPU_512][CPU_F32] = (struct cpu_peak){.one = 200e9, .all = 800e9};
    return c;
}

/* Shows a sample with roofs, and with these rates as the metrics of its counters. */
static void feed(double flops, double reads, double writes)
{
    const struct cpu_roofs cpu = four_cores();
    struct snapshot *snap = scene("vm", 1);
    static const struct metric_def defs[] = {
        {.id = "flops"}, {.id = "dram_read"}, {.id = "dram_write"}};
    const double values[] = {flops, reads, writes};
    struct metric *m = snapshot_alloc(snap, 3 * sizeof *m);
    for (int i = 0; i < 3; i++)
        m[i] =
            (struct metric){.def = &defs[i],
                            .value = values[i] > 0 ? value_ok(values[i], UNIT_FLOP_PER_S)
                                                   : value_missing("no core PMU", UNIT_FLOP_PER_S)};
    snap->metrics = m;
    snap->nmetrics = 3;
    snap->roofs = roofline_cpu_host(&snap->arena, &cpu);
    app_update(s.a, snap);
    snapshot_unref(snap);
    stage_look(&s);
}

static void open_at(int cols, int rows)
{
    stage_open(&s, "vm", cols, rows, 1);
    feed(0, 0, 0);
    stage_key(&s, '5');
}

FIXTURE(tear_down)
{
    stage_close(&s);
}

TEST_WITH(the_roofs_are_there_without_bricks, NULL, tear_down)
{
    open_at(160, 44);
    assert_true(stage_sees(&s, "this CPU x4: measured 2026-01-31 by rooftop lab roofs"));
    assert_true(stage_sees(&s, "512-bit f32 800 GFLOP/s"));
    assert_true(stage_sees(&s, "DRAM"));
    /* the wider one only, as these cores have 512 bits */
    assert_true(stage_sees(&s, "int8 dot"));
    assert_true(stage_sees(&s, "bf16 matrix 20.0 TFLOP/s"));
    assert_true(stage_sees(&s, "FLOP/s n/a: no core PMU"));
    assert_true(stage_sees(&s, "100 % reads"));
    assert_true(stage_sees(&s, "50 % reads"));
    assert_true(stage_sees(&s, "traffic of this host now: n/a: no core PMU"));
}

TEST_WITH(counters_move_the_point_of_the_program, NULL, tear_down)
{
    open_at(160, 44);
    feed(6e9, 9e9, 3e9);
    assert_true(stage_sees(&s, "6.00 GFLOP/s of this host"));
    assert_true(stage_sees(&s, "12.0 GB/s of DRAM by the whole host: 0.5 FLOP/byte"));
    assert_true(stage_sees(&s, "all, counted"));
    /* 75 % reads is as near to 100 as to 50: the first of both; 120 + 2/10 of 80 */
    assert_true(stage_sees(&s, "this host now, 75 % reads, 12.0 GB/s: a load waits about 136 ns"));
    feed(6e9, 4e9, 5e9);
    assert_true(stage_sees(&s, "44 % reads, 9.00 GB/s: a load waits about 144 ns"));
    feed(6e9, 50e9, 5e9);
    assert_true(stage_sees(&s, "55.0 GB/s: more than was measured under load"));
}

TEST_WITH(small_screens_show_one_or_the_other, NULL, tear_down)
{
    open_at(80, 24);
    assert_true(stage_sees(&s, "FLOP/byte"));
    assert_false(stage_sees(&s, "ns of a load"));
    stage_key(&s, 'l');
    assert_true(stage_sees(&s, "roofline, DRAM under load"));
    assert_true(stage_sees(&s, "ns of a load"));
    assert_true(stage_sees(&s, "200┤"));
    assert_false(stage_sees(&s, "FLOP/byte"));
    stage_key(&s, 'l');
    assert_true(stage_sees(&s, "FLOP/byte"));
    assert_false(stage_sees(&s, "under load ─"));
}

/* With bricks, whose own roofs are told by their programs, the curve is beside them. */
TEST_WITH(bricks_stay_as_they_were, NULL, tear_down)
{
    stage_open(&s, "bricks", 160, 60, 3);
    stage_key(&s, '5');
    assert_true(stage_sees(&s, "a DownProjection        avx2"));
    assert_false(stage_sees(&s, "ns of a load"));
    stage_key(&s, 'l');
    assert_true(stage_sees(&s, "No measured roofs are known here."));
    stage_key(&s, 'l');
    assert_true(stage_sees(&s, "━━━ avx2"));
}

/* The kernels of a GPU are not under the memory of the machine that shows them. */
TEST_WITH(kernels_of_a_gpu_have_no_curve, NULL, tear_down)
{
    const struct cpu_roofs cpu = four_cores();
    struct analysis gpu = *gpu_scene();
    gpu.bricks.roofline.cpu = &cpu;
    stage_open(&s, "vm", 160, 60, 1);
    app_set_profile(s.a, &gpu);
    stage_key(&s, '5');
    assert_true(stage_sees(&s, "MFMA f16"));
    assert_false(stage_sees(&s, "ns of a load"));
}
