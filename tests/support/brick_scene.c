#include "support/brick_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/bricks/bricks.h"
#include "engine/roofline/roofline.h"
#include "engine/value/histogram.h"

struct making {
    struct graph *g;
    int tick;
};

/* Adds a place with n calls of about `mean` ns, which vary by a tenth. */
static uint32_t place(struct making *m, enum node_kind kind, const char *name, uint32_t parent,
                      uint64_t n, uint64_t mean)
{
    struct graph *g = m->g;
    uint32_t node =
        graph_add(g, kind, graph_intern(g, name), parent, EDGE_CONTAINS, GRAPH_UNKNOWN, n * mean);
    struct graph_work *w = graph_work(g, node);
    struct histogram *h = calloc(1, sizeof *h);
    for (uint64_t i = 0; i < n; i++)
        histogram_count(h, mean * 9 / 10 + mean / 5 * i / n);
    *w = (struct graph_work){.count = n,
                             .total = n * mean,
                             .min = mean * 9 / 10,
                             .max = mean * 11 / 10,
                             .sum_squares = 1.003 * (double)n * (double)mean * (double)mean,
                             .histogram = graph_add_histogram(g, h)};
    *graph_extra(g, node) = (struct graph_extra){.recent_count = 10, .recent_total = 10 * mean};
    return node;
}

static uint32_t brick(struct making *m, const char *name, enum node_category category,
                      uint32_t parent, uint64_t n, uint64_t mean, uint64_t bytes, uint64_t flops)
{
    uint32_t node = place(m, NODE_BRICK, name, parent, n, mean);
    m->g->category[node] = (uint8_t)category;
    struct graph_extra *x = graph_extra(m->g, node);
    x->elements = n * 4096;
    x->bytes = n * bytes;
    x->flops = n * flops;
    return node;
}

static void kernel(struct making *m, const char *name, uint32_t parent, uint64_t n, uint64_t mean,
                   uint64_t bytes, uint64_t flops)
{
    uint32_t node = place(m, NODE_KERNEL, name, parent, n, mean);
    struct graph_detail *d = graph_detail(m->g, node);
    d->kernel.hash = UINT64_C(0x7a3b);
    d->kernel.grid[0] = 32, d->kernel.grid[1] = d->kernel.grid[2] = 1;
    d->kernel.block[0] = 256, d->kernel.block[1] = d->kernel.block[2] = 1;
    d->kernel.shared_bytes = 4096;
    graph_extra(m->g, node)->bytes = n * bytes;
    graph_extra(m->g, node)->flops = n * flops;
}

/* speed: relative to the first backend */
static void layers(struct making *m, uint32_t forward, int count, uint64_t n, double speed)
{
    for (int l = 0; l < count; l++) {
        char name[24];
        snprintf(name, sizeof name, "Layer %d", l);
        uint32_t layer = place(m, NODE_LAYER, name, forward, n, (uint64_t)(1000000 / speed));
        uint32_t norm =
            brick(m, "RmsNorm", CATEGORY_NORM, layer, n, (uint64_t)(5200 / speed), 49152, 16384);
        graph_extra(m->g, norm)->budget = 5000; /* the budget is exceeded */
        uint32_t qkv = brick(m, "QkvProjection", CATEGORY_ATTENTION, layer, n,
                             (uint64_t)(310000 / speed), 6291456, 3145728);
        graph_extra(m->g, qkv)->budget = 400000;
        kernel(m, "batched_q4k_gemv", qkv, n, (uint64_t)(300000 / speed), 6291456, 3145728);
        brick(m, "AttentionScore", CATEGORY_ATTENTION, layer, n, (uint64_t)(82000 / speed), 1048576,
              524288);
        brick(m, "AttentionSoftmax", CATEGORY_ATTENTION, layer, n, (uint64_t)(12000 / speed), 0, 0);
        uint32_t down = brick(m, "DownProjection", CATEGORY_FFN, layer, n,
                              (uint64_t)(520000 / speed), 12582912, 6291456);
        kernel(m, "gemv_down", down, n, (uint64_t)(505000 / speed), 12582912, 6291456);
    }
}

static uint32_t backend(struct making *m, const char *name, uint32_t program, double gflops,
                        uint64_t total)
{
    uint32_t node = place(m, NODE_BACKEND, name, program, 1, total);
    struct graph_detail *d = graph_detail(m->g, node);
    d->backend.peak_flops = gflops * 1e9;
    d->backend.peak_bytes = 36e9;
    d->backend.how = graph_intern(m->g, "measured at start");
    return node;
}

static void programs(struct making *m, struct bricks *b, struct arena *memory)
{
    static const char *const names[] = {"transformer", "loader", "worker"};
    uint64_t n = 100 + 10 * (uint64_t)m->tick;
    b->nprograms = 3;
    b->programs = arena_alloc(memory, 3 * sizeof *b->programs);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = graph_add(m->g, NODE_PROGRAM, graph_intern(m->g, names[i]), GRAPH_NONE,
                                  EDGE_CONTAINS, GRAPH_UNKNOWN, 0);
        graph_detail(m->g, node)->thread.id = 4711 + (int64_t)i;
        b->programs[i] = (struct brick_program){.pid = 4711 + (pid_t)i,
                                                .name = names[i],
                                                .path = "/dev/shm/rooftop-4711-0.bricks",
                                                .node = node,
                                                .state = (uint8_t)i,
                                                .sync = 2,
                                                .threads = 2,
                                                .spans = n * 20};
        if (i == 0) {
            uint32_t avx2 = backend(m, "avx2", node, 128, n * 3100000);
            uint32_t forward = place(m, NODE_FUNCTION, "forward", avx2, n, 3050000);
            struct graph_detail *d = graph_detail(m->g, forward);
            d->function.file = graph_intern(m->g, "model.c");
            d->function.line = 42;
            layers(m, forward, 3, n, 1);
            uint32_t avx512 = backend(m, "avx512", node, 256, n / 10 * 720000);
            forward = place(m, NODE_FUNCTION, "warm up", avx512, n / 10, 700000);
            layers(m, forward, 1, n / 10, 1.5);
            b->programs[i].tokens = n;
            b->programs[i].tokens_per_s = 312.5;
            m->g->duration[node] = m->g->duration[avx2] + m->g->duration[avx512];
        } else if (i == 1) {
            uint32_t move = place(m, NODE_TRANSFER, "H2D", node, 4, 900000);
            struct graph_detail *d = graph_detail(m->g, move);
            d->transfer.bytes = 4 << 20;
            d->transfer.from = graph_intern(m->g, "weights");
            d->transfer.to = graph_intern(m->g, "hbm");
            uint32_t task = place(m, NODE_TASK, "read shard", node, 8, 250000);
            d = graph_detail(m->g, task);
            d->task.polls = 8, d->task.yields = 6, d->task.poll_ns = 2000000;
            m->g->duration[node] = 4 * 900000 + 8 * 250000;
        }
    }
}

static uint32_t find(const struct graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->nnodes; i++)
        if (strcmp(graph_name(g, i), name) == 0)
            return i;
    return 0;
}

static void span(struct brick_window *w, const struct graph *g, const char *name, uint64_t start,
                 uint64_t duration, uint16_t lane, uint8_t depth, uint64_t slack)
{
    uint32_t node = find(g, name);
    w->spans[w->nspans++] = (struct brick_span){.start = start,
                                                .duration = duration,
                                                .slack = slack,
                                                .name = graph_name(g, node),
                                                .node = node,
                                                .lane = lane,
                                                .kind = g->kind[node],
                                                .category = g->category[node],
                                                .depth = depth,
                                                .critical = slack == 0};
}

static void window(struct brick_window *w, const struct graph *g, struct arena *memory)
{
    static const uint64_t lengths[] = {50000, 5200,  10000,  300000, 82000,
                                       12000, 15000, 505000, 20800};
    static const uint32_t steps[] = {0, 1, 2, 3, 4, 5, 6, 7, 0};
    *w = (struct brick_window){.what = "forward", .start = 1000, .wall = 1000000, .path = 1000000};
    w->spans = arena_alloc(memory, 16 * sizeof *w->spans);
    w->lanes = arena_alloc(memory, 3 * sizeof *w->lanes);
    w->lanes[0].name = "transformer 4711";
    w->lanes[1].name = "transformer 4713";
    w->lanes[2].name = "loader 4712";
    w->nlanes = 3;
    span(w, g, "forward", 0, 1000000, 0, 0, 0);
    span(w, g, "RmsNorm", 50000, 5200, 0, 1, 0);
    span(w, g, "QkvProjection", 55200, 310000, 0, 1, 0);
    span(w, g, "batched_q4k_gemv", 60200, 300000, 0, 2, 0);
    span(w, g, "AttentionScore", 365200, 82000, 0, 1, 0);
    span(w, g, "AttentionSoftmax", 447200, 12000, 0, 1, 0);
    span(w, g, "DownProjection", 459200, 520000, 0, 1, 0);
    span(w, g, "gemv_down", 464200, 505000, 0, 2, 0);
    span(w, g, "batched_q4k_gemv", 70000, 180000, 1, 0, 110000);
    span(w, g, "gemv_down", 470000, 300000, 1, 0, 205000);
    span(w, g, "H2D", 0, 420000, 2, 0, 580000);
    span(w, g, "read shard", 430000, 90000, 2, 0, 480000);
    w->nsteps = sizeof steps / sizeof *steps;
    w->steps = arena_alloc(memory, sizeof steps);
    w->lengths = arena_alloc(memory, sizeof lengths);
    w->starts = arena_alloc(memory, sizeof lengths);
    memcpy(w->steps, steps, sizeof steps);
    memcpy(w->lengths, lengths, sizeof lengths);
    for (uint32_t i = 1; i < w->nsteps; i++)
        w->starts[i] = w->starts[i - 1] + w->lengths[i - 1];
}

void brick_scene(struct snapshot *s, int tick)
{
    struct bricks *b = snapshot_alloc(s, sizeof *b);
    struct making m = {graph_new(), tick};
    b->interval_s = 1;
    programs(&m, b, &s->arena);
    graph_finish(m.g);
    b->tree = m.g;
    roofline_fill(&b->roofline, &s->arena, m.g, NULL);
    window(&b->window, m.g, &s->arena);
    s->bricks = b;
}
