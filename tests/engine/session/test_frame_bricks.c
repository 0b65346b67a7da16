/* Sessions restore what is known about instrumented programs: rates of several threads, and
 * roofs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/graph/graph_counters.h"
#include "engine/roofline/roofline.h"
#include "engine/roofs/cpu_roofs.h"
#include "engine/bricks/window_calls.h"
#include "engine/session/session_impl.h"
#include "engine/value/bytes.h"
#include "support/brick_scene.h"
#include "support/test.h"

/* A kernel that two threads ran, of which only the last spans are known. */
static void share(struct graph *g)
{
    for (uint32_t i = 0; i < g->nnodes; i++) {
        if (g->kind[i] == NODE_BACKEND) {
            graph_detail(g, i)->backend.spread_flops = 7;
            graph_detail(g, i)->backend.spread_bytes = 210;
        }
        if (g->kind[i] != NODE_KERNEL || !graph_work_of(g, i) || !graph_extra_of(g, i)->flops)
            continue;
        struct graph_extra *x = graph_extra(g, i);
        const struct graph_work *w = graph_work_of(g, i);
        x->busiest = w->total / 2 + 1;
        x->any = w->total / 20;
        x->any_total = w->total / 10;
        x->any_bytes = x->bytes / 10;
        x->any_flops = x->flops / 10;
    }
}

/* Counts of two snapshots of one program, of which the second has an event more. */
static void count(struct graph *g, int more)
{
    const uint32_t node = g->nnodes / 2;
    graph_counter(g, "cycles", "no PMU");
    const uint32_t faults = graph_counter(g, "page-faults", "");
    struct graph_counts *c = graph_add_counts(g, node);
    c->calls = 5;
    c->enabled = 100;
    c->running = 60;
    c->value[faults] = 17 + more;
    if (more)
        graph_add_counts(g, 1)->value[graph_counter(g, "task-clock", "")] = 1e15 + 1;
}

TEST(counts_are_restored)
{
    struct snapshot *s[2] = {snapshot_new(NULL), snapshot_new(NULL)},
                    *back[2] = {snapshot_new(NULL), snapshot_new(NULL)};
    struct bricks_coder *out = bricks_coder_new(), *in = bricks_coder_new();
    struct bytes bytes = {0};
    for (int i = 0; i < 2; i++) {
        brick_scene(s[i], 1);
        count((struct graph *)s[i]->bricks->tree, i);
        bricks_write(out, &bytes, s[i]->bricks);
    }
    struct byte_reader reader = {.p = bytes.p, .end = bytes.p + bytes.n};
    for (int i = 0; i < 2; i++) {
        back[i]->bricks = bricks_read(in, &reader, back[i]);
        assert_non_null(back[i]->bricks);
        const struct graph *g = back[i]->bricks->tree;
        const struct graph_counts *c = graph_counts_of(g, g->nnodes / 2);
        assert_int_equal(g->counters->n, 2 + i);
        assert_string_equal(g->counters->list[0].why, "no PMU");
        assert_non_null(c);
        assert_int_equal(c->calls, 5);
        assert_true(graph_counts_share(c) == 0.6);
        assert_true(graph_counted(g->counters, c, "page-faults") == 17 + i);
        assert_true(isnan(graph_counted(g->counters, c, "cycles")));
        assert_int_equal(graph_counts_of(g, 1) != NULL, i);
        if (i)
            assert_true(graph_counted(g->counters, graph_counts_of(g, 1), "task-clock") ==
                        1e15 + 1);
    }
    assert_ptr_equal(reader.p, reader.end);
    bricks_coder_free(out);
    bricks_coder_free(in);
    free(bytes.p);
    for (int i = 0; i < 2; i++) {
        snapshot_unref(s[i]);
        snapshot_unref(back[i]);
    }
}

/* Lanes of system calls are part of the window, so a recording has them. */
TEST(calls_of_the_pass_are_restored)
{
    struct snapshot *s = snapshot_new(NULL), *back = snapshot_new(NULL);
    struct bricks_coder *out = bricks_coder_new(), *in = bricks_coder_new();
    struct syscall_recent *calls = syscall_recent_new(1 << 12);
    struct bytes bytes = {0};
    brick_scene(s, 1);
    struct bricks *b = (struct bricks *)s->bricks;
    const uint32_t lanes = b->window.nlanes;
    syscall_recent_add(calls, &(struct syscall_event){.kind = SYSCALL_CALL,
                                                      .pid = b->programs[0].pid,
                                                      .tid = 5,
                                                      .begin_ns = b->window.start + 1,
                                                      .end_ns = b->window.start + 9});
    bricks_window_calls(b, &s->arena, calls, 0);
    assert_int_equal(b->window.nlanes, lanes + 1);
    bricks_write(out, &bytes, b);
    struct byte_reader reader = {.p = bytes.p, .end = bytes.p + bytes.n};
    back->bricks = bricks_read(in, &reader, back);
    assert_non_null(back->bricks);
    const struct brick_window *w = &back->bricks->window;
    assert_string_equal(w->lanes[lanes].name, "calls of 5");
    assert_int_equal(w->nspans, b->window.nspans);
    bricks_coder_free(out);
    bricks_coder_free(in);
    syscall_recent_free(calls);
    free(bytes.p);
    snapshot_unref(s);
    snapshot_unref(back);
}

TEST(work_of_several_threads_is_restored)
{
    struct snapshot *s = snapshot_new(NULL), *back = snapshot_new(NULL);
    struct bricks_coder *out = bricks_coder_new(), *in = bricks_coder_new();
    struct bytes bytes = {0};
    brick_scene(s, 1);
    struct bricks *b = (struct bricks *)s->bricks;
    share((struct graph *)b->tree);
    roofline_fill(&b->roofline, &s->arena, b->tree, NULL);
    bricks_write(out, &bytes, b);
    struct byte_reader reader = {.p = bytes.p, .end = bytes.p + bytes.n};
    const struct bricks *read = bricks_read(in, &reader, back);
    assert_non_null(read);
    back->bricks = read;
    const struct roofline *r = &b->roofline, *x = &read->roofline;
    assert_int_equal(x->npoints, r->npoints);
    assert_int_equal(x->nroofs, r->nroofs);
    int shared = 0;
    for (uint32_t i = 0; i < r->npoints; i++) {
        assert_int_equal(x->points[i].over, r->points[i].over);
        assert_int_equal(x->points[i].elapsed, r->points[i].elapsed);
        assert_int_equal(x->points[i].of_total, r->points[i].of_total);
        assert_true(x->points[i].flops == r->points[i].flops);
        shared += r->points[i].over == OVER_SPANS;
    }
    assert_true(shared >= 2);
    assert_float_equal(x->roofs[0].flops_spread, 0.007, 1e-12);
    assert_float_equal(x->roofs[0].bytes_spread, 0.21, 1e-12);
    bricks_coder_free(out);
    bricks_coder_free(in);
    free(bytes.p);
    snapshot_unref(s);
    snapshot_unref(back);
}

/* A recording keeps the roofs of the host that it was made on. The second frame is written as its
 * difference from the first. */
TEST(measured_roofs_are_restored)
{
    struct bricks_coder *out = bricks_coder_new(), *in = bricks_coder_new();
    struct cpu_roofs cpu = {.how = "measured", .none = "", .cpus = 8};
    cpu.flops[CPU_256][CPU_F32] = (struct cpu_peak){100e9, 700e9, 0.01, 0.02};
    cpu.bytes[CPU_L1].one = 2e11;
    struct snapshot *s[2], *back[2];
    for (int i = 0; i < 2; i++) {
        struct bytes bytes = {0};
        s[i] = snapshot_new(NULL);
        back[i] = snapshot_new(NULL);
        brick_scene(s[i], i + 1);
        struct bricks *b = (struct bricks *)s[i]->bricks;
        b->cpu = &cpu;
        bricks_write(out, &bytes, b);
        struct byte_reader reader = {.p = bytes.p, .end = bytes.p + bytes.n};
        const struct bricks *read = bricks_read(in, &reader, back[i]);
        assert_non_null(read);
        back[i]->bricks = read;
        assert_non_null(read->cpu);
        assert_string_equal(read->cpu->how, "measured");
        assert_int_equal(read->cpu->cpus, 8);
        assert_memory_equal(read->cpu->flops, cpu.flops, sizeof cpu.flops);
        assert_memory_equal(read->cpu->bytes, cpu.bytes, sizeof cpu.bytes);
        free(bytes.p);
    }
    for (int i = 0; i < 2; i++) {
        snapshot_unref(s[i]);
        snapshot_unref(back[i]);
    }
    bricks_coder_free(out);
    bricks_coder_free(in);
}
