/* Sums of calls: places, what counts where, and damaged files. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/graph/graph.h"
#include "engine/graph/graph_sum.h"
#include "engine/value/histogram.h"
#include "support/test.h"

#define NO GRAPH_UNKNOWN

static struct graph *calls, *sums;

FIXTURE(set_up)
{
    calls = graph_new();
    sums = graph_new();
}

FIXTURE(tear_down)
{
    graph_unref(calls);
    graph_unref(sums);
}

static uint32_t call(enum node_kind kind, const char *name, uint32_t parent, uint64_t start,
                     uint64_t duration)
{
    return graph_add(calls, kind, graph_intern(calls, name), parent, EDGE_CONTAINS, start,
                     duration);
}

static uint32_t kernel(const char *name, uint32_t queue, uint64_t start, uint64_t duration,
                       uint32_t blocks)
{
    uint32_t v = call(NODE_KERNEL, name, queue, start, duration);
    graph_detail(calls, v)->kernel.grid[0] = blocks;
    return v;
}

static void sum_up(void)
{
    graph_finish(calls);
    graph_sum(sums, calls, 0, calls->nnodes, NULL);
    graph_finish(sums);
}

/* "prog/main/step" */
static uint32_t place(const char *path)
{
    char name[128];
    uint32_t at = GRAPH_NONE;
    for (const char *p = path; *p; p += strcspn(p, "/"), p += *p == '/') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, "/"), p);
        uint32_t c = at == GRAPH_NONE ? sums->first_root : sums->first_child[at];
        while (c != GRAPH_NONE && strcmp(graph_name(sums, c), name) != 0)
            c = sums->next_sibling[c];
        if (c == GRAPH_NONE)
            fail_msg("no %s of %s", name, path);
        at = c;
    }
    return at;
}

static const struct graph_work *work(const char *path)
{
    uint32_t at = place(path);
    assert_non_null(graph_work_of(sums, at));
    return graph_work_of(sums, at);
}

/* Places with one call know their quantiles without a histogram, so many of them do not use up the
 * room for histograms. */
TEST_WITH(one_call_is_its_own_quantile, set_up, tear_down)
{
    enum { PLACES = 20000 };
    char name[16];
    uint32_t prog = call(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t main_thread = call(NODE_THREAD, "main", prog, NO, NO);
    for (uint32_t i = 0; i < PLACES; i++) {
        snprintf(name, sizeof name, "op%u", i);
        call(NODE_FUNCTION, name, main_thread, i, 1000 + i);
    }
    call(NODE_FUNCTION, "unknown", main_thread, 7, NO);
    call(NODE_FUNCTION, "op19999", main_thread, 7, 4000000);
    call(NODE_FUNCTION, "op7", main_thread, 7, NO);
    sum_up();
    assert_int_equal(sums->nhistograms, 2);
    for (uint32_t v = 0; v < sums->nnodes; v++) {
        const struct graph_work *w = graph_work_of(sums, v);
        if (!w || w->count != 1 || strcmp(graph_name(sums, v), "unknown") == 0)
            continue;
        assert_int_equal(w->histogram, GRAPH_NONE);
        assert_float_equal(graph_quantile(sums, v, 0.5), w->total, 0);
        assert_float_equal(graph_quantile(sums, v, 0.99), w->total, 0);
    }
    assert_true(isnan(graph_quantile(sums, place("prog/main/unknown"), 0.5)));
    assert_float_equal(graph_quantile(sums, place("prog/main/op7"), 0.5), 1007, 0);
    uint32_t twice = place("prog/main/op19999");
    assert_float_equal(graph_quantile(sums, twice, 0.5), 20999, 20999.0 / 32);
    assert_float_equal(graph_quantile(sums, twice, 0.99), 4000000, 4000000.0 / 32);
}

TEST_WITH(device_work_stands_below_its_launch, set_up, tear_down)
{
    uint32_t prog = call(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t queue = call(NODE_QUEUE, "queue", prog, NO, NO);
    uint32_t a = kernel("k", queue, 20, 100, 7), b = kernel("k", queue, 130, 50, 7);
    uint32_t c = kernel("k", queue, 200, 10, 8); /* another shape */
    uint32_t alone = kernel("alone", queue, 300, 5, 1);
    uint32_t main_thread = call(NODE_THREAD, "main", prog, NO, NO);
    for (int i = 0; i < 3; i++) { /* it comes later in the file than what it launched */
        uint32_t op = call(NODE_FUNCTION, "op", main_thread, (uint64_t)i * 40, 30);
        uint32_t launch = call(NODE_FUNCTION, "launch", op, (uint64_t)i * 40 + 5, 10);
        graph_connect(calls, launch, i == 0 ? a : i == 1 ? b : c, EDGE_LAUNCHES);
    }
    (void)alone;
    sum_up();
    assert_int_equal(work("prog/main/op")->count, 3);
    assert_int_equal(work("prog/main/op")->total, 90);
    assert_int_equal(work("prog/main/op/launch")->total, 30);
    const struct graph_work *k = work("prog/main/op/launch/k"); /* the first shape */
    assert_int_equal(k->count, 2);
    assert_int_equal(k->total, 150);
    assert_int_equal(k->min, 50);
    assert_int_equal(k->max, 100);
    assert_true(k->sum_squares == 100.0 * 100 + 50.0 * 50);
    const struct histogram *h = sums->histograms[k->histogram];
    assert_int_equal(h->total, 2);
    assert_true(fabs(histogram_quantile(h, 1) - 100) <= 4);
    assert_true(fabs(histogram_quantile(h, 0.25) - 50) <= 2);
    uint32_t at = place("prog/main/op/launch/k");
    assert_int_equal(sums->via[at], EDGE_LAUNCHES);
    assert_int_equal(sums->details[sums->detail[at]].kernel.grid[0], 7);
    assert_int_equal(graph_self(sums, place("prog/main/op/launch")), 30);
    assert_float_equal(graph_mean(sums, at), 75, 0);
    assert_true(sums->next_sibling[at] != GRAPH_NONE); /* the other shape has a place of its own */
    assert_int_equal(work("prog/queue/alone")->total, 5);
    /* a lane has the sum of what ran in it; the program has that of all lanes */
    assert_int_equal(sums->duration[place("prog/queue")], 165);
    assert_int_equal(sums->duration[place("prog/main")], 90);
    assert_int_equal(sums->duration[place("prog")], 255);
}

TEST_WITH(lanes_of_one_name_are_told_apart_by_number, set_up, tear_down)
{
    uint32_t prog = call(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    for (int i = 0; i < 4; i++) {
        uint32_t t = call(NODE_THREAD, "worker", prog, NO, NO);
        graph_detail(calls, t)->thread.id = i % 2;
        call(NODE_FUNCTION, "f", t, 0, 10);
    }
    sum_up();
    assert_int_equal(sums->nnodes, 1 + 2 + 2);
}

TEST_WITH(transfers_add_their_bytes, set_up, tear_down)
{
    uint32_t queue = call(NODE_QUEUE, "copies", GRAPH_NONE, NO, NO);
    for (int i = 0; i < 3; i++) {
        uint32_t v = call(NODE_TRANSFER, "H2D", queue, (uint64_t)i * 10, 5);
        graph_detail(calls, v)->transfer.bytes = 1000;
        graph_detail(calls, v)->transfer.from = graph_intern(calls, "host");
        graph_detail(calls, v)->transfer.to = GRAPH_NONE;
    }
    sum_up();
    uint32_t at = place("copies/H2D");
    const struct graph_detail *d = &sums->details[sums->detail[at]];
    assert_int_equal(d->transfer.bytes, 3000);
    assert_string_equal(graph_text(sums, d->transfer.from), "host");
    assert_int_equal(d->transfer.to, GRAPH_NONE);
    assert_int_equal(graph_extra_of(sums, place("copies/H2D"))->bytes, 3000);
}

TEST_WITH(what_launched_itself_is_a_root, set_up, tear_down)
{
    uint32_t queue = call(NODE_QUEUE, "q", GRAPH_NONE, NO, NO);
    uint32_t a = kernel("a", queue, 0, 1, 1), b = kernel("b", queue, 0, 1, 1);
    graph_connect(calls, a, a, EDGE_LAUNCHES);
    graph_connect(calls, b, a, EDGE_LAUNCHES);
    graph_connect(calls, a, b, EDGE_LAUNCHES);
    uint32_t c = kernel("unknown length", queue, 5, NO, 1);
    (void)c;
    sum_up();
    assert_int_equal(sums->nnodes, 4);
    assert_int_equal(work("q/unknown length")->count, 1);
    assert_int_equal(work("q/unknown length")->total, 0);
}

/* Many places: the table grows; a second sum adds to the same graph. */
TEST_WITH(many_places_and_two_files, set_up, tear_down)
{
    enum { NAMES = 3000 };
    char name[32];
    uint32_t t = call(NODE_THREAD, "main", GRAPH_NONE, NO, NO);
    for (uint64_t i = 0; i < 2 * NAMES; i++) {
        snprintf(name, sizeof name, "f%u", (unsigned)(i % NAMES));
        call(NODE_FUNCTION, name, t, i * 10, i % NAMES);
    }
    uint32_t end = calls->nnodes;
    call(NODE_FUNCTION, "f7", call(NODE_THREAD, "main", GRAPH_NONE, NO, NO), 0, 1);
    graph_finish(calls);
    graph_sum(sums, calls, 0, end, NULL);
    graph_sum(sums, calls, end, calls->nnodes, NULL);
    graph_finish(sums);
    assert_int_equal(sums->nnodes, 1 + NAMES + 2);
    assert_int_equal(work("main/f2999")->total, 2 * 2999);
    assert_int_equal(work("main/f2999")->count, 2);
}

static void from(uint32_t v, const char *callers)
{
    graph_detail(calls, v)->function.file = GRAPH_NONE;
    graph_detail(calls, v)->function.callers = 1 + graph_intern(calls, callers);
}

/* The functions around a call are places with its time; calls without them stay where they are. */
TEST_WITH(functions_around_calls_are_places, set_up, tear_down)
{
    uint32_t prog = call(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t t = call(NODE_THREAD, "thread", prog, NO, NO);
    from(call(NODE_FUNCTION, "read", t, 0, 10), "main\nload");
    from(call(NODE_FUNCTION, "read", t, 20, 30), "main\nload");
    from(call(NODE_FUNCTION, "write", t, 60, 5), "main\nload");
    from(call(NODE_FUNCTION, "read", t, 70, 7), "main\nread"); /* a function of that name */
    call(NODE_FUNCTION, "read", t, 80, 100);
    call(NODE_FUNCTION, "main", t, 90, 1000); /* a call of that name */
    sum_up();
    assert_int_equal(sums->duration[place("prog/thread")], 1152);
    assert_int_equal(work("prog/thread/main/load")->total, 45);
    assert_int_equal(work("prog/thread/main/load")->count, 3);
    assert_int_equal(work("prog/thread/main/load/read")->total, 40);
    assert_int_equal(work("prog/thread/main/load/read")->count, 2);
    assert_int_equal(work("prog/thread/main/load/write")->total, 5);
    assert_int_equal(work("prog/thread/main/read/read")->total, 7);
    assert_int_equal(work("prog/thread/read")->total, 100);
    assert_int_equal(graph_self(sums, place("prog/thread/main/load")), 0);
    uint32_t around = place("prog/thread/main"), own = sums->next_sibling[around];
    while (own != GRAPH_NONE && strcmp(graph_name(sums, own), "main") != 0)
        own = sums->next_sibling[own];
    assert_int_not_equal(own, GRAPH_NONE);
    assert_int_equal(sums->duration[around] + sums->duration[own], 52 + 1000);
    assert_int_equal(sums->nnodes, 10);
}
