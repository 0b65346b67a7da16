/* CPU code under the measured roofs of its host: which roof, of how many threads, which ceiling
 * binds, and what is above all of them. (One thread: not for TSan.) */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/roofline/roofline_cpu.h"
#include "engine/roofline/roofline_gpu.h"
#include "support/test.h"

/* Four cores. Bytes of one: 10, 40, 80, 160 GB/s; FLOPs of one: 100 G with 256 bits. All together
 * get three times as much from DRAM and L3, four times from the rest. */
static struct cpu_roofs four_cores(void)
{
    struct cpu_roofs c = {.how = "measured", .none = "", .cpus = 4};
    const double bytes[CPU_LEVELS] = {10e9, 40e9, 80e9, 160e9};
    for (int l = 0; l < CPU_LEVELS; l++)
        c.bytes[l] = (struct cpu_peak){.one = bytes[l], .all = bytes[l] * (l <= CPU_L3 ? 3 : 4)};
    c.flops[CPU_SCALAR][CPU_F32] = (struct cpu_peak){.one = 12e9, .all = 48e9};
    c.flops[CPU_256][CPU_F32] = (struct cpu_peak){.one = 100e9, .all = 400e9};
    c.flops[CPU_256][CPU_F64] = (struct cpu_peak){.one = 50e9, .all = 200e9};
    return c;
}

static uint32_t sum(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                    uint64_t total)
{
    uint32_t node =
        graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN, total);
    *graph_work(g, node) = (struct graph_work){
        .count = 1, .total = total, .min = total, .max = total, .histogram = GRAPH_NONE};
    return node;
}

/* So many bytes and FLOPs in 1000 ns: GB/s and GFLOP/s. */
static uint32_t work(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                     uint64_t gbytes, uint64_t gflops)
{
    uint32_t node = sum(g, kind, name, parent, 1000);
    graph_extra(g, node)->bytes = gbytes * 1000;
    graph_extra(g, node)->flops = gflops * 1000;
    graph_extra(g, node)->busiest = 1000;
    return node;
}

struct scene {
    struct graph *g;
    struct arena memory;
    struct roofline r;
    struct cpu_roofs cpu;
    uint32_t avx2;
};

static void begin(struct scene *s)
{
    *s = (struct scene){.g = graph_new(), .cpu = four_cores()};
    s->avx2 = sum(s->g, NODE_BACKEND, "avx2", GRAPH_NONE, 9000);
}

static void place(struct scene *s)
{
    graph_finish(s->g);
    roofline_fill(&s->r, &s->memory, s->g, &s->cpu);
}

static void end(struct scene *s)
{
    arena_free(&s->memory);
    graph_unref(s->g);
}

static const struct roof_point *point(const struct scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->r.npoints; i++)
        if (strcmp(s->r.points[i].name, name) == 0)
            return &s->r.points[i];
    fail_msg("no point %s", name);
    return NULL;
}

static void expect(const struct scene *s, const char *name, const char *roof, const char *bound,
                   double reached)
{
    const struct roof_point *p = point(s, name);
    assert_int_not_equal(p->roof, GRAPH_NONE);
    assert_string_equal(s->r.roofs[p->roof].name, roof);
    assert_string_equal(roofline_bound_name(&s->r, p), bound);
    if (fabs(1 - p->distance - reached) > 1e-9)
        fail_msg("%s: %g of its roof, not %g", name, 1 - p->distance, reached);
}

/* The lowest roof that is not below the point binds it: its data may lie at that level. */
TEST(the_next_roof_above_a_point_binds_it)
{
    struct scene s;
    begin(&s);
    work(s.g, NODE_BRICK, "slow", s.avx2, 5, 5);
    work(s.g, NODE_BRICK, "DRAM", s.avx2, 10, 10);
    work(s.g, NODE_BRICK, "L3", s.avx2, 20, 20);
    work(s.g, NODE_BRICK, "L1", s.avx2, 120, 60);
    work(s.g, NODE_BRICK, "compute", s.avx2, 4, 80); /* DRAM's line is at 200 there */
    place(&s);
    expect(&s, "slow", "avx2", "DRAM", 0.5);
    expect(&s, "DRAM", "avx2", "DRAM", 1);
    expect(&s, "L3", "avx2", "L3", 0.5);
    expect(&s, "L1", "avx2", "L1", 0.75);
    expect(&s, "compute", "avx2", "256-bit f32", 0.8);
    assert_true(point(&s, "L3")->memory_bound && !point(&s, "compute")->memory_bound);
    assert_int_equal(s.r.nroofs, 1);
    assert_true(roofline_cpu_use(&s.r.roofs[0].ceilings[CPU_L3], point(&s, "L1")) == 3);
    end(&s);
}

/* Bytes only: under the lowest level that moves no less. FLOPs only: under the operations. Neither
 * has an intensity, and none is invented. */
TEST(one_of_the_two_is_compared_with_its_own_roof)
{
    struct scene s;
    begin(&s);
    work(s.g, NODE_BRICK, "bytes", s.avx2, 5, 0);
    work(s.g, NODE_BRICK, "cached", s.avx2, 60, 0);
    work(s.g, NODE_BRICK, "too many", s.avx2, 320, 0);
    work(s.g, NODE_BRICK, "flops", s.avx2, 0, 25);
    work(s.g, NODE_BRICK, "none", s.avx2, 0, 0);
    place(&s);
    assert_int_equal(s.r.npoints, 4);
    expect(&s, "bytes", "avx2", "DRAM", 0.5);
    expect(&s, "cached", "avx2", "L2", 0.75);
    expect(&s, "too many", "avx2", "L1", 2);
    expect(&s, "flops", "avx2", "256-bit f32", 0.25);
    assert_true(point(&s, "bytes")->memory_bound && !point(&s, "flops")->memory_bound);
    assert_true(isnan(point(&s, "bytes")->flops) && isnan(point(&s, "bytes")->intensity));
    assert_true(isnan(point(&s, "flops")->bytes) && isnan(point(&s, "flops")->intensity));
    assert_true(point(&s, "bytes")->bytes == 5e9 && point(&s, "flops")->flops == 25e9);
    assert_non_null(strstr(roofline_why_no_intensity(point(&s, "bytes")), "bytes only"));
    assert_non_null(strstr(roofline_why_no_intensity(point(&s, "flops")), "FLOPs only"));
    end(&s);
}

/* The same under peaks that a program tells of its backend. */
TEST(one_of_the_two_under_told_peaks)
{
    struct scene s;
    begin(&s);
    const uint32_t npu = sum(s.g, NODE_BACKEND, "npu", GRAPH_NONE, 9000);
    graph_detail(s.g, npu)->backend.peak_flops = 200e9;
    graph_detail(s.g, npu)->backend.peak_bytes = 50e9;
    graph_detail(s.g, npu)->backend.how = GRAPH_NONE;
    work(s.g, NODE_BRICK, "bytes", npu, 5, 0);
    work(s.g, NODE_BRICK, "flops", npu, 0, 50);
    place(&s);
    expect(&s, "bytes", "npu", "memory", 0.1);
    expect(&s, "flops", "npu", "compute", 0.25);
    end(&s);
}

TEST(what_is_above_every_roof_is_shown_so)
{
    struct scene s;
    begin(&s);
    work(s.g, NODE_BRICK, "bytes", s.avx2, 320, 64);
    work(s.g, NODE_BRICK, "flops", s.avx2, 1, 150);
    place(&s);
    expect(&s, "bytes", "avx2", "L1", 2);
    expect(&s, "flops", "avx2", "256-bit f32", 1.5);
    assert_true(roofline_above(point(&s, "bytes")) && roofline_above(point(&s, "flops")));
    assert_non_null(strstr(roofline_why_above(&s.r, point(&s, "bytes")), "registers"));
    assert_non_null(strstr(roofline_why_above(&s.r, point(&s, "flops")), "more FLOPs"));
    end(&s);
}

/* A point a little above a roof that is known to some percent is still of that roof, and is told as
 * above it. */
TEST(a_roof_is_known_as_well_as_it_was_measured)
{
    struct scene s;
    begin(&s);
    s.cpu.bytes[CPU_L3].one_spread = 0.08;
    work(s.g, NODE_BRICK, "within", s.avx2, 43, 43);
    work(s.g, NODE_BRICK, "beyond", s.avx2, 44, 44);
    place(&s);
    expect(&s, "within", "avx2", "L3", 43.0 / 40);
    expect(&s, "beyond", "avx2", "L2", 44.0 / 80);
    assert_non_null(strstr(roofline_why_above(&s.r, point(&s, "within")), "nearer cache"));
    end(&s);
}

/* Work of threads is compared with what these threads could do together; a brick's with that of
 * the kernels inside it. */
TEST(threads_share_the_roof_of_as_many)
{
    struct scene s;
    begin(&s);
    uint32_t outer = work(s.g, NODE_BRICK, "outer", s.avx2, 15, 15);
    uint32_t inner = work(s.g, NODE_KERNEL, "inner", outer, 15, 15);
    graph_work(s.g, inner)->total = 1950; /* of two threads */
    uint32_t many = work(s.g, NODE_KERNEL, "many", s.avx2, 15, 15);
    graph_work(s.g, many)->total = 7000; /* of seven */
    uint32_t turns = work(s.g, NODE_KERNEL, "by turns", s.avx2, 5, 5);
    struct graph_extra *x = graph_extra(s.g, turns);
    graph_work(s.g, turns)->total = 2000;
    x->any = x->any_total = 2000; /* two threads, never at once */
    x->any_bytes = x->any_flops = 10000;
    work(s.g, NODE_BRICK, "alone", s.avx2, 5, 5);
    place(&s);
    expect(&s, "inner", "avx2 x2", "DRAM", 0.75);
    expect(&s, "outer", "avx2 x2", "DRAM", 0.75);
    expect(&s, "many", "avx2 x4", "DRAM", 0.5);
    expect(&s, "by turns", "avx2", "DRAM", 0.5);
    expect(&s, "alone", "avx2", "DRAM", 0.5);
    assert_int_equal(point(&s, "many")->threads, 7);
    assert_non_null(strstr(s.r.roofs[point(&s, "inner")->roof].how, "2 times one core"));
    assert_string_equal(s.r.roofs[point(&s, "many")->roof].how, "measured");
    end(&s);
}

/* What a backend tells goes first; other names are no CPU's; a brick outside any backend is a CPU's
 * unless it starts kernels. */
TEST(only_code_of_a_cpu_gets_its_roof)
{
    struct scene s;
    begin(&s);
    uint32_t told = sum(s.g, NODE_BACKEND, "avx512", GRAPH_NONE, 9000);
    graph_detail(s.g, told)->backend.peak_flops = 7e9;
    graph_detail(s.g, told)->backend.how = GRAPH_NONE;
    uint32_t gpu = sum(s.g, NODE_BACKEND, "cuda:0", GRAPH_NONE, 9000);
    uint32_t scalar = sum(s.g, NODE_BACKEND, "scalar", GRAPH_NONE, 9000);
    work(s.g, NODE_BRICK, "told", told, 5, 5);
    work(s.g, NODE_BRICK, "gpu", gpu, 5, 5);
    work(s.g, NODE_BRICK, "scalar", scalar, 1, 6);
    work(s.g, NODE_BRICK, "plain", GRAPH_NONE, 5, 5);
    uint32_t launches = work(s.g, NODE_BRICK, "launches", GRAPH_NONE, 5, 5);
    work(s.g, NODE_KERNEL, "kernel", launches, 5, 5);
    place(&s);
    assert_true(s.r.roofs[point(&s, "told")->roof].flops == 7e9);
    assert_int_equal(point(&s, "gpu")->roof, GRAPH_NONE);
    assert_int_equal(point(&s, "launches")->roof, GRAPH_NONE);
    assert_int_equal(point(&s, "kernel")->roof, GRAPH_NONE);
    expect(&s, "scalar", "scalar", "scalar f32", 0.5);
    expect(&s, "plain", "this CPU", "DRAM", 0.5);
    assert_null(s.r.unmeasured);
    end(&s);
}

/* The point of a running program moves: what it did in the last interval is a rate of its own. */
/* "avx2" and "avx2 pool" are two backends, also where as many threads ran them. */
TEST(a_roof_has_the_name_of_its_own_backend)
{
    struct scene s;
    begin(&s);
    uint32_t pool = sum(s.g, NODE_BACKEND, "avx2 pool", GRAPH_NONE, 9000);
    uint32_t both[] = {work(s.g, NODE_BRICK, "first", pool, 5, 5),
                       work(s.g, NODE_BRICK, "second", s.avx2, 5, 5)};
    for (int i = 0; i < 2; i++)
        *graph_extra(s.g, both[i]) = (struct graph_extra){.bytes = 5000,
                                                          .flops = 5000,
                                                          .busiest = 500,
                                                          .any = 500,
                                                          .any_total = 1000,
                                                          .any_bytes = 5000,
                                                          .any_flops = 5000};
    place(&s);
    expect(&s, "first", "avx2 pool x2", "DRAM", 0.5);
    expect(&s, "second", "avx2 x2", "DRAM", 0.5);
    end(&s);
}

/* A damaged file may tell of more threads than there can be. */
TEST(threads_beyond_all_numbers_are_all_of_the_host)
{
    struct scene s;
    begin(&s);
    uint32_t node = work(s.g, NODE_BRICK, "many", s.avx2, 5, 5);
    *graph_extra(s.g, node) = (struct graph_extra){.bytes = 5000,
                                                   .flops = 5000,
                                                   .busiest = 500,
                                                   .any = 1,
                                                   .any_total = UINT64_MAX,
                                                   .any_bytes = 1,
                                                   .any_flops = 1};
    place(&s);
    assert_string_equal(s.r.roofs[point(&s, "many")->roof].name, "avx2 x4");
    end(&s);
}

/* A file may nest its bricks as deep as it likes: neither the stack nor the time is used up. */
TEST(bricks_may_be_nested_deeply)
{
    enum { DEEP = 1000000 };
    struct scene s;
    begin(&s);
    uint32_t at = GRAPH_NONE;
    for (int i = 0; i < DEEP; i++)
        at = work(s.g, NODE_BRICK, "nested", at, 5, 5);
    place(&s);
    expect(&s, "nested", "this CPU", "DRAM", 0.5);
    assert_int_equal(s.r.npoints, 1);
    end(&s);
    begin(&s);
    at = GRAPH_NONE;
    for (int i = 0; i < DEEP; i++)
        at = work(s.g, NODE_BRICK, "nested", at, 5, 5);
    work(s.g, NODE_KERNEL, "kernel", at, 5, 5);
    place(&s);
    assert_int_equal(point(&s, "nested")->roof, GRAPH_NONE);
    end(&s);
}

/* A damaged or hostile file may have as many different bricks, backends and peaks as it likes.
 * Compared each with each, these would take minutes. */
TEST(many_points_under_many_roofs_take_little_time)
{
    enum { MANY = 150000 };
    struct scene s;
    char name[32];
    begin(&s);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "avx2 %u", i);
        uint32_t backend = sum(s.g, NODE_BACKEND, name, GRAPH_NONE, 9000);
        snprintf(name, sizeof name, "told %u", i);
        uint32_t told = sum(s.g, NODE_BACKEND, "told", GRAPH_NONE, 9000);
        graph_detail(s.g, told)->backend.peak_flops = 1e9 + i;
        graph_detail(s.g, told)->backend.how = GRAPH_NONE;
        work(s.g, NODE_BRICK, name, i % 2 ? backend : told, 5, 5);
    }
    place(&s);
    assert_int_equal(s.r.npoints, MANY);
    assert_int_equal(s.r.nroofs, MANY);
    assert_string_equal(s.r.roofs[point(&s, "told 7")->roof].name, "avx2 7");
    assert_true(s.r.roofs[point(&s, "told 8")->roof].flops == 1e9 + 8);
    end(&s);
}

TEST(a_running_program_has_a_rate_of_now)
{
    struct scene s;
    begin(&s);
    uint32_t moving = work(s.g, NODE_BRICK, "moving", s.avx2, 5, 5);
    struct graph_extra *x = graph_extra(s.g, moving);
    x->recent_total = 100;
    x->recent_flops = 800;
    x->recent_bytes = 1600;
    x = graph_extra(s.g, work(s.g, NODE_BRICK, "begun now", s.avx2, 5, 5));
    x->recent_total = 1000;
    x->recent_flops = x->recent_bytes = 5000;
    work(s.g, NODE_BRICK, "idle", s.avx2, 5, 5);
    place(&s);
    assert_float_equal(point(&s, "moving")->now_rate, 8e9, 1);
    assert_float_equal(point(&s, "moving")->now_intensity, 0.5, 1e-12);
    assert_float_equal(point(&s, "moving")->flops, 5e9, 1);
    assert_true(isnan(point(&s, "begun now")->now_rate)); /* the same as its mean */
    assert_true(isnan(point(&s, "idle")->now_rate));
    end(&s);
}

TEST(without_measurements_the_reason_is_told)
{
    struct scene s;
    begin(&s);
    s.cpu = (struct cpu_roofs){.how = "", .none = "never measured"};
    work(s.g, NODE_BRICK, "brick", s.avx2, 5, 5);
    place(&s);
    assert_int_equal(point(&s, "brick")->roof, GRAPH_NONE);
    assert_true(isnan(point(&s, "brick")->distance));
    assert_string_equal(s.r.unmeasured, "never measured");
    end(&s);
}
