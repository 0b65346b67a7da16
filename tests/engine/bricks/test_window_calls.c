/* System calls as lanes of the last pass: only the program's, cut to its time, and the path stays.
 */
#include <stdio.h>
#include <string.h>

#include "engine/bricks/window_calls.h"
#include "support/test.h"

enum { PID = 7, HELPER = 8, FSYNC = 74, WRITE = 1 };

static struct arena memory;
static struct bricks bricks;
static struct syscall_recent *recent;

/* A pass from 1000 to 2000 ns: a brick, and one on the path inside it from 1500 on. */
FIXTURE(set_up)
{
    static struct brick_program program = {.pid = PID};
    static struct brick_span spans[2];
    static struct brick_lane lanes[1] = {{"main 7"}};
    static uint32_t steps[1];
    struct graph *g = graph_new();
    graph_add(g, NODE_PROGRAM, graph_intern(g, "p"), GRAPH_NONE, EDGE_CONTAINS, 0, 0);
    graph_add(g, NODE_BRICK, graph_intern(g, "b"), 0, EDGE_CONTAINS, 0, 0);
    spans[0] = (struct brick_span){.duration = 1000, .name = "whole", .node = 1};
    spans[1] = (struct brick_span){
        .start = 500, .duration = 100, .name = "step", .node = 1, .depth = 1, .critical = true};
    steps[0] = 1;
    bricks = (struct bricks){.tree = g, .programs = &program, .nprograms = 1};
    bricks.window = (struct brick_window){.start = 1000,
                                          .wall = 1000,
                                          .spans = spans,
                                          .nspans = 2,
                                          .steps = steps,
                                          .nsteps = 1,
                                          .lanes = lanes,
                                          .nlanes = 1};
    recent = syscall_recent_new(1 << 16);
}

FIXTURE(tear_down)
{
    graph_unref(bricks.tree);
    syscall_recent_free(recent);
    arena_free(&memory);
}

static void add_call(int32_t pid, int32_t tid, uint32_t number, uint64_t begin, uint64_t end)
{
    syscall_recent_add(recent, &(struct syscall_event){.kind = SYSCALL_CALL,
                                                       .abi = SYSCALL_X86_64,
                                                       .pid = pid,
                                                       .tid = tid,
                                                       .number = number,
                                                       .begin_ns = begin,
                                                       .end_ns = end});
}

/* The spans of a lane as text, and that all spans are in order. */
static const char *lane_text(uint32_t lane)
{
    static char text[512];
    const struct brick_window *w = &bricks.window;
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < w->nspans; i++) {
        const struct brick_span *s = &w->spans[i];
        assert_true(i == 0 || w->spans[i - 1].start <= s->start);
        if (s->lane == lane)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %d+%d", n ? ", " : "", s->name,
                                  (int)s->start, (int)s->duration);
    }
    return text;
}

TEST_WITH(calls_are_lanes_beside_the_path, set_up, tear_down)
{
    add_call(PID, HELPER, WRITE, 1400, 1450);
    add_call(PID, HELPER, FSYNC, 900, 1100);   /* began before */
    add_call(PID, PID, FSYNC, 1900, 2500);     /* ends later */
    add_call(PID, PID, WRITE, 100, 1000);      /* before */
    add_call(PID, PID, WRITE, 2000, 2100);     /* after */
    add_call(PID + 9, PID, WRITE, 1200, 1300); /* of another program */
    bricks_window_calls(&bricks, &memory, recent, 0);
    const struct brick_window *w = &bricks.window;
    assert_int_equal(w->nlanes, 3);
    assert_string_equal(w->lanes[0].name, "main 7");
    assert_string_equal(w->lanes[1].name, "calls of 7");
    assert_string_equal(w->lanes[2].name, "calls of 8");
    assert_string_equal(lane_text(0), "whole 0+1000, step 500+100");
    assert_string_equal(lane_text(1), "fsync 900+100");
    assert_string_equal(lane_text(2), "fsync 0+100, write 400+50");
    assert_string_equal(w->spans[w->steps[0]].name, "step"); /* the path is what it was */
    assert_int_equal(w->nsteps, 1);
    for (uint32_t i = 0; i < w->nspans; i++)
        if (w->spans[i].lane > 0) {
            assert_int_equal(w->spans[i].node, bricks.programs[0].node);
            assert_int_equal(w->spans[i].slack, GRAPH_UNKNOWN);
            assert_false(w->spans[i].critical);
        }
}

TEST_WITH(many_calls_become_few_spans, set_up, tear_down)
{
    for (uint64_t i = 0; i < 400; i++)
        add_call(PID, PID, WRITE, 1000 + 2 * i, 1001 + 2 * i);
    bricks_window_calls(&bricks, &memory, recent, 8);
    assert_in_range(bricks.window.nspans, 3, 10);
    assert_string_equal(lane_text(1), "write x400 0+799");
}

TEST_WITH(without_calls_nothing_changes, set_up, tear_down)
{
    bricks_window_calls(&bricks, &memory, NULL, 0);
    bricks_window_calls(&bricks, &memory, recent, 0);
    add_call(PID + 9, 1, WRITE, 1200, 1300);
    bricks_window_calls(&bricks, &memory, recent, 0);
    assert_int_equal(bricks.window.nspans, 2);
    assert_int_equal(bricks.window.nlanes, 1);
}
