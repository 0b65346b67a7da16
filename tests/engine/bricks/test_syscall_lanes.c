/* System calls as lanes beside their threads, at random: nothing is lost, and no path changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/syscall_lanes.h"
#include "engine/path/critical_path.h"
#include "engine/timeline/timeline.h"
#include "support/test.h"

enum { THREADS = 3, CALL_READ = 0, CALL_WRITE = 1 };

static uint64_t seed = 7;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* A program with threads, each with bricks one after another. */
static struct graph *make_graph(void)
{
    struct graph *g = graph_new();
    const uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, "prog"), GRAPH_NONE,
                                       EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (int t = 0; t < THREADS; t++) {
        const uint32_t thread = graph_add(g, NODE_THREAD, graph_intern(g, "worker"), program,
                                          EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        uint32_t before = GRAPH_NONE;
        graph_detail(g, thread)->thread.id = 100 + t;
        for (uint64_t at = 1000; at < 1000000; at += 1000 + below(50000)) {
            const uint64_t ns = 1 + below(1000);
            const uint32_t v =
                graph_add(g, NODE_BRICK, graph_intern(g, "Brick"), thread, EDGE_CONTAINS, at, ns);
            if (before != GRAPH_NONE)
                graph_connect(g, before, v, EDGE_SEQUENCE);
            before = v;
        }
    }
    graph_finish(g);
    return g;
}

static struct syscall_event call(int32_t tid, uint32_t number, uint64_t begin, uint64_t end)
{
    return (struct syscall_event){.kind = SYSCALL_CALL,
                                  .abi = SYSCALL_X86_64,
                                  .pid = 100,
                                  .tid = tid,
                                  .number = number,
                                  .begin_ns = begin,
                                  .end_ns = end};
}

/* Calls of all threads, and of one that the graph does not have. */
static struct syscall_recent *make_calls(uint32_t *n, uint64_t *ns)
{
    struct syscall_recent *r = syscall_recent_new(1 << 20);
    *n = 0;
    *ns = 0;
    for (int t = 0; t <= THREADS; t++)
        for (uint64_t at = below(9000), end; at < 1000000; at = end + below(9000)) {
            end = at + below(3000);
            const struct syscall_event e = call(100 + t, below(2), at, end);
            syscall_recent_add(r, &e);
            *n += t < THREADS;
            *ns += t < THREADS ? end - at : 0;
        }
    return r;
}

/* The calls that a span's name says it has. */
static uint64_t said(const char *name)
{
    const char *times = strstr(name, " x");
    const uint64_t n = strtoull(times ? times + 2 : name, NULL, 10);
    return n ? n : 1;
}

static void check_lanes(const struct graph *g, uint32_t n, uint64_t ns, bool folded)
{
    uint32_t lanes = 0, lane = GRAPH_NONE;
    uint64_t calls = 0, time = 0, end = 0;
    for (uint32_t i = 0; i < g->nnodes; i++) {
        const uint32_t up = g->parent[i];
        if (g->flags[i] & NODE_CALLS) {
            lanes++;
            lane = i;
            end = 0;
        }
        if (up == GRAPH_NONE || !(g->flags[up] & NODE_CALLS))
            continue;
        assert_int_equal(up, lane);
        assert_true(graph_is_context(g, i));
        assert_true(g->start[i] >= end);
        end = g->start[i] + g->duration[i];
        calls += said(graph_name(g, i));
        time += g->duration[i];
    }
    assert_int_equal(lanes, THREADS);
    assert_int_equal(calls, n);
    if (folded)
        assert_true(time >= ns);
    else
        assert_int_equal(time, ns);
}

TEST(every_call_is_drawn_and_no_path_changes)
{
    for (int round = 0; round < 60; round++) {
        struct graph *g = make_graph();
        struct critical_path before, after;
        uint32_t n;
        uint64_t ns;
        struct syscall_recent *r = make_calls(&n, &ns);
        const uint32_t most = round % 2 ? 3 + below(n) : 0;
        assert_int_equal(critical_path_find(g, &before, NULL), 0);
        const struct syscall_lanes made = syscall_lanes_add(g, r, most);
        check_lanes(g, n, ns, made.apart > 0);
        assert_int_equal(made.calls, n);
        assert_true(made.spans <= (most ? most : n));
        assert_int_equal(critical_path_find(g, &after, NULL), 0);
        assert_int_equal(before.length, after.length);
        assert_int_equal(before.nsteps, after.nsteps);
        for (uint32_t i = 0; i < before.nsteps; i++)
            assert_int_equal(before.steps[i].node, after.steps[i].node);
        critical_path_free(&before);
        critical_path_free(&after);
        syscall_recent_free(r);
        graph_unref(g);
    }
}

TEST(a_lane_stands_below_its_thread)
{
    struct graph *g = make_graph();
    struct critical_path way;
    struct timeline t = {.calls = NULL};
    uint32_t n;
    uint64_t ns;
    char expected[64];
    struct syscall_recent *r = make_calls(&n, &ns);
    syscall_lanes_add(g, r, 0);
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(t.nlanes, 2 * THREADS);
    for (uint32_t i = 0; i < t.nlanes; i++) {
        snprintf(expected, sizeof expected, "%sworker %u", i % 2 ? "system calls of " : "",
                 100 + i / 2);
        assert_string_equal(timeline_lane_name(&t, i), expected);
        assert_string_equal(timeline_kind_name(g, t.lanes[i].node), i % 2 ? "syscalls" : "thread");
    }
    timeline_free(&t);
    critical_path_free(&way);
    syscall_recent_free(r);
    graph_unref(g);
}

TEST(many_calls_become_one_span)
{
    struct graph *g = make_graph();
    struct syscall_recent *r = syscall_recent_new(1 << 20);
    for (uint64_t i = 0; i < 50; i++) {
        const struct syscall_event e = call(100, CALL_WRITE, 100 * i, 100 * i + 50);
        syscall_recent_add(r, &e);
    }
    struct syscall_event e = call(100, CALL_READ, 900000, 990000);
    syscall_recent_add(r, &e);
    e = call(100, CALL_WRITE, 990100, 990200);
    syscall_recent_add(r, &e);
    const struct syscall_lanes made = syscall_lanes_add(g, r, 2);
    assert_int_equal(made.spans, 2);
    assert_string_equal(graph_name(g, g->nnodes - 2), "write x50");
    assert_string_equal(graph_name(g, g->nnodes - 1), "2 calls, most in read");
    assert_int_equal(g->start[g->nnodes - 1], 900000);
    assert_int_equal(g->duration[g->nnodes - 1], 90200);
    syscall_recent_free(r);
    graph_unref(g);
}
