/* A profile in the form of bricks, which views show. */
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/trace_bricks.h"
#include "support/test.h"

#define NO GRAPH_UNKNOWN

static struct trace t;
static struct arena memory;

static uint32_t add(enum node_kind kind, const char *name, uint32_t parent, uint64_t start,
                    uint64_t duration)
{
    return graph_add(t.calls, kind, graph_intern(t.calls, name), parent, EDGE_CONTAINS, start,
                     duration);
}

/* A thread that works, launches and works again; a queue; one place for each in the sums. */
FIXTURE(set_up)
{
    t = (struct trace){.sums = graph_new(), .calls = graph_new(), .spans = 3, .dropped = 2};
    uint32_t prog = add(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t host = add(NODE_THREAD, "main", prog, NO, NO);
    uint32_t queue = add(NODE_QUEUE, "queue", prog, NO, NO);
    uint32_t a = add(NODE_FUNCTION, "a", host, 1000, 10),
             b = add(NODE_FUNCTION, "b", host, 1060, 5);
    uint32_t k = add(NODE_KERNEL, "k", queue, 1012, 20);
    graph_connect(t.calls, a, b, EDGE_SEQUENCE);
    graph_connect(t.calls, a, k, EDGE_LAUNCHES);
    graph_detail(t.calls, prog)->thread.id = 77;
    graph_finish(t.calls);
    t.place = calloc(t.calls->nnodes, sizeof *t.place);
    uint32_t root = graph_add(t.sums, NODE_PROGRAM, graph_intern(t.sums, "prog"), GRAPH_NONE,
                              EDGE_CONTAINS, NO, 65);
    graph_detail(t.sums, root)->thread.id = 77;
    graph_finish(t.sums);
}

FIXTURE(tear_down)
{
    trace_free(&t);
    arena_free(&memory);
}

static const struct brick_span *span(const struct bricks *b, const char *name)
{
    for (uint32_t i = 0; i < b->window.nspans; i++)
        if (strcmp(b->window.spans[i].name, name) == 0)
            return &b->window.spans[i];
    fail_msg("no span %s", name);
    return NULL;
}

TEST_WITH(lanes_spans_and_path, set_up, tear_down)
{
    struct bricks b;
    struct critical_path way;
    assert_int_equal(critical_path_find(t.calls, &way, NULL), 0);
    trace_bricks_end(&b, &memory, trace_bricks_begin(&b, &memory, &t, "file"), &t, &way);
    critical_path_free(&way);
    assert_int_equal(b.nprograms, 1);
    assert_int_equal(b.programs[0].pid, 77);
    assert_true(b.programs[0].profile);
    assert_int_equal(b.programs[0].dropped, 2);
    assert_int_equal(b.window.nlanes, 2);
    assert_int_equal(b.window.wall, 65);
    /* a, the host between its calls, b: 10 + 50 + 5; the kernel ends long before */
    assert_int_equal(b.window.path, 65);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < b.window.nsteps; i++)
        sum += b.window.lengths[i];
    assert_int_equal(sum, 65);
    assert_int_equal(span(&b, "main")->kind, NODE_THREAD);
    assert_int_equal(span(&b, "k")->start, 12);
    assert_false(span(&b, "k")->critical);
    assert_string_equal(b.window.lanes[span(&b, "k")->lane].name, "queue");
    assert_true(span(&b, "a")->critical);
    graph_unref(b.tree);
}
