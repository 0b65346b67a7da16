/* The launches of one row of the table of kernels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/execution.h"
#include "engine/kernels/kernel_launches.h"
#include "support/test.h"

static struct trace t;
static struct critical_path path;
static struct kernels k;
static uint32_t queue;

static void launch(const char *name, uint64_t start, uint64_t ns, uint32_t grid)
{
    uint32_t v = graph_add(t.calls, NODE_KERNEL, graph_intern(t.calls, name), queue, EDGE_CONTAINS,
                           start, ns);
    struct graph_detail d = {.kernel = {.grid = {grid, 1, 1}, .block = {64, 1, 1}}};
    graph_set_kernel(t.calls, v, &d);
}

FIXTURE(setup)
{
    struct error err = ERROR_INIT;
    t = (struct trace){.calls = graph_new(), .sums = graph_new()};
    uint32_t program = graph_add(t.calls, NODE_PROGRAM, graph_intern(t.calls, "app"), GRAPH_NONE,
                                 EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    queue = graph_add(t.calls, NODE_QUEUE, graph_intern(t.calls, "queue"), program, EDGE_LAUNCHES,
                      GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    launch("f<1>(int)", 1000, 100, 8);
    launch("f<1>(int)", 1200, 100, 8);
    launch("f<2>(int)", 1500, 300, 8);
    launch("f<1>(int)", 2000, 900, 16);
    launch("f<1>(int)", GRAPH_UNKNOWN, GRAPH_UNKNOWN, 16);
    launch("other", 4000, 1000, 1); /* its end, 5000, ends the time */
    execution_sequence(t.calls, 0, t.calls->nnodes);
    graph_finish(t.calls);
    graph_finish(t.sums);
    assert_int_equal(critical_path_find(t.calls, &path, &err), 0);
    kernels_make(&k, &t, &path, NULL);
}

FIXTURE(teardown)
{
    kernels_free(&k);
    critical_path_free(&path);
    trace_free(&t);
}

static struct kernel_launches find(const char *name, uint32_t grid, enum kernels_group group)
{
    struct kernel_launches l;
    for (uint32_t i = 0; i < k.by[group].n; i++) {
        const struct kernel_row *r = &k.by[group].rows[i];
        if (strcmp(r->name, name) != 0 || (grid && r->shape.grid[0] != grid))
            continue;
        kernel_launches_find(&l, &t, &k.total, r, group);
        return l;
    }
    fail_msg("no row '%s'", name);
    return (struct kernel_launches){.timed = 0};
}

static double all_busy(const struct kernel_launches *l)
{
    double sum = 0;
    for (int i = 0; i < LAUNCH_TIMES; i++)
        sum += l->busy[i];
    return sum;
}

TEST_WITH(lengths_shapes_and_times_of_a_name, setup, teardown)
{
    struct kernel_launches l = find("f<1>(int)", 0, KERNELS_BY_NAME);
    uint64_t counted = 0;
    assert_int_equal(l.timed, 3);
    assert_int_equal(l.nlengths, LAUNCH_LENGTHS);
    assert_true(l.edge[0] == 100 && l.edge[LAUNCH_LENGTHS] == 900);
    for (int i = 0; i < LAUNCH_LENGTHS; i++)
        counted += l.length[i];
    assert_int_equal(counted, 3);
    assert_int_equal(l.length[0], 2);
    assert_int_equal(l.length[LAUNCH_LENGTHS - 1], 1);
    assert_true(fabs(all_busy(&l) - 1100) < 1e-6);
    assert_true(l.busy[0] > 0);                 /* from 1000 on */
    assert_true(l.busy[LAUNCH_TIMES / 2] == 0); /* at 3000 it does not run */
    assert_int_equal(l.nshapes, 2);
    assert_int_equal(l.shapes[0].shape.grid[0], 16); /* sorted by time */
    assert_int_equal(l.shapes[0].calls, 2);
    assert_int_equal(l.shapes[0].total, 900);
    assert_int_equal(l.shapes[1].calls, 2);
    assert_int_equal(l.shapes[1].total, 200);
}

TEST_WITH(groups_have_the_launches_of_their_rows, setup, teardown)
{
    struct kernel_launches base = find("f", 0, KERNELS_BY_BASE);
    struct kernel_launches small = find("f<1>(int)", 8, KERNELS_BY_SHAPE);
    struct kernel_launches other = find("other", 0, KERNELS_BY_NAME);
    assert_int_equal(base.timed, 4);
    assert_true(fabs(all_busy(&base) - 1400) < 1e-6);
    assert_int_equal(small.timed, 2);
    assert_int_equal(small.nlengths, 1); /* both took the same */
    assert_int_equal(small.length[0], 2);
    assert_int_equal(small.nshapes, 1);
    assert_true(fabs(other.busy[LAUNCH_TIMES - 1] - 4000.0 / LAUNCH_TIMES) < 1e-6);
}
