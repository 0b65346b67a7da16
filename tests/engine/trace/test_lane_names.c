/* Lanes that would look the same get different names: examples, and random names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trace/lane_names.h"
#include "support/test.h"

enum { MOST = 64 };
static struct graph *g;
static struct arena memory;
static uint32_t nodes[MOST], n;
static const char *out[MOST];

FIXTURE(setup)
{
    g = graph_new();
    n = 0;
}

FIXTURE(teardown)
{
    graph_unref(g);
    arena_free(&memory);
}

static uint32_t add(enum node_kind kind, const char *name, uint32_t parent, int64_t id)
{
    uint32_t v = graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN,
                           GRAPH_UNKNOWN);
    graph_detail(g, v)->thread.id = id;
    return v;
}

static void lane(enum node_kind kind, const char *name, uint32_t parent, int64_t id)
{
    nodes[n++] = add(kind, name, parent, id);
}

static void expect(bool apart, const char *const *want, uint32_t count)
{
    assert_int_equal(n, count);
    lane_names(g, nodes, n, apart, &memory, out);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(out[i], want[i]);
}

TEST_WITH(names_of_one_lane_stay, setup, teardown)
{
    static const char *const want[] = {"main", "thread 12", "stream 7"};
    uint32_t p = add(NODE_PROGRAM, "python", GRAPH_NONE, 1);
    lane(NODE_THREAD, "main", p, 11);
    lane(NODE_THREAD, "thread 12", p, 12);
    lane(NODE_QUEUE, "stream 7", p, 7);
    expect(false, want, sizeof want / sizeof *want);
    expect(true, want, sizeof want / sizeof *want);
}

TEST_WITH(threads_of_one_name_get_their_numbers, setup, teardown)
{
    static const char *const want[] = {"python 4711", "python 4712", "worker", "python 4713"};
    uint32_t p = add(NODE_PROGRAM, "python", GRAPH_NONE, 4711);
    lane(NODE_THREAD, "python", p, 4711);
    lane(NODE_THREAD, "python", p, 4712);
    lane(NODE_THREAD, "worker", p, 4713);
    lane(NODE_THREAD, "python", p, 4713);
    expect(false, want, sizeof want / sizeof *want);
}

TEST_WITH(queues_of_two_devices_get_their_device, setup, teardown)
{
    static const char *const headed[] = {"queue 1", "queue 2", "queue 1"}, *const apart[] = {
                                                                               "GPU 0 queue 1",
                                                                               "queue 2",
                                                                               "GPU 1 queue 1"};
    uint32_t a = add(NODE_PROGRAM, "GPU 0", GRAPH_NONE, 0),
             b = add(NODE_PROGRAM, "GPU 1", GRAPH_NONE, 1);
    lane(NODE_QUEUE, "queue 1", a, 1);
    lane(NODE_QUEUE, "queue 2", a, 2);
    lane(NODE_QUEUE, "queue 1", b, 1);
    expect(false, headed, sizeof headed / sizeof *headed);
    expect(true, apart, sizeof apart / sizeof *apart);
}

TEST_WITH(nothing_but_their_order_tells_the_rest, setup, teardown)
{
    static const char *const want[] = {"cuda 5", "cuda 5 #2", "cuda 5 #3"};
    uint32_t p = add(NODE_PROGRAM, "x", GRAPH_NONE, 1);
    for (int i = 0; i < 3; i++)
        lane(NODE_QUEUE, "cuda", p, 5);
    expect(false, want, sizeof want / sizeof *want);
}

/* Whatever the names, programs and numbers are: no two neighbouring lanes have the same name, and
 * each name begins or ends with the lane's own. */
TEST_WITH(no_two_are_the_same, setup, teardown)
{
    static const char *const some[] = {"a", "b", "a 1", "a 2", "", "a #2"};
    unsigned seed = 5;
    for (int round = 0; round < 300; round++) {
        teardown(NULL);
        setup(NULL);
        uint32_t programs[3];
        for (int i = 0; i < 3; i++)
            programs[i] = add(NODE_PROGRAM, some[(seed = seed * 1103515245u + 12345u) >> 16 & 1],
                              GRAPH_NONE, i % 2);
        while (n < 20) {
            seed = seed * 1103515245u + 12345u;
            lane(NODE_THREAD, some[(seed >> 16) % 6], programs[(seed >> 20) % 3],
                 (int)(seed >> 24) % 4 - 1);
        }
        for (int apart = 0; apart < 2; apart++) {
            lane_names(g, nodes, n, apart, &memory, out);
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t k = 0; k < i; k++)
                    if ((apart || g->parent[nodes[i]] == g->parent[nodes[k]]) &&
                        strcmp(out[i], out[k]) == 0)
                        fail_msg("round %d: two lanes are '%s'", round, out[i]);
            for (uint32_t i = 0; i < n; i++)
                assert_non_null(strstr(out[i], graph_name(g, nodes[i])));
        }
    }
}
