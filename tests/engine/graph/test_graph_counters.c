/* Counts of nodes: rates between two events, sums of places, reasons. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/graph/graph_counters.h"
#include "support/test.h"

static struct graph *with_nodes(uint32_t n)
{
    struct graph *g = graph_new();
    for (uint32_t i = 0; i < n; i++)
        graph_add(g, NODE_BRICK, graph_intern(g, "b"), GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN,
                  100);
    return g;
}

static void set(struct graph *g, uint32_t node, const char *event, double v)
{
    struct graph_counts *c = graph_add_counts(g, node);
    c->calls = 2;
    c->enabled = c->running = 100;
    c->value[graph_counter(g, event, "")] = v;
}

/* CPUs that need several events for one number: each counts so many times. */
TEST(parts_are_summed_by_their_weight)
{
    struct graph *g = with_nodes(3);
    assert_false(graph_counter_asked(g->counters, "flops"));
    set(g, 0, "flops*1:u", 10);
    set(g, 0, "flops*16_fp_512s:u", 2);
    set(g, 0, "flopsy*3", 5000);
    set(g, 0, "flops*x", 5000);
    assert_true(graph_counter_asked(g->counters, "flops"));
    assert_false(graph_counter_asked(g->counters, "bytes"));
    assert_true(graph_counted(g->counters, graph_counts_of(g, 0), "flops") == 42);
    set(g, 1, "flops*1:u", 10); /* a part alone is no sum */
    assert_true(isnan(graph_counted(g->counters, graph_counts_of(g, 1), "flops")));
    assert_true(isnan(graph_counted(g->counters, graph_counts_of(g, 0), "bytes")));
    set(g, 2, "flops", 7); /* the event itself goes first */
    assert_true(graph_counted(g->counters, graph_counts_of(g, 2), "flops") == 7);
    graph_unref(g);
}

TEST(rates_are_of_the_events_that_were_asked_for)
{
    struct graph *g = with_nodes(2);
    assert_false(graph_rate_asked(g->counters, GRAPH_IPC));
    assert_null(graph_counts_of(g, 0));
    graph_counter(g, "cycles", "");
    set(g, 0, "cycles", 200);
    set(g, 0, "instructions", 500);
    set(g, 0, "LLC-loads:u", 1000);
    set(g, 0, "LLC-load-misses:u", 30);
    set(g, 0, "branch-misses:k", 3);
    set(g, 0, "branches:u", 100); /* other modes: their ratio says nothing */
    const struct graph_counts *c = graph_counts_of(g, 0);
    assert_true(graph_rate(g->counters, c, GRAPH_IPC) == 2.5);
    assert_true(fabs(graph_rate(g->counters, c, GRAPH_MISSES) - 3) < 1e-9);
    assert_true(isnan(graph_rate(g->counters, c, GRAPH_MISPREDICTS)));
    assert_true(graph_rate_asked(g->counters, GRAPH_MISSES));
    assert_false(graph_rate_asked(g->counters, GRAPH_MISPREDICTS));
    assert_true(graph_counted(g->counters, c, "LLC-loads") == 1000);
    assert_true(isnan(graph_counted(g->counters, c, "LLC")));
    assert_null(graph_counts_of(g, 1));
    assert_true(isnan(graph_rate(g->counters, NULL, GRAPH_IPC)));
    graph_unref(g);
}

TEST(what_was_not_counted_is_never_zero)
{
    struct graph *g = with_nodes(1);
    graph_counter(g, "cycles", "no PMU");
    set(g, 0, "page-faults", 7);
    set(g, 0, "instructions", 9);
    const struct graph_counts *c = graph_counts_of(g, 0);
    char text[64];
    assert_true(isnan(graph_rate(g->counters, c, GRAPH_IPC)));
    assert_true(graph_rate_asked(g->counters, GRAPH_IPC));
    assert_string_equal(g->counters->list[0].why, "no PMU");
    assert_string_equal(graph_counts_text(g->counters, c, text, sizeof text),
                        "page-faults=7 instructions=9");
    assert_string_equal(graph_counts_text(g->counters, c, text, 16), "page-faults=7");
    /* no cycle passed: no ratio */
    g->counters->counts[0].value[0] = 0;
    assert_true(isnan(graph_rate(g->counters, c, GRAPH_IPC)));
    graph_unref(g);
}

TEST(places_add_up)
{
    struct graph *g = with_nodes(3);
    set(g, 0, "a", 10);
    set(g, 2, "a", 5);
    set(g, 2, "b", 1);
    struct graph_counts sum;
    graph_counts_clear(&sum);
    assert_true(isnan(graph_counts_share(&sum)));
    graph_counts_add(&sum, graph_counts_of(g, 0));
    assert_true(isnan(sum.value[1]));
    graph_counts_add(&sum, graph_counts_of(g, 2));
    assert_int_equal(sum.calls, 4);
    assert_true(sum.value[0] == 15 && sum.value[1] == 1);
    assert_true(graph_counts_share(&sum) == 1);
    sum.running = 50;
    assert_true(graph_counts_share(&sum) == 0.25);
    graph_unref(g);
}

TEST(there_is_room_for_sixteen)
{
    struct graph *g = with_nodes(1);
    char name[8];
    for (int i = 0; i < GRAPH_COUNTERS_MAX; i++) {
        snprintf(name, sizeof name, "e%d", i);
        assert_int_equal(graph_counter(g, name, ""), i);
    }
    assert_int_equal(graph_counter(g, "more", ""), GRAPH_NONE);
    assert_int_equal(graph_counter(g, "e3", "late"), 3);
    assert_string_equal(g->counters->list[3].why, "late");
    graph_unref(g);
}
