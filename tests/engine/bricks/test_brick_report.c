/* Bricks by name, shares of categories, and roofs, from graphs of sums. */
#include <math.h>
#include <string.h>

#include "engine/bricks/brick_report.h"
#include "engine/roofline/roofline.h"
#include "support/test.h"

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static uint32_t sum(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                    uint64_t count, uint64_t ns)
{
    uint32_t n =
        graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN, ns);
    *graph_work(g, n) = (struct graph_work){
        .count = count, .total = ns, .min = GRAPH_UNKNOWN, .histogram = GRAPH_NONE};
    return n;
}

/* Fills a node with children that together take at most its time. */
static void fill(struct graph *g, uint32_t parent, uint64_t left, int depth)
{
    static const char *const names[] = {"RmsNorm", "Qkv", "Gate", "Sampling"};
    while (left > 100 && below(4)) {
        uint64_t ns = below((uint32_t)left);
        bool is_brick = below(3) > 0;
        uint32_t c = below(CATEGORIES);
        uint32_t n = sum(g, is_brick ? NODE_BRICK : NODE_FUNCTION, names[c], parent, 2, ns);
        g->category[n] = (uint8_t)c;
        left -= ns;
        if (depth > 0)
            fill(g, n, ns, depth - 1);
    }
}

TEST(f110_categories_and_what_lies_between_sum_to_the_whole)
{
    for (int round = 0; round < 500; round++) {
        struct graph *g = graph_new();
        struct arena memory = {0};
        struct brick_report r;
        uint64_t whole = 0, parts = 0, own = 0;
        for (uint32_t roots = 1 + below(2); roots-- > 0;) {
            uint64_t ns = 1000 + below(1000000);
            fill(g, sum(g, NODE_THREAD, "thread", GRAPH_NONE, 1, ns), ns, 4);
            whole += ns;
        }
        graph_finish(g);
        brick_report_make(&r, &memory, g, false);
        for (int c = 0; c < CATEGORIES; c++)
            parts += r.category[c];
        for (uint32_t i = 0; i < r.nrows; i++)
            own += r.rows[i].own;
        assert_int_equal(r.total, whole);
        assert_int_equal(parts + r.between, whole);
        assert_int_equal(own, parts);
        arena_free(&memory);
        graph_unref(g);
    }
}

TEST(a_name_has_one_row_for_all_its_places)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct brick_report r;
    uint32_t root = sum(g, NODE_THREAD, "thread", GRAPH_NONE, 1, 100);
    for (uint64_t layer = 0; layer < 2; layer++) {
        uint32_t n = sum(g, NODE_BRICK, "RmsNorm", root, 2, 20 + 20 * layer);
        graph_extra(g, n)->elements = 100;
        graph_extra(g, n)->budget = 10;
        graph_work(g, n)->sum_squares = layer ? 800 : 200; /* 2 x 20^2, 2 x 10^2 */
    }
    graph_finish(g);
    brick_report_make(&r, &memory, g, false);
    assert_int_equal(r.nrows, 1);
    assert_int_equal(r.rows[0].sum.count, 4);
    assert_int_equal(r.rows[0].sum.total, 60);
    assert_true(r.rows[0].mean == 15 && r.rows[0].over_budget);
    assert_true(fabs(r.rows[0].deviation - sqrt(100.0 / 3)) < 1e-9);
    assert_true(fabs(r.rows[0].elements_per_s - 200 / 60e-9) < 1);
    assert_int_equal(r.between, 40);
    arena_free(&memory);
    graph_unref(g);
}

/* The time of a kernel belongs to its brick, and the kernel has a row of its own; totals count it
 * once. */
TEST(a_kernel_is_not_counted_again_in_its_brick)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct brick_report r;
    uint64_t self = 0;
    uint32_t root = sum(g, NODE_THREAD, "thread", GRAPH_NONE, 1, 100);
    uint32_t outer = sum(g, NODE_BRICK, "Ffn", root, 1, 80);
    uint32_t scope = sum(g, NODE_FUNCTION, "inside", outer, 1, 70);
    uint32_t inner = sum(g, NODE_BRICK, "Gate", scope, 1, 50);
    sum(g, NODE_KERNEL, "gemv", inner, 1, 45);
    sum(g, NODE_KERNEL, "add", outer, 1, 5);
    sum(g, NODE_KERNEL, "outside", root, 1, 10);
    graph_finish(g);
    brick_report_make(&r, &memory, g, false);
    static const struct {
        const char *name;
        uint64_t own, self;
    } expected[] = {
        {"Ffn", 30, 25}, {"Gate", 50, 5}, {"gemv", 0, 45}, {"add", 0, 5}, {"outside", 0, 10}};
    assert_int_equal(r.nrows, 5);
    for (uint32_t i = 0; i < r.nrows; i++) {
        for (size_t k = 0; k < 5; k++)
            if (strcmp(r.rows[i].name, expected[k].name) == 0) {
                assert_int_equal(r.rows[i].own, expected[k].own);
                assert_int_equal(r.rows[i].self, expected[k].self);
            }
        self += r.rows[i].self;
    }
    assert_int_equal(self, 90);                       /* 90 of 100: the rest is between them */
    assert_int_equal(r.category[CATEGORY_OTHER], 80); /* includes their kernels */
    arena_free(&memory);
    graph_unref(g);
}

/* Launches that were reported without a time are counted, but nothing else is known about them;
 * averages are over launches with a time. */
TEST(launches_without_a_time_have_none)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct brick_report r;
    uint32_t root = sum(g, NODE_THREAD, "thread", GRAPH_NONE, 1, 100);
    uint32_t norm = sum(g, NODE_BRICK, "RmsNorm", root, 4, 40);
    g->category[norm] = CATEGORY_NORM;
    uint32_t kernel = sum(g, NODE_KERNEL, "launch", norm, 4, 0);
    graph_work(g, kernel)->min = graph_work(g, kernel)->max = GRAPH_UNKNOWN;
    uint32_t other = sum(g, NODE_BRICK, "untimed", root, 7, 0);
    g->category[other] = CATEGORY_NORM;
    graph_finish(g);
    brick_report_make(&r, &memory, g, false);
    assert_int_equal(r.nrows, 3);
    assert_true(r.rows[0].timed && r.rows[0].mean == 10);
    for (int i = 1; i < 3; i++) {
        assert_false(r.rows[i].timed);
        assert_true(isnan(r.rows[i].mean) && isnan(r.rows[i].p50) && isnan(r.rows[i].p99));
        assert_true(isnan(r.rows[i].elements_per_s));
    }
    assert_int_equal(r.samples[CATEGORY_NORM], 4);
    assert_int_equal(r.category[CATEGORY_NORM], 40);
    assert_true(isnan(graph_mean(g, kernel)) && isnan(graph_quantile(g, kernel, 0.5)));
    arena_free(&memory);
    graph_unref(g);
}

static uint32_t work(struct graph *g, const char *name, uint32_t parent, uint64_t bytes,
                     uint64_t flops)
{
    uint32_t n = sum(g, NODE_BRICK, name, parent, 1, 1000);
    graph_extra(g, n)->bytes = bytes;
    graph_extra(g, n)->flops = flops;
    return n;
}

static const struct roof_point *point(const struct roofline *r, const char *name)
{
    for (uint32_t i = 0; i < r->npoints; i++)
        if (strcmp(r->points[i].name, name) == 0)
            return &r->points[i];
    return NULL;
}

TEST(a_point_stands_under_its_nearest_roof)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct roofline r;
    uint32_t outer = sum(g, NODE_BACKEND, "outer", GRAPH_NONE, 1, 9000);
    graph_detail(g, outer)->backend.peak_flops = 1;
    uint32_t avx = sum(g, NODE_BACKEND, "avx2", outer, 1, 9000);
    graph_detail(g, avx)->backend.peak_flops = 100e9; /* the ridge is at 10 FLOP/byte */
    graph_detail(g, avx)->backend.peak_bytes = 10e9;
    work(g, "left", avx, 5000, 10000);    /* 10 GFLOP/s at 2 FLOP/byte, where the roof is 20 */
    work(g, "right", avx, 1000, 25000);   /* 25 of 100 GFLOP/s */
    work(g, "above", avx, 1000, 1000000); /* above its roof */
    work(g, "no flops", avx, 1000, 0);
    work(g, "no roof", GRAPH_NONE, 1000, 1000);
    graph_finish(g);
    roofline_fill(&r, &memory, g, NULL);
    assert_int_equal(r.npoints, 5); /* without FLOPs: by its bytes */
    assert_true(fabs(point(&r, "left")->bound - 20e9) < 1);
    assert_true(fabs(point(&r, "left")->distance - 0.5) < 1e-9);
    assert_true(point(&r, "left")->memory_bound && !point(&r, "right")->memory_bound);
    assert_true(fabs(point(&r, "right")->distance - 0.75) < 1e-9);
    assert_float_equal(point(&r, "above")->distance, -9, 1e-9); /* shown as measured: 1000 of 100 */
    assert_string_equal(r.roofs[point(&r, "left")->roof].name, "avx2");
    assert_true(isnan(point(&r, "no roof")->distance)); /* not 0, which would mean "at the roof" */
    assert_int_equal(point(&r, "no roof")->roof, GRAPH_NONE);
    arena_free(&memory);
    graph_unref(g);
}

/* Without a known peak of the backend there is no roof, and points have no distance. */
TEST(without_peaks_there_is_no_roof)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct roofline r;
    uint32_t none = sum(g, NODE_BACKEND, "unmeasured", GRAPH_NONE, 1, 9000);
    graph_detail(g, none)->backend.how = GRAPH_NONE;
    uint32_t half = sum(g, NODE_BACKEND, "half", GRAPH_NONE, 1, 9000);
    graph_detail(g, half)->backend.peak_bytes = 10e9;
    work(g, "alone", none, 1000, 1000);
    work(g, "under", half, 1000, 1000);
    graph_finish(g);
    roofline_fill(&r, &memory, g, NULL);
    assert_int_equal(r.nroofs, 1);
    assert_int_equal(point(&r, "alone")->roof, GRAPH_NONE);
    assert_true(isnan(point(&r, "alone")->distance));
    assert_string_equal(r.roofs[point(&r, "under")->roof].name, "half");
    arena_free(&memory);
    graph_unref(g);
}

/* Two threads that work at the same time: the rate is all their work divided by the time of the
 * busier one. */
TEST(work_of_threads_side_by_side_adds_up)
{
    struct graph *g = graph_new();
    struct arena memory = {0};
    struct roofline r;
    uint32_t avx = sum(g, NODE_BACKEND, "avx2", GRAPH_NONE, 1, 9000);
    graph_detail(g, avx)->backend.peak_flops = 100e9;
    graph_detail(g, avx)->backend.peak_bytes = 10e9;
    uint32_t n = work(g, "both", avx, 4000, 20000);
    graph_work(g, n)->total = 1900;
    graph_extra(g, n)->busiest = 1000;
    graph_finish(g);
    roofline_fill(&r, &memory, g, NULL);
    const struct roof_point *p = point(&r, "both");
    assert_int_equal(p->total, 1900);
    assert_int_equal(p->elapsed, 1000);
    assert_float_equal(p->flops, 20e9, 1);
    assert_float_equal(p->bytes, 4e9, 1);
    assert_float_equal(p->intensity, 5, 1e-9);
    assert_float_equal(p->distance, 1 - 20.0 / 50, 1e-9);
    arena_free(&memory);
    graph_unref(g);
}
