/* Slack of kernels: how much longer their calls could take; the least, mean and largest of several
 * calls. */
#include <math.h>
#include <string.h>

#include "engine/graph/execution.h"
#include "engine/kernels/kernels.h"
#include "support/test.h"

static struct trace t;

static void kernel(const char *name, uint32_t queue, uint64_t start, uint64_t duration)
{
    uint32_t v = graph_add(t.calls, NODE_KERNEL, graph_intern(t.calls, name), queue, EDGE_CONTAINS,
                           start, duration);
    trace_add_dispatch(&t, &(struct trace_dispatch){.node = v});
}

static uint32_t queue(const char *name, uint32_t program)
{
    return graph_add(t.calls, NODE_QUEUE, graph_intern(t.calls, name), program, EDGE_CONTAINS,
                     GRAPH_UNKNOWN, GRAPH_UNKNOWN);
}

static const struct kernel_row *row(const struct kernels *k, const char *name)
{
    const struct kernel_table *table = &k->by[KERNELS_BY_NAME];
    for (uint32_t i = 0; i < table->n; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    fail_msg("there is no row %s", name);
    return NULL;
}

/* The first queue is busy for 1000 ns, the second for 900: it has 100 ns of slack. */
TEST(slack_of_each_kernel)
{
    struct critical_path path;
    struct kernels k;
    t = (struct trace){.calls = graph_new(), .sums = graph_new()};
    uint32_t program = graph_add(t.calls, NODE_PROGRAM, graph_intern(t.calls, "p"), GRAPH_NONE,
                                 EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    uint32_t one = queue("1", program), two = queue("2", program);
    kernel("long", one, 0, 1000);
    kernel("short", two, 0, 400);
    kernel("long", two, 400, 500);
    execution_sequence(t.calls, 0, t.calls->nnodes);
    graph_finish(t.calls);
    graph_finish(t.sums);
    assert_int_equal(critical_path_find(t.calls, &path, NULL), 0);
    kernels_make(&k, &t, &path, NULL);
    assert_float_equal(kernel_slack_least(row(&k, "short")), 100, 0);
    assert_float_equal(kernel_slack_most(row(&k, "short")), 100, 0);
    assert_float_equal(kernel_slack_least(row(&k, "long")), 0, 0);
    assert_float_equal(kernel_slack_mean(row(&k, "long")), 50, 0);
    assert_float_equal(kernel_slack_most(row(&k, "long")), 100, 0);
    kernels_free(&k);
    critical_path_free(&path);
    trace_free(&t);
}

TEST(unknown_slack_is_not_available)
{
    const struct kernel_row none = {.name = ""};
    assert_true(isnan(kernel_slack_least(&none)) && isnan(kernel_slack_mean(&none)) &&
                isnan(kernel_slack_most(&none)));
}
