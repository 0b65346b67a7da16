/* Infers the order of work in a profile, and finds the critical path. */
#include <stdlib.h>
#include <string.h>

#include "engine/graph/execution.h"
#include "engine/path/critical_path.h"
#include "support/test.h"

#define NO GRAPH_UNKNOWN

static struct graph *g;
static uint32_t host, queue, other;

static uint32_t add(enum node_kind kind, const char *name, uint32_t parent, uint64_t start,
                    uint64_t duration)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, duration);
}

FIXTURE(set_up)
{
    g = graph_new();
    uint32_t prog = add(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    host = graph_add(g, NODE_THREAD, graph_intern(g, "main"), prog, EDGE_LAUNCHES, NO, NO);
    queue = graph_add(g, NODE_QUEUE, graph_intern(g, "queue"), prog, EDGE_LAUNCHES, NO, NO);
    other = graph_add(g, NODE_QUEUE, graph_intern(g, "other"), prog, EDGE_LAUNCHES, NO, NO);
}

FIXTURE(tear_down)
{
    graph_unref(g);
}

static bool has_edge(uint32_t from, uint32_t to, enum edge_kind kind)
{
    for (uint32_t e = 0; e < g->nedges; e++)
        if (g->edge_from[e] == from && g->edge_to[e] == to && g->edge_kind[e] == kind)
            return true;
    return false;
}

static void find_waits(void)
{
    uint32_t n, *work = execution_device_work(g, 0, g->nnodes, &n);
    execution_waits(g, 0, g->nnodes, work, n);
    free(work);
}

static struct critical_path find(void)
{
    struct critical_path p;
    execution_sequence(g, 0, g->nnodes);
    find_waits();
    graph_finish(g);
    assert_int_equal(critical_path_find(g, &p, NULL), 0);
    return p;
}

TEST_WITH(names_of_runtimes, set_up, tear_down)
{
    assert_true(execution_is_sync("hipStreamSynchronize"));
    assert_true(execution_is_sync("cudaDeviceSynchronize_v3020"));
    assert_true(execution_is_sync("cuCtxSynchronize"));
    assert_true(execution_is_sync("hsa_signal_wait_scacquire"));
    assert_false(execution_is_sync("hipLaunchKernel"));
    assert_true(execution_is_copy("hipMemcpyWithStream"));
    assert_true(execution_is_copy("cudaMemcpyAsync"));
    assert_false(execution_is_copy("memset"));
    assert_true(execution_is_sleep("<built-in function sleep>"));
    assert_true(execution_is_sleep("nanosleep"));
    assert_false(execution_is_sleep("threading.py(655): wait"));
    assert_true(execution_is_wait("threading.py(655): wait"));
    assert_true(execution_is_wait("/usr/lib/python3.11/queue.py(154): get"));
    assert_true(execution_is_wait("<built-in method acquire of _thread.lock object at 0x7f00>"));
    assert_true(execution_is_wait("<built-in function sleep>"));
    assert_false(execution_is_wait("<built-in function sleeper>"));
    assert_false(execution_is_wait("myqueue.py(154): get"));
    assert_false(execution_is_wait("threading.py(655): run"));
}

TEST_WITH(neighbours_whatever_the_order_of_the_file, set_up, tear_down)
{
    uint32_t c = add(NODE_KERNEL, "c", queue, 50, 10), a = add(NODE_KERNEL, "a", queue, 0, 20);
    uint32_t b = add(NODE_KERNEL, "b", queue, 10, 20); /* overlaps a */
    uint32_t f = add(NODE_FUNCTION, "f", host, 0, 100), in = add(NODE_FUNCTION, "in", f, 5, 5);
    execution_sequence(g, 0, g->nnodes);
    assert_true(has_edge(b, c, EDGE_SEQUENCE));
    assert_false(has_edge(a, b, EDGE_SEQUENCE));
    assert_false(has_edge(a, c, EDGE_SEQUENCE)); /* b came after it */
    assert_int_equal(g->nedges, 1);
    (void)in;
}

/*
 *  host   launch(0..10) launch(10..20)  work in no span  synchronize(60..212)      free(220..225),
 * us queue              k1 (15..115) k2 (120..210)
 */
TEST_WITH(through_host_and_device, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t l1 = add(NODE_FUNCTION, "hipLaunchKernel", host, 0, 10 * US);
    uint32_t l2 = add(NODE_FUNCTION, "hipLaunchKernel", host, 10 * US, 10 * US);
    uint32_t sync = add(NODE_FUNCTION, "hipDeviceSynchronize", host, 60 * US, 152 * US);
    uint32_t last = add(NODE_FUNCTION, "hipFree", host, 220 * US, 5 * US);
    uint32_t k1 = add(NODE_KERNEL, "k1", queue, 15 * US, 100 * US),
             k2 = add(NODE_KERNEL, "k2", queue, 120 * US, 90 * US);
    uint32_t beside = add(NODE_KERNEL, "beside", other, 30 * US, 50 * US);
    graph_connect(g, l1, k1, EDGE_LAUNCHES);
    graph_connect(g, l2, k2, EDGE_LAUNCHES);
    graph_connect(g, l2, beside, EDGE_LAUNCHES);
    struct critical_path p = find();
    assert_true(has_edge(k2, sync, EDGE_JOINS));
    /* launch latency 15, k1 100, 5 until k2, k2 90, sync's end 2, host 8, free 5 */
    static const uint64_t want[] = {15, 100, 5, 90, 2, 8, 5};
    uint32_t nodes[] = {l1, k1, l2, k2, sync, host, last};
    assert_int_equal(p.length, 225 * US);
    assert_int_equal(p.nsteps, 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(p.steps[i].node, nodes[i]);
        assert_int_equal(p.steps[i].length, want[i] * US);
        assert_int_equal(p.steps[i].latency, i == 0 || i == 2);
    }
    assert_int_equal(p.slack[k1], 0);
    assert_true(p.slack[beside] > 0);
    critical_path_free(&p);
}

/* A queue that waits for its next launch does nothing: then the host, which launches late, is on
 * the path. */
TEST_WITH(an_idle_queue_is_nobodys_work, set_up, tear_down)
{
    uint32_t l1 = add(NODE_FUNCTION, "launch", host, 0, 5);
    uint32_t slow = add(NODE_FUNCTION, "prepare", host, 5, 500);
    uint32_t l2 = add(NODE_FUNCTION, "launch", host, 505, 5);
    uint32_t k1 = add(NODE_KERNEL, "k", queue, 3, 10), k2 = add(NODE_KERNEL, "k", queue, 512, 10);
    graph_connect(g, l1, k1, EDGE_LAUNCHES);
    graph_connect(g, l2, k2, EDGE_LAUNCHES);
    struct critical_path p = find();
    assert_int_equal(p.length, 522);
    assert_int_equal(p.slack[slow], 0);
    assert_int_equal(p.slack[k1], 499); /* launches take their time beside a busy queue */
    critical_path_free(&p);
}

TEST_WITH(a_blocking_copy_waits_for_its_own, set_up, tear_down)
{
    uint32_t call = add(NODE_FUNCTION, "cudaMemcpy", host, 0, 100);
    uint32_t copy = add(NODE_TRANSFER, "H2D", queue, 20, 70);
    uint32_t async = add(NODE_FUNCTION, "cudaMemcpyAsync", host, 100, 5);
    uint32_t later = add(NODE_TRANSFER, "D2H", queue, 101, 2);
    graph_connect(g, call, copy, EDGE_LAUNCHES);
    graph_connect(g, async, later, EDGE_LAUNCHES);
    struct critical_path p = find();
    assert_true(has_edge(copy, call, EDGE_JOINS));
    assert_true(has_edge(later, async, EDGE_JOINS)); /* the copy had ended when it returned */
    assert_int_equal(p.length, 105);
    critical_path_free(&p);
}

TEST_WITH(work_of_other_programs_is_not_waited_for, set_up, tear_down)
{
    uint32_t foreign = add(NODE_PROGRAM, "foreign", GRAPH_NONE, NO, NO);
    uint32_t theirs = add(NODE_QUEUE, "theirs", foreign, NO, NO);
    uint32_t mine = add(NODE_KERNEL, "mine", queue, 0, 50);
    uint32_t not_mine = add(NODE_KERNEL, "not mine", theirs, 0, 90);
    uint32_t early = add(NODE_FUNCTION, "cudaStreamSynchronize", host, 60, 5);
    uint32_t sync = add(NODE_FUNCTION, "cudaStreamSynchronize", host, 10, 45);
    find_waits();
    assert_true(has_edge(mine, sync, EDGE_JOINS));
    assert_true(has_edge(mine, early, EDGE_JOINS)); /* it had ended already */
    assert_int_equal(g->nedges, 2);
    (void)not_mine;
}

/* Work that ended at the same time as the wait for it, and work that ended when the wait began. */
TEST_WITH(a_wait_may_end_with_its_work, set_up, tear_down)
{
    uint32_t first = add(NODE_KERNEL, "first", queue, 0, 50);
    uint32_t second = add(NODE_KERNEL, "second", queue, 60, 40);
    uint32_t a = add(NODE_FUNCTION, "hipStreamSynchronize", host, 20, 30);
    uint32_t b = add(NODE_FUNCTION, "hipStreamSynchronize", host, 100, 5);
    find_waits();
    assert_true(has_edge(first, a, EDGE_JOINS));
    assert_true(has_edge(second, b, EDGE_JOINS));
}

/* A call for one of two streams: what ended during the call, or what was launched last. */
TEST_WITH(a_stream_is_waited_for_alone, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t la = add(NODE_FUNCTION, "cudaLaunchKernel", host, 0, 5 * US);
    uint32_t lb = add(NODE_FUNCTION, "cudaLaunchKernel", host, 5 * US, 5 * US);
    uint32_t waits = add(NODE_FUNCTION, "cudaStreamSynchronize", host, 20 * US, 35 * US);
    uint32_t returns = add(NODE_FUNCTION, "cudaStreamSynchronize", host, 60 * US, US);
    uint32_t a = add(NODE_KERNEL, "a", queue, 10 * US, 42 * US);
    uint32_t b = add(NODE_KERNEL, "b", other, 12 * US, 20 * US);
    graph_connect(g, la, a, EDGE_LAUNCHES);
    graph_connect(g, lb, b, EDGE_LAUNCHES);
    find_waits();
    assert_true(has_edge(a, waits, EDGE_JOINS));
    assert_false(has_edge(b, waits, EDGE_JOINS));
    assert_true(has_edge(b, returns, EDGE_JOINS));
    assert_false(has_edge(a, returns, EDGE_JOINS));
}

/* Two threads with a stream each: what ended last during the call is not what the call is for. */
TEST_WITH(a_thread_waits_for_a_stream_that_it_launches_on, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t second = add(NODE_THREAD, "second", g->parent[host], NO, NO);
    uint32_t la = add(NODE_FUNCTION, "cudaLaunchKernel", host, 0, 5 * US);
    uint32_t lb = add(NODE_FUNCTION, "cudaLaunchKernel", second, 0, 5 * US);
    uint32_t waits = add(NODE_FUNCTION, "cudaStreamSynchronize", host, 20 * US, 35 * US);
    uint32_t a = add(NODE_KERNEL, "a", queue, 10 * US, 40 * US);
    uint32_t b = add(NODE_KERNEL, "b", other, 12 * US, 42 * US);
    graph_connect(g, la, a, EDGE_LAUNCHES);
    graph_connect(g, lb, b, EDGE_LAUNCHES);
    find_waits();
    assert_true(has_edge(a, waits, EDGE_JOINS));
    assert_false(has_edge(b, waits, EDGE_JOINS));
}

/* An unexplained start does not depend on the work of another program. */
TEST_WITH(another_programs_end_explains_no_start, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t foreign = add(NODE_PROGRAM, "foreign", GRAPH_NONE, NO, NO);
    uint32_t theirs = add(NODE_QUEUE, "theirs", foreign, NO, NO);
    uint32_t launch = add(NODE_FUNCTION, "hipLaunchKernel", host, 0, 5 * US);
    uint32_t ended = add(NODE_KERNEL, "theirs", theirs, 0, 100 * US);
    uint32_t mine = add(NODE_KERNEL, "mine", queue, 101 * US, 10 * US);
    graph_connect(g, launch, mine, EDGE_LAUNCHES);
    struct critical_path p = find();
    assert_false(has_edge(ended, mine, EDGE_INFERRED));
    critical_path_free(&p);
}

/*
 *  queue   a (0..50ms)    c (50.004..60): launched at 0, in another queue b ended as it began
 *  other        b (10..50)
 */
TEST_WITH(a_start_that_nothing_explains_is_inferred, set_up, tear_down)
{
    enum { US = 1000, MS = 1000000 };
    uint32_t la = add(NODE_FUNCTION, "hipLaunchKernel", host, 0, 5 * US);
    uint32_t lb = add(NODE_FUNCTION, "hipLaunchKernel", host, 5 * US, 5 * US);
    uint32_t lc = add(NODE_FUNCTION, "hipLaunchKernel", host, 10 * US, 5 * US);
    uint32_t a = add(NODE_KERNEL, "a", queue, 8 * US, 20 * MS);
    uint32_t b = add(NODE_KERNEL, "b", other, 15 * US, 50 * MS);
    uint32_t c = add(NODE_KERNEL, "c", queue, 50 * MS + 19 * US, 10 * MS);
    graph_connect(g, la, a, EDGE_LAUNCHES);
    graph_connect(g, lb, b, EDGE_LAUNCHES);
    graph_connect(g, lc, c, EDGE_LAUNCHES);
    struct critical_path p = find();
    assert_true(has_edge(a, c, EDGE_SEQUENCE));
    assert_true(has_edge(b, c, EDGE_INFERRED));
    assert_false(has_edge(a, b, EDGE_INFERRED));
    /* launch of b 10 us, b, 4 us of latency, c */
    assert_int_equal(p.length, 60 * MS + 19 * US);
    const struct critical_step *last = &p.steps[p.nsteps - 1];
    assert_true(last[-2].node == b && !last[-2].inferred && last[-2].length == 50 * MS);
    assert_true(last[-1].node == lc && last[-1].latency && last[-1].length == 4 * US);
    assert_true(last->node == c && last->inferred);
    critical_path_free(&p);
}

/*
 * An event of `queue` is recorded, and `other` waits for it: what is launched there next came after
 * what was launched on `queue` last. c does not, because no call made its queue wait.
 */
TEST_WITH(a_wait_for_an_event_holds_the_next_launch, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t la = add(NODE_FUNCTION, "cudaLaunchKernel", host, 0, 5 * US);
    add(NODE_FUNCTION, "cudaEventRecord", host, 10 * US, US);
    add(NODE_FUNCTION, "cudaStreamWaitEvent", host, 12 * US, US);
    uint32_t lb = add(NODE_FUNCTION, "cudaLaunchKernel", host, 20 * US, 5 * US);
    uint32_t lc = add(NODE_FUNCTION, "cudaLaunchKernel", host, 30 * US, 5 * US);
    uint32_t a = add(NODE_KERNEL, "a", queue, 8 * US, 20 * US);
    uint32_t b = add(NODE_KERNEL, "b", other, 90 * US, 10 * US);
    uint32_t c = add(NODE_KERNEL, "c", other, 110 * US, 10 * US);
    graph_connect(g, la, a, EDGE_LAUNCHES);
    graph_connect(g, lb, b, EDGE_LAUNCHES);
    graph_connect(g, lc, c, EDGE_LAUNCHES);
    find_waits();
    assert_true(has_edge(a, b, EDGE_INFERRED));
    assert_false(has_edge(a, c, EDGE_INFERRED));
}

/* Kineto of ROCm tells waits for events, but no records: each is of what was launched last. */
TEST_WITH(a_wait_without_records_is_for_what_was_launched_last, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t la = add(NODE_FUNCTION, "hipLaunchKernel", host, 0, 5 * US);
    add(NODE_FUNCTION, "hipStreamWaitEvent", host, 12 * US, US);
    uint32_t lb = add(NODE_FUNCTION, "hipExtLaunchKernel", host, 20 * US, 5 * US);
    add(NODE_FUNCTION, "hipStreamWaitEvent", host, 26 * US, US);
    uint32_t lc = add(NODE_FUNCTION, "hipMemcpyAsync", host, 30 * US, 5 * US);
    uint32_t a = add(NODE_KERNEL, "a", queue, 8 * US, 20 * US);
    uint32_t b = add(NODE_KERNEL, "ncclDevKernel_Generic", other, 60 * US, 900 * US);
    uint32_t c = add(NODE_TRANSFER, "c", queue, 978 * US, 10 * US);
    graph_connect(g, la, a, EDGE_LAUNCHES);
    graph_connect(g, lb, b, EDGE_LAUNCHES);
    graph_connect(g, lc, c, EDGE_LAUNCHES);
    find_waits();
    assert_true(has_edge(a, b, EDGE_INFERRED));
    assert_true(has_edge(b, c, EDGE_INFERRED));
}

/* Signals between queues take up to 20 us. After 8 ms an end 17 us before is no chance; after 100
 * us it may be. */
TEST_WITH(an_end_is_close_by_how_long_a_queue_was_idle, set_up, tear_down)
{
    enum { US = 1000, MS = 1000000 };
    for (int close = 0; close < 2; close++) {
        if (close) {
            tear_down(state);
            set_up(state);
        }
        const uint64_t idle = close ? 8 * MS : 100 * US;
        add(NODE_KERNEL, "a", queue, 0, 10 * US);
        uint32_t b = add(NODE_KERNEL, "b", other, 5 * US, idle - 12 * US);
        uint32_t c = add(NODE_TRANSFER, "c", queue, 10 * US + idle, 10 * US);
        find_waits();
        assert_int_equal(has_edge(b, c, EDGE_INFERRED), close);
    }
}

/* The first work of a queue, launched before the profile, may begin late without having waited:
 * no end shortly before it is taken for its cause. */
TEST_WITH(first_work_without_a_launch_is_not_known_to_have_waited, set_up, tear_down)
{
    enum { US = 1000, MS = 1000000 };
    uint32_t b = add(NODE_KERNEL, "b", other, 5 * US, 8 * MS - 2 * US);
    uint32_t c = add(NODE_KERNEL, "c", queue, 8 * MS + 10 * US, 10 * US);
    find_waits();
    assert_false(has_edge(b, c, EDGE_INFERRED));
}

/* Where dependencies between queues are known, and where the times contradict, nothing is added. */
TEST_WITH(known_dependencies_leave_no_guess, set_up, tear_down)
{
    enum { US = 1000 };
    for (int known = 0; known < 2; known++) {
        if (known) {
            tear_down(state);
            set_up(state);
        }
        uint32_t la = add(NODE_FUNCTION, "cudaLaunchKernel", host, 0, 5 * US);
        add(NODE_FUNCTION, "cudaEventRecord", host, 10 * US, US);
        add(NODE_FUNCTION, "cudaStreamWaitEvent", host, 12 * US, US);
        uint32_t lb = add(NODE_FUNCTION, "cudaLaunchKernel", host, 20 * US, 5 * US);
        uint32_t a = add(NODE_KERNEL, "a", queue, 8 * US, known ? 20 * US : 100 * US);
        uint32_t b = add(NODE_KERNEL, "b", other, 90 * US, 40 * US);
        uint32_t c = add(NODE_KERNEL, "c", queue, 130 * US, 10 * US);
        graph_connect(g, la, a, EDGE_LAUNCHES);
        graph_connect(g, lb, b, EDGE_LAUNCHES);
        if (known)
            graph_connect(g, b, c, EDGE_DEPENDS);
        find_waits();
        assert_false(has_edge(a, b, EDGE_INFERRED));
    }
}

TEST_WITH(explained_starts_get_no_inferred_edge, set_up, tear_down)
{
    enum { US = 1000 };
    uint32_t late = add(NODE_FUNCTION, "hipLaunchKernel", host, 95 * US, 4 * US);
    uint32_t b = add(NODE_KERNEL, "b", other, 0, 100 * US);
    uint32_t c = add(NODE_KERNEL, "c", queue, 101 * US, 10 * US);    /* right after its launch */
    uint32_t first = add(NODE_KERNEL, "d", queue, 131 * US, 5 * US); /* "e" ended then */
    uint32_t far = add(NODE_KERNEL, "e", other, 124 * US, 5 * US);   /* nor for this one */
    graph_connect(g, late, c, EDGE_LAUNCHES);
    struct critical_path p = find();
    for (uint32_t e = 0; e < g->nedges; e++)
        assert_false(g->edge_kind[e] == EDGE_INFERRED && g->edge_to[e] != first);
    assert_true(has_edge(far, first, EDGE_INFERRED)); /* 20 us after its own queue's work */
    (void)b;
    critical_path_free(&p);
}

/*
 *  queue   a1 (0..10) a2 (12..22) a3 (24..34)
 *          b1 (5..17)      b2 (19..29)          no two of which leave room between them
 */
TEST_WITH(overlap_in_a_queue_is_in_order_of_begin, set_up, tear_down)
{
    uint32_t a1 = add(NODE_KERNEL, "a1", queue, 0, 10), b1 = add(NODE_KERNEL, "b1", queue, 5, 12);
    uint32_t a2 = add(NODE_KERNEL, "a2", queue, 12, 10), b2 = add(NODE_KERNEL, "b2", queue, 19, 10);
    uint32_t a3 = add(NODE_KERNEL, "a3", queue, 24, 10);
    struct critical_path p = find();
    for (uint32_t e = 0; e < g->nedges; e++)
        assert_int_not_equal(g->edge_kind[e], EDGE_INFERRED);
    assert_int_equal(p.length, 34);
    assert_true(p.slack[a1] == 0 && p.slack[b1] == 0 && p.slack[a3] == 0);
    (void)a2, (void)b2;
    critical_path_free(&p);
}

/* Spans without length at the same time do not wait for each other. */
TEST_WITH(moments_make_no_circle, set_up, tear_down)
{
    for (uint32_t i = 0; i < 20; i++)
        add(NODE_KERNEL, "k", i % 2 ? queue : other, 1000000 * (i / 8), i % 3 ? 0 : 500000);
    struct critical_path p = find();
    critical_path_free(&p);
}
