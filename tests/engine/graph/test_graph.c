/* The execution graph: names, links, limits, sums, references. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_flame.h"
#include "engine/value/histogram.h"
#include "support/test.h"

static uint32_t add(struct graph *g, const char *name, uint32_t parent, uint64_t ns)
{
    return graph_add(g, NODE_BRICK, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN,
                     ns);
}

TEST(the_same_text_is_the_same_name)
{
    enum { NAMES = 5000 };
    struct graph *g = graph_new();
    char text[32];
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(graph_intern(g, text), i);
    }
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(graph_intern(g, text), i);
        assert_string_equal(graph_text(g, i), text);
    }
    assert_int_equal(g->nnames, NAMES);
    assert_string_equal(graph_text(g, GRAPH_NONE), "");
    graph_unref(g);
}

TEST(children_come_in_order_and_later_ones_are_linked_too)
{
    struct graph *g = graph_new();
    uint32_t a = add(g, "a", GRAPH_NONE, 10), b = add(g, "b", a, 4), c = add(g, "c", a, 3);
    graph_finish(g);
    assert_int_equal(g->first_root, a);
    assert_int_equal(g->first_child[a], b);
    assert_int_equal(g->next_sibling[b], c);
    assert_int_equal(g->next_sibling[c], GRAPH_NONE);
    assert_int_equal(graph_self(g, a), 3);
    uint32_t d = add(g, "d", a, 2), e = add(g, "e", GRAPH_NONE, 1);
    graph_finish(g);
    assert_int_equal(g->next_sibling[c], d);
    assert_int_equal(g->next_sibling[a], e);
    assert_int_equal(graph_self(g, a), 1);
    graph_unref(g);
}

TEST(unknown_nodes_are_refused)
{
    struct graph *g = graph_new();
    assert_int_equal(add(g, "a", 0, 1), GRAPH_NONE); /* it would be its own parent */
    uint32_t a = add(g, "a", GRAPH_NONE, 1);
    assert_int_equal(add(g, "b", a + 1, 1), GRAPH_NONE);
    assert_false(graph_connect(g, a, a + 1, EDGE_DEPENDS));
    assert_true(graph_connect(g, a, a, EDGE_DEPENDS));
    assert_int_equal(g->nnodes, 1);
    graph_unref(g);
    graph_unref(NULL);
}

TEST(a_node_with_an_edge_takes_less_than_64_bytes)
{
    enum { NODES = 300000 }; /* not a power of two, so that doubling has allocated too much */
    struct graph *g = graph_new();
    for (uint32_t i = 0; i < NODES; i++) {
        add(g, "x", i ? i / 2 : GRAPH_NONE, i);
        graph_connect(g, i, i / 3, EDGE_DEPENDS);
    }
    graph_finish(g);
    assert_true(graph_memory(g) < 64 * (size_t)NODES);
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(g->duration[i] == i && g->edge_to[i] == i / 3);
    assert_int_equal(add(g, "x", 0, 7), NODES);
    graph_unref(g);
}

TEST(sums_know_mean_deviation_and_quantiles)
{
    struct graph *g = graph_new();
    uint32_t a = add(g, "a", GRAPH_NONE, 6), none = add(g, "none", GRAPH_NONE, 0);
    struct histogram *h = xcalloc(1, sizeof *h);
    for (uint64_t ns = 1; ns <= 3; ns++)
        histogram_count(h, ns);
    struct graph_work *w = graph_work(g, a);
    assert_true(isnan(graph_mean(g, a)));
    *w = (struct graph_work){.count = 3, .total = 6, .min = 1, .max = 3, .sum_squares = 14};
    w->histogram = graph_add_histogram(g, h);
    assert_ptr_equal(graph_work(g, a), w);
    assert_true(graph_mean(g, a) == 2 && graph_deviation(g, a) == 1);
    assert_true(graph_quantile(g, a, 0.5) == 2 && graph_quantile(g, a, 1) == 3);
    assert_true(isnan(graph_mean(g, none)) && isnan(graph_quantile(g, none, 0.5)));
    graph_unref(g);
}

/* Most nodes have none: then all values are 0, and asking does not allocate. */
TEST(rare_members_of_nodes)
{
    struct graph *g = graph_new();
    uint32_t a = add(g, "a", GRAPH_NONE, 6), b = add(g, "b", GRAPH_NONE, 0);
    assert_int_equal(graph_extra_of(g, a)->flops, 0);
    graph_work(g, a)->count = 2;
    assert_int_equal(graph_extra_of(g, a)->budget, 0);
    assert_int_equal(g->nextras, 0);
    graph_extra(g, b)->flops = 7;
    graph_extra(g, a)->flops = 5;
    for (int i = 0; i < 200; i++) /* the array moves */
        graph_extra(g, add(g, "more", GRAPH_NONE, 0))->flops = 1;
    graph_extra(g, a)->bytes = 3;
    assert_int_equal(graph_extra_of(g, a)->flops, 5);
    assert_int_equal(graph_extra_of(g, a)->bytes, 3);
    assert_int_equal(graph_extra_of(g, b)->flops, 7);
    assert_int_equal(graph_work_of(g, a)->count, 2);
    assert_int_equal(graph_work_of(g, b)->count, 0);
    assert_int_equal(graph_work_of(g, b)->histogram, GRAPH_NONE);
    assert_int_equal(g->nextras, 202);
    graph_unref(g);
}

static void *let_go(void *g)
{
    for (int i = 0; i < 10000; i++)
        graph_unref(graph_ref(g));
    graph_unref(g);
    return NULL;
}

TEST(references_are_counted_across_threads)
{
    pthread_t thread[4];
    struct graph *g = graph_new();
    add(g, "a", GRAPH_NONE, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, let_go, graph_ref(g)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert_string_equal(graph_name(g, 0), "a");
    graph_unref(g);
}

TEST(a_flame_graph_draws_each_time_once)
{
    struct graph *g = graph_new();
    uint32_t none = graph_intern(g, "x");
    uint32_t prog = graph_add(g, NODE_PROGRAM, none, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, 10);
    uint32_t thread = graph_add(g, NODE_THREAD, none, prog, EDGE_LAUNCHES, GRAPH_UNKNOWN, 10);
    uint32_t call = graph_add(g, NODE_FUNCTION, none, thread, EDGE_LAUNCHES, GRAPH_UNKNOWN, 10);
    uint32_t launch = graph_add(g, NODE_FUNCTION, none, call, EDGE_CONTAINS, GRAPH_UNKNOWN, 2);
    uint32_t kernel = graph_add(g, NODE_KERNEL, none, launch, EDGE_LAUNCHES, GRAPH_UNKNOWN, 30);
    uint32_t gpu = graph_add(g, NODE_PROGRAM, none, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, 30);
    uint32_t queue = graph_add(g, NODE_QUEUE, none, gpu, EDGE_LAUNCHES, GRAPH_UNKNOWN, 30);
    uint32_t range = graph_add(g, NODE_RANGE, none, queue, EDGE_LAUNCHES, GRAPH_UNKNOWN, 40);
    uint64_t width[8];
    graph_finish(g);
    assert_int_equal(graph_self(g, prog), 0);
    assert_int_equal(graph_self(g, queue), 0);
    assert_int_equal(graph_self(g, range), 0); /* of the work beside it */
    graph_flame(g, width, g->nnodes);
    assert_int_equal(width[kernel], 30);
    assert_int_equal(width[launch], 32);
    assert_int_equal(width[call], 40); /* 8 of its own */
    assert_int_equal(width[prog], 40);
    assert_int_equal(width[gpu], 0);
    graph_unref(g);
}
