/* Adds counters of one run to the dispatches of another: the same program, with other times and
 * another order between queues. */
#include <stdio.h>
#include <stdlib.h>

#include "backends/run_folder/attach.h"
#include "support/trace_look.h"
#include "support/test.h"

enum { QUEUES = 3, PROGRAMS = 2, LENGTH = 40 };

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* The kernel that is the n-th of a program's queue, the same in every run. */
static unsigned kernel_of(unsigned program, unsigned queue, unsigned n)
{
    return (program * 7 + queue * 3 + n * n) % 5;
}

/* A value that identifies the dispatch. */
static double value_of(unsigned program, unsigned queue, unsigned n)
{
    return program * 10000 + queue * 1000 + n;
}

/* A run whose queues take turns at random; dispatches are numbered in that order. */
static void make(struct trace *t, unsigned seed, unsigned lengths[PROGRAMS][QUEUES], bool counted)
{
    struct graph *g = t->calls = graph_new();
    t->sums = graph_new();
    uint32_t agent = trace_add_agent(t, &(struct trace_agent){.gpu = true, .number = 4});
    for (unsigned p = 0; p < PROGRAMS; p++) {
        uint32_t lanes[QUEUES];
        unsigned done[QUEUES] = {0}, left = 0, id = 1;
        char name[64];
        snprintf(name, sizeof name, "program %u", p);
        uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, name), GRAPH_NONE,
                                     EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
        for (unsigned q = 0; q < QUEUES; q++) {
            snprintf(name, sizeof name, "GPU 4 queue %u", q);
            lanes[q] = graph_add(g, NODE_QUEUE, graph_intern(g, name), program, EDGE_LAUNCHES,
                                 GRAPH_UNKNOWN, GRAPH_UNKNOWN);
            left += lengths[p][q];
        }
        for (; left > 0; left--) {
            unsigned q = next(&seed) % QUEUES;
            while (done[q] == lengths[p][q])
                q = (q + 1) % QUEUES;
            snprintf(name, sizeof name, "kernel %u", kernel_of(p, q, done[q]));
            uint32_t node = graph_add(g, NODE_KERNEL, graph_intern(g, name), lanes[q],
                                      EDGE_CONTAINS, next(&seed), 10);
            graph_detail(g, node)->kernel.grid[0] = 1;
            trace_add_dispatch(t, &(struct trace_dispatch){.node = node, .agent = agent, .id = id});
            id++;
            trace_add_counter(t, node, counted ? "SQ_WAVES" : "truth", value_of(p, q, done[q]));
            done[q]++;
        }
    }
    graph_finish(g);
}

TEST(the_nth_of_a_kernel_in_its_queue_is_the_nth)
{
    for (unsigned seed = 1; seed < 50; seed++) {
        struct trace base = {0}, pass = {0};
        struct attach_result r = {0};
        unsigned lengths[PROGRAMS][QUEUES], sum = 0;
        for (unsigned i = 0; i < PROGRAMS * QUEUES; i++)
            sum += lengths[i / QUEUES][i % QUEUES] = (seed * 13 + i * 7) % LENGTH + 1;
        make(&base, seed, lengths, false);
        make(&pass, seed * 977, lengths, true);
        attach_counters(&base, 0, UINT32_MAX, &pass, NULL, 0, &r);
        assert_int_equal(r.joined, sum);
        assert_int_equal(r.kernels, 0);
        for (uint32_t i = 0; i < base.ndispatches; i++) {
            uint32_t node = trace_dispatch_at(&base, i).node;
            assert_true(look_counter(&base, node, "SQ_WAVES") ==
                        look_counter(&base, node, "truth"));
        }
        trace_free(&base);
        trace_free(&pass);
    }
}

/* If one dispatch of a kernel is missing, only that kernel in that queue gets no counters. */
TEST(a_missing_dispatch_affects_only_its_kernel_and_queue)
{
    struct trace base = {0}, pass = {0};
    struct attach_result r = {0};
    unsigned lengths[PROGRAMS][QUEUES] = {{10, 10, 10}, {10, 10, 10}}, wrong = 0;
    make(&base, 1, lengths, false);
    lengths[1][2] = 9;
    make(&pass, 2, lengths, true);
    attach_counters(&base, 0, UINT32_MAX, &pass, NULL, 0, &r);
    assert_int_equal(r.kernels, 1);
    assert_int_equal(r.in_base, r.in_pass + 1);
    for (uint32_t i = 0; i < base.ndispatches; i++) {
        uint32_t node = trace_dispatch_at(&base, i).node;
        double v = look_counter(&base, node, "SQ_WAVES");
        /* NaN: it has none */
        if (v != look_counter(&base, node, "truth"))
            wrong += v != v;
        else
            continue;
        assert_true(v != v);
    }
    assert_int_equal(wrong, r.in_base);
    assert_int_equal(r.joined, 60 - wrong);
    trace_free(&base);
    trace_free(&pass);
}

TEST(counters_are_not_added_twice)
{
    struct trace base = {0}, pass = {0};
    struct attach_result r = {0};
    unsigned lengths[PROGRAMS][QUEUES] = {{3, 3, 3}, {3, 3, 3}};
    make(&base, 1, lengths, false);
    make(&pass, 1, lengths, true);
    uint32_t taken = graph_intern(base.calls, "SQ_WAVES"), before = base.ncounters;
    attach_counters(&base, 0, UINT32_MAX, &pass, &taken, 1, &r);
    assert_int_equal(base.ncounters, before);
    attach_counters(&base, 0, 0, &pass, NULL, 0, &r); /* the folder has no dispatches */
    assert_int_equal(r.joined, 0);
    assert_int_equal(base.ncounters, before);
    trace_free(&base);
    trace_free(&pass);
}
