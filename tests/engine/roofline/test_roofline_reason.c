/* Reasons why a roofline has no numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph_sum.h"
#include "engine/roofline/roofline_gpu.h"
#include "engine/roofline/roofline_reason.h"
#include "support/test.h"

static struct trace t;
static uint32_t node, queue;

FIXTURE(setup)
{
    t = (struct trace){.calls = graph_new(), .sums = graph_new()};
    uint32_t program = graph_add(t.calls, NODE_PROGRAM, graph_intern(t.calls, "app"), GRAPH_NONE,
                                 EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    queue = graph_add(t.calls, NODE_QUEUE, graph_intern(t.calls, "queue"), program, EDGE_LAUNCHES,
                      GRAPH_UNKNOWN, GRAPH_UNKNOWN);
}

FIXTURE(teardown)
{
    trace_free(&t);
}

/* A dispatch on an agent of this architecture; NULL: unknown. */
static void dispatch(uint64_t ns, const char *arch, const char *counter)
{
    struct trace_agent a = {.name = arch ? graph_intern(t.calls, arch) : GRAPH_NONE,
                            .model = GRAPH_NONE,
                            .host = GRAPH_NONE,
                            .gpu = true,
                            .units = TRACE_UNKNOWN,
                            .clock_mhz = TRACE_UNKNOWN};
    node =
        graph_add(t.calls, NODE_KERNEL, graph_intern(t.calls, "k"), queue, EDGE_CONTAINS, 100, ns);
    trace_add_dispatch(&t,
                       &(struct trace_dispatch){.node = node, .agent = trace_add_agent(&t, &a)});
    if (counter)
        trace_add_counter(&t, node, counter, 5);
    graph_finish(t.calls);
    t.place = calloc(t.calls->nnodes, sizeof *t.place);
    assert_non_null(t.place);
}

static void expect_empty(const char *words)
{
    char out[200];
    if (!strstr(roofline_why_empty(&t, out, sizeof out), words))
        fail_msg("'%s', not '%s'", out, words);
}

TEST_WITH(nothing_ran, setup, teardown)
{
    expect_empty("there is no dispatch of a GPU");
}

TEST_WITH(nothing_was_counted, setup, teardown)
{
    dispatch(50, "gfx942", NULL);
    expect_empty("No kernel has hardware counters");
    expect_empty("rocprofv3 --pmc");
}

/* The advice must not name the profiler of another vendor. */
TEST_WITH(nothing_was_counted_on_nvidias, setup, teardown)
{
    char out[200];
    dispatch(50, "sm_90", NULL);
    expect_empty("No kernel has hardware counters");
    assert_null(strstr(roofline_why_empty(&t, out, sizeof out), "rocprof"));
}

TEST_WITH(nothing_was_timed, setup, teardown)
{
    dispatch(GRAPH_UNKNOWN, "gfx942", "SQ_WAVES");
    expect_empty("no duration");
    expect_empty("their counters are there");
}

static const char *why_unknown(char out[200])
{
    struct arena memory = {0};
    struct roofline r = {.npoints = 0};
    roofline_gpu_add(&r, &memory, &t, NULL);
    assert_int_equal(r.npoints, 1);
    roofline_why_unknown(&r, &t, &r.points[0], out, 200);
    arena_free(&memory);
    return out;
}

TEST_WITH(a_point_says_what_is_not_known, setup, teardown)
{
    static const struct {
        const char *arch, *counter, *why;
    } cases[] = {
        {NULL, "SQ_WAVES", "does not tell its GPU's architecture"},
        {"gfx803", "SQ_WAVES", "no formula computes FLOPs or bytes from the counters of gfx803"},
        {"gfx803", "FETCH_SIZE", "no formula computes"}, /* WRITE_SIZE is missing too, optional */
        {"gfx90a", "SQ_WAVES", "the peaks of gfx90a are not known"},
    };
    char out[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dispatch(50, cases[i].arch, cases[i].counter);
        if (!strstr(why_unknown(out), cases[i].why))
            fail_msg("%zu: '%s'", i, out);
        teardown(state);
        setup(state);
    }
}
