/* The time in which any of several threads ran something, and points above their roof. */
#include <stdlib.h>
#include <string.h>

#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_share.h"
#include "support/test.h"

static struct graph *g;
static uint32_t backend;

FIXTURE(begin)
{
    g = graph_new();
    backend = graph_add(g, NODE_BACKEND, graph_intern(g, "avx2"), GRAPH_NONE, EDGE_CONTAINS,
                        GRAPH_UNKNOWN, 9000);
    graph_detail(g, backend)->backend.peak_flops = 100e9; /* the ridge is at 10 FLOP/byte */
    graph_detail(g, backend)->backend.peak_bytes = 10e9;
    graph_detail(g, backend)->backend.how = GRAPH_NONE;
}

FIXTURE(end)
{
    graph_unref(g);
}

/* A place with the sums of all its calls. */
static uint32_t place(const char *name, uint32_t parent, uint64_t total, uint64_t busiest,
                      uint64_t bytes, uint64_t flops)
{
    uint32_t n = graph_add(g, NODE_KERNEL, graph_intern(g, name), parent, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, total);
    struct graph_work *w = graph_work(g, n);
    w->count = 4;
    w->total = total;
    *graph_extra(g, n) = (struct graph_extra){.busiest = busiest, .bytes = bytes, .flops = flops};
    return n;
}

/* Two threads that take turns: the time of the busiest one would be half of the real time. */
TEST_WITH(threads_that_take_turns_are_not_at_once, begin, end)
{
    struct roofline_span spans[] = {
        /* not in order of time */
        {1, 3000, 4000, 1000, 10000},
        {1, 1000, 2000, 1000, 10000},
        {1, 0, 1000, 1000, 10000},
        {1, 2000, 3000, 1000, 10000},
    };
    struct arena memory = {0};
    struct roofline r;
    place("gemv", backend, 4000, 2000, 4000, 40000);
    graph_finish(g);
    roofline_share(g, spans, 4);
    roofline_fill(&r, &memory, g, NULL);
    assert_int_equal(r.points[0].over, OVER_SPANS);
    assert_int_equal(r.points[0].elapsed, 4000);
    assert_float_equal(r.points[0].flops, 10e9, 1);
    assert_float_equal(r.points[0].distance, 0.9, 1e-9);
    arena_free(&memory);
}

/* What runs at the same time counts once, also nested spans, and over several places with the same
 * name; another name has its own time. */
TEST_WITH(time_is_counted_once_over_all_places, begin, end)
{
    uint32_t here = place("gemv", backend, 3000, 3000, 300, 30000);
    uint32_t layer = graph_add(g, NODE_LAYER, graph_intern(g, "Layer 0"), backend, EDGE_CONTAINS,
                               GRAPH_UNKNOWN, 3000);
    uint32_t there = place("gemv", layer, 3000, 0, 300, 30000);
    uint32_t alone = place("add", layer, 500, 500, 50, 50);
    struct roofline_span spans[] = {
        {here, 1000, 4000, 300, 30000},
        {there, 2000, 3000, 100, 10000}, /* nested */
        {there, 3500, 5500, 200, 20000}, /* reaches beyond its end */
        {alone, 1000, 1500, 50, 50},
    };
    struct arena memory = {0};
    struct roofline r;
    graph_finish(g);
    bool *shared = roofline_shared(g);
    assert_true(shared[here] && shared[there]);
    assert_false(shared[alone]);
    free(shared);
    roofline_share(g, spans, 4);
    assert_int_equal(graph_extra_of(g, here)->any + graph_extra_of(g, there)->any, 4500);
    assert_int_equal(graph_extra_of(g, here)->any, 2250); /* half of the calls' time is its own */
    assert_int_equal(graph_extra_of(g, alone)->any, 0);
    roofline_fill(&r, &memory, g, NULL);
    assert_int_equal(r.npoints, 2);
    assert_int_equal(r.points[0].places, 2);
    assert_int_equal(r.points[0].elapsed, 4500);
    assert_int_equal(r.points[0].of_total, 6000);
    assert_float_equal(r.points[0].flops, 60000 / 4.5e-6, 1);
    assert_int_equal(r.points[1].over, OVER_CALLS);
    arena_free(&memory);
}

/* Only the newest spans are known: rates are their work over their time. */
TEST_WITH(rates_are_of_the_spans_that_are_known, begin, end)
{
    uint32_t n = place("gemv", backend, 1000000, 600000, 1000000, 10000000);
    struct roofline_span spans[] = {{n, 10, 1010, 500, 4000}, {n, 510, 2010, 500, 6000}};
    struct arena memory = {0};
    struct roofline r;
    graph_finish(g);
    roofline_share(g, spans, 2);
    roofline_fill(&r, &memory, g, NULL);
    assert_float_equal(r.points[0].flops, 10000 / 2e-6, 1);
    assert_float_equal(r.points[0].intensity, 10, 1e-9);
    assert_int_equal(r.points[0].total, 1000000);
    assert_int_equal(r.points[0].all_flops, 10000000);
    arena_free(&memory);
}

/* If no span is known, the time of the busiest thread is a lower limit, and the text says so. */
TEST_WITH(without_spans_it_is_said, begin, end)
{
    struct arena memory = {0};
    struct roofline r;
    place("gemv", backend, 4000, 2000, 1000, 800000);
    graph_finish(g);
    roofline_share(g, NULL, 0);
    roofline_fill(&r, &memory, g, NULL);
    assert_int_equal(r.points[0].over, OVER_BUSIEST);
    assert_int_equal(r.points[0].elapsed, 2000);
    assert_float_equal(r.points[0].distance, -3, 1e-9); /* 400 of 100 GFLOP/s */
    assert_non_null(strstr(roofline_why_above(&r, &r.points[0]), "did not run at once"));
    arena_free(&memory);
}

static const char *reason(uint64_t bytes, uint64_t flops, uint32_t spread)
{
    static struct arena memory; /* the reason must be a constant, because it outlives this */
    struct roofline r;
    struct graph *all = g;
    graph_detail(g, backend)->backend.spread_flops = spread;
    place("brick", backend, 1000, 1000, bytes, flops);
    graph_finish(g);
    roofline_fill(&r, &memory, g, NULL);
    const char *why = roofline_why_above(&r, &r.points[0]);
    arena_free(&memory);
    graph_unref(all);
    begin(NULL);
    return why;
}

TEST_WITH(a_point_above_its_roof_has_a_reason, begin, end)
{
    assert_null(reason(1000, 100000, 0)); /* at its roof */
    assert_null(reason(1000, 100300, 0)); /* within rounding */
    assert_null(reason(10000, 10000, 0)); /* below */
    assert_non_null(strstr(reason(20000, 20000, 0), "caches"));
    assert_non_null(strstr(reason(1000, 200000, 0), "lower clock"));
    /* a difference of 2 % is normal */
    assert_non_null(strstr(reason(1000, 200000, 20), "lower clock"));
    assert_non_null(strstr(reason(1000, 200000, 90), "lie far apart"));
}
