/* What a path consists of, and which parts belong to whom. */
#include <stdlib.h>
#include <string.h>

#include "engine/graph/execution.h"
#include "engine/path/path_shares.h"
#include "support/played.h"
#include "support/test.h"

#define NO GRAPH_UNKNOWN
enum { RANDOM_GRAPHS = 10000 };

static struct graph *g;

static uint32_t node(enum node_kind kind, const char *name, uint32_t parent, uint64_t start,
                     uint64_t duration)
{
    return graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, start, duration);
}

static void find(struct critical_path *p, struct path_shares *s, const struct trace *t)
{
    assert_int_equal(critical_path_find(t->calls, p, NULL), 0);
    path_shares_find(t, p, s);
}

static const struct path_name *named(const struct path_shares *s, const char *name,
                                     enum path_part part)
{
    for (uint32_t i = 0; i < s->nnames; i++)
        if (strcmp(graph_text(g, s->names[i].name), name) == 0 && s->names[i].part == part)
            return &s->names[i];
    fail_msg("no %s of %s", path_part_name(part), name);
    return NULL;
}

/*
 *  host    launch (0..10)             sync (20..150)                free (170..180)
 *  GPU 1            copy (15..40) kernel (45..140)
 *  10 until the copy begins, it 25, 5 of latency, the kernel 95; then 260 until a kernel of 100
 *  whose launch is not known: that is no latency of a launch
 */
TEST(each_step_is_a_part)
{
    g = graph_new();
    uint32_t prog = node(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
    uint32_t host = node(NODE_THREAD, "main", prog, NO, NO),
             queue = node(NODE_QUEUE, "queue", prog, NO, NO);
    uint32_t launch = node(NODE_FUNCTION, "hipLaunchKernel", host, 0, 10);
    node(NODE_FUNCTION, "hipStreamSynchronize", host, 20, 130);
    node(NODE_FUNCTION, "hipFree", host, 170, 10);
    uint32_t copy = node(NODE_TRANSFER, "H2D", queue, 15, 25);
    uint32_t kernel = node(NODE_KERNEL, "gemm", queue, 45, 95);
    node(NODE_KERNEL, "gemm", queue, 400, 100); /* nothing explains it */
    graph_connect(g, launch, copy, EDGE_LAUNCHES);
    graph_connect(g, launch, kernel, EDGE_LAUNCHES);
    execution_sequence(g, 0, g->nnodes);
    uint32_t nwork, *work = execution_device_work(g, 0, g->nnodes, &nwork);
    execution_waits(g, 0, g->nnodes, work, nwork);
    free(work);
    graph_finish(g);
    struct trace_agent agent = {.name = GRAPH_NONE, .host = GRAPH_NONE, .number = 1, .gpu = true};
    struct trace_dispatch dispatch = {.node = kernel, .agent = 0};
    struct trace t = {.sums = graph_new(), .calls = g};
    trace_add_agent(&t, &agent);
    trace_add_dispatch(&t, &dispatch);
    struct critical_path p;
    struct path_shares s;
    find(&p, &s, &t);
    assert_int_equal(p.length, 500);
    assert_int_equal(s.wall, 500);
    assert_int_equal(s.all.ns[PATH_COMPUTE], 195);
    assert_int_equal(s.all.ns[PATH_COPY], 25);
    assert_int_equal(s.all.ns[PATH_LATENCY], 20);
    assert_int_equal(s.all.ns[PATH_HOST], 0);
    assert_int_equal(s.all.ns[PATH_WAIT], 260);
    assert_int_equal(s.all.share[PATH_COMPUTE], 390000);
    assert_int_equal(s.ndevices, 2);
    assert_string_equal(s.devices[0].name, "GPU 1");
    assert_int_equal(s.devices[0].mix.total, 480);
    assert_string_equal(s.devices[1].name, "host");
    assert_int_equal(s.devices[1].mix.ns[PATH_LATENCY], 20);
    const struct path_name *n = named(&s, "gemm", PATH_COMPUTE);
    assert_non_null(n);
    assert_true(n->steps == 2 && n->calls == 2 && n->ns == 195 && n->total == 195);
    assert_true(n->weight > 0.3899 && n->weight < 0.3901);
    assert_int_equal(named(&s, "hipLaunchKernel", PATH_LATENCY)->ns, 20);
    path_shares_free(&s);
    critical_path_free(&p);
    trace_free(&t);
}

/* Work that began before its call shows that the device's clock is off: that it was moved is told.
 */
TEST(devices_that_are_moved_are_told)
{
    for (uint64_t early = 0; early <= 3000; early += 3000) {
        g = graph_new();
        uint32_t prog = node(NODE_PROGRAM, "prog", GRAPH_NONE, NO, NO);
        uint32_t host = node(NODE_THREAD, "main", prog, NO, NO),
                 queue = node(NODE_QUEUE, "queue", prog, NO, NO);
        uint32_t launch = node(NODE_FUNCTION, "hipLaunchKernel", host, 10000, 5000);
        uint32_t kernel = node(NODE_KERNEL, "gemm", queue, early ? 10000 - early : 17000, 9000);
        struct critical_path p;
        graph_connect(g, launch, kernel, EDGE_LAUNCHES);
        execution_sequence(g, 0, g->nnodes);
        graph_finish(g);
        assert_int_equal(critical_path_find(g, &p, NULL), 0);
        assert_int_equal(p.moved, early ? early + 500 : 0); /* 500 ns after its call at least */
        critical_path_free(&p);
        graph_unref(g);
    }
}

/* A host that waits although nothing is known that it could have waited for, and one that works. */
TEST(waiting_for_nothing_known_is_waiting)
{
    g = graph_new();
    uint32_t host = node(NODE_THREAD, "main", GRAPH_NONE, NO, NO);
    node(NODE_FUNCTION, "cudaDeviceSynchronize", host, 0, 30);
    node(NODE_FUNCTION, "work", host, 40, 50);
    execution_sequence(g, 0, g->nnodes);
    graph_finish(g);
    struct trace t = {.calls = g};
    struct critical_path p;
    struct path_shares s;
    find(&p, &s, &t);
    assert_int_equal(s.all.ns[PATH_WAIT], 30);
    assert_int_equal(s.all.ns[PATH_HOST], 50);
    assert_int_equal(s.all.ns[PATH_UNKNOWN], 10);
    assert_int_equal(s.all.share[PATH_WAIT], 333333);
    assert_int_equal(s.all.share[PATH_HOST], 555556);
    assert_int_equal(s.all.share[PATH_UNKNOWN], 111111);
    path_shares_free(&s);
    critical_path_free(&p);
    graph_unref(g);
}

static void check(const struct critical_path *p, const struct path_shares *s, uint64_t wall)
{
    uint64_t ns = 0, longest = 0;
    uint32_t share = 0, steps = 0;
    for (int i = 0; i < PATH_PARTS; i++)
        share += s->all.share[i];
    assert_int_equal(share, s->all.total ? PATH_WHOLE : 0);
    assert_int_equal(s->all.total, wall);
    assert_int_equal(s->wall, wall);
    for (uint32_t i = 0; i < s->ndevices; i++) {
        ns += s->devices[i].mix.total;
        share = 0;
        for (int k = 0; k < PATH_PARTS; k++)
            share += s->devices[i].mix.share[k];
        assert_int_equal(share, s->devices[i].mix.total ? PATH_WHOLE : 0);
    }
    assert_int_equal(ns, p->length);
    ns = 0;
    for (uint32_t i = 0; i < s->nnames; i++) {
        ns += s->names[i].ns;
        steps += s->names[i].steps;
        assert_true(i == 0 || s->names[i].ns <= s->names[i - 1].ns);
        assert_true(s->names[i].calls >= s->names[i].steps || s->names[i].part == PATH_LATENCY ||
                    s->names[i].kind == NODE_THREAD || s->names[i].kind == NODE_FUNCTION);
    }
    assert_int_equal(ns, p->length);
    assert_int_equal(steps, p->nsteps);
    for (uint32_t i = 0; i < p->nsteps; i++)
        if (g->kind[p->steps[i].node] == NODE_KERNEL)
            assert_int_equal(p->slack[p->steps[i].node], 0);
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (g->duration[v] != NO && g->kind[v] == NODE_KERNEL && g->duration[v] > longest)
            longest = g->duration[v];
    assert_true(p->length == wall && wall >= longest);
}

/* A kernel may begin later by its slack, and not by a nanosecond more. */
static void check_slack(struct played *r, const struct critical_path *p, uint64_t wall)
{
    uint32_t v = 3 + PLAYED_QUEUES;
    for (uint32_t i = 0; i < r->n; i++, v++) {
        if (r->sync[i])
            continue;
        v++; /* the kernel follows its call */
        assert_int_equal(g->kind[v], NODE_KERNEL);
        struct played longer = *r;
        for (int more = 0; more < 2; more++) {
            longer.late[i] = p->slack[v] + (uint64_t)more;
            uint64_t end = played_again(&longer, (struct played_speeds){1, 1, 1});
            assert_int_equal(end, wall + (uint64_t)more);
        }
    }
}

TEST(shares_add_up_in_random_runs)
{
    for (uint32_t i = 1; i <= RANDOM_GRAPHS; i++) {
        struct played r;
        played_make(&r, i);
        uint64_t wall = r.end[r.n - 1];
        for (uint32_t k = 0; k < r.n; k++)
            if (!r.sync[k] && r.kernel_end[k] > wall)
                wall = r.kernel_end[k];
        g = played_graph(&r);
        struct trace t = {.calls = g};
        struct critical_path p;
        struct path_shares s;
        find(&p, &s, &t);
        check(&p, &s, wall);
        check_slack(&r, &p, wall);
        path_shares_free(&s);
        critical_path_free(&p);
        graph_unref(g);
    }
}

TEST(nothing_has_no_shares)
{
    g = graph_new();
    graph_finish(g);
    struct trace t = {.calls = g};
    struct critical_path p;
    struct path_shares s;
    find(&p, &s, &t);
    assert_true(s.all.total == 0 && s.nnames == 0 && s.ndevices == 0 && s.wall == 0);
    path_shares_free(&s);
    critical_path_free(&p);
    graph_unref(g);
}
