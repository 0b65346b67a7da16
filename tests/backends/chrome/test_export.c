/* Reads back rooftop's own export in this format: it has the same calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/graph/graph_export.h"
#include "support/trace_text.h"
#include "support/test.h"

static uint32_t add(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                    enum edge_kind via, uint64_t start, uint64_t ns)
{
    return graph_add(g, kind, graph_intern(g, name), parent, via, start, ns);
}

static uint32_t lane(struct graph *g, enum node_kind kind, const char *name, uint32_t parent,
                     int64_t id)
{
    uint32_t n = add(g, kind, name, parent, parent == GRAPH_NONE ? EDGE_CONTAINS : EDGE_LAUNCHES,
                     GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(g, n)->thread.id = id;
    return n;
}

enum { PROGRAM, THREAD, WORKER, QUEUE, OTHER_PROGRAM, OTHER_THREAD, IDLE_THREAD, LANES };

static void add_lanes(struct graph *g)
{
    lane(g, NODE_PROGRAM, "prog \"one\" \xe2\x86\x92", GRAPH_NONE, 4711);
    lane(g, NODE_THREAD, "main", PROGRAM, 4711);
    lane(g, NODE_THREAD, "worker", PROGRAM, 7);
    lane(g, NODE_QUEUE, "queue", PROGRAM, 7); /* also the number of a thread */
    lane(g, NODE_PROGRAM, "other", GRAPH_NONE, 99);
    lane(g, NODE_THREAD, "main", OTHER_PROGRAM, 99);
    lane(g, NODE_THREAD, "idle", OTHER_PROGRAM, 100);
}

static const uint64_t base = UINT64_C(1712195495519689047);

static void add_device_work(struct graph *g, uint32_t norm)
{
    uint32_t kernel = add(g, NODE_KERNEL, "gemm<4>", norm, EDGE_LAUNCHES, base + 700, 9001);
    struct graph_detail *d = graph_detail(g, kernel);
    g->flags[kernel] |= NODE_DEVICE_TIME;
    for (uint32_t i = 0; i < 3; i++) {
        d->kernel.grid[i] = 100 + i;
        d->kernel.block[i] = 10 + i;
    }
    d->kernel.shared_bytes = 12345;
    uint32_t part = add(g, NODE_FUNCTION, "part", kernel, EDGE_CONTAINS, base + 700, 9001);
    g->flags[part] |= NODE_DEVICE_TIME;
    uint32_t copy = add(g, NODE_TRANSFER, "back", QUEUE, EDGE_LAUNCHES, base + 10000, 77);
    uint32_t from = graph_intern(g, "GPU 0"), to = graph_intern(g, "pinned");
    g->flags[copy] |= NODE_DEVICE_TIME;
    d = graph_detail(g, copy);
    d->transfer.bytes = UINT64_C(5000000000);
    d->transfer.direction = 1;
    d->transfer.from = from;
    d->transfer.to = to;
    graph_connect(g, norm, copy, EDGE_LAUNCHES);
    graph_connect(g, kernel, copy, EDGE_DEPENDS);
    graph_connect(g, copy, part, EDGE_TRANSFER);
}

/* Spans that nest by time, asynchronous spans that overlap their parent, and siblings whose times
 * would nest. */
static struct graph *everything(void)
{
    struct graph *g = graph_new();
    add_lanes(g);
    uint32_t pass = add(g, NODE_BACKEND, "avx2", THREAD, EDGE_LAUNCHES, base, 1000);
    uint32_t layer = add(g, NODE_LAYER, "Layer 0", pass, EDGE_CONTAINS, base, 1000);
    uint32_t norm = add(g, NODE_BRICK, "RmsNorm", layer, EDGE_CONTAINS, base + 1, 500);
    g->category[norm] = CATEGORY_NORM;
    uint32_t gate = add(g, NODE_BRICK, "Gate", layer, EDGE_CONTAINS, base + 501, 499);
    g->category[gate] = CATEGORY_FFN;
    /* its time lies in Gate, but its parent is the layer */
    add(g, NODE_BRICK, "beside", layer, EDGE_CONTAINS, base + 600, 100);
    add(g, NODE_FUNCTION, "nothing", gate, EDGE_CONTAINS, base + 1000, 0);
    add(g, NODE_FUNCTION, "in nothing", gate + 2, EDGE_CONTAINS, base + 1000, 0);
    add(g, NODE_TASK, "load", layer, EDGE_LAUNCHES, base + 20, 100000);
    add_device_work(g, norm);
    add(g, NODE_FUNCTION, "a\\b\n\x01", WORKER, EDGE_LAUNCHES, base + 50, 3);
    add(g, NODE_FUNCTION, "elsewhere", OTHER_THREAD, EDGE_LAUNCHES, base + 60, 1000000000000);
    graph_connect(g, norm, gate, EDGE_SEQUENCE);
    graph_finish(g);
    return g;
}

static void read_back(struct trace *t, const struct graph *g)
{
    char *text = NULL;
    size_t size = 0;
    struct graph_export_options o = {.root = GRAPH_NONE};
    FILE *f = open_memstream(&text, &size);
    graph_export_chrome(f, g, &o);
    fclose(f);
    trace_text_read(t, text);
    free(text);
}

static void same_detail(const struct graph *a, const struct graph *b, uint32_t n)
{
    bool has = a->kind[n] == NODE_KERNEL || a->kind[n] == NODE_TRANSFER || n < LANES;
    if (!has)
        return;
    assert_true(a->detail[n] != GRAPH_NONE && b->detail[n] != GRAPH_NONE);
    const struct graph_detail *x = &a->details[a->detail[n]], *y = &b->details[b->detail[n]];
    if (a->kind[n] == NODE_KERNEL) {
        assert_memory_equal(x->kernel.grid, y->kernel.grid, sizeof x->kernel.grid);
        assert_memory_equal(x->kernel.block, y->kernel.block, sizeof x->kernel.block);
        assert_int_equal(x->kernel.shared_bytes, y->kernel.shared_bytes);
    } else if (a->kind[n] == NODE_TRANSFER) {
        assert_int_equal(x->transfer.bytes, y->transfer.bytes);
        assert_int_equal(x->transfer.direction, y->transfer.direction);
        assert_string_equal(graph_text(a, x->transfer.from), graph_text(b, y->transfer.from));
        assert_string_equal(graph_text(a, x->transfer.to), graph_text(b, y->transfer.to));
    } else {
        assert_int_equal(x->thread.id, y->thread.id);
    }
}

static void same_node(const struct graph *a, const struct graph *b, uint32_t n)
{
    if (strcmp(graph_name(a, n), graph_name(b, n)) != 0 || a->kind[n] != b->kind[n] ||
        a->parent[n] != b->parent[n] || a->via[n] != b->via[n] || a->start[n] != b->start[n] ||
        a->duration[n] != b->duration[n] || a->flags[n] != b->flags[n] ||
        a->category[n] != b->category[n])
        fail_msg("node %u: %s in %u via %u at %llu, was %s in %u via %u at %llu", n,
                 graph_name(b, n), b->parent[n], b->via[n], (unsigned long long)b->start[n],
                 graph_name(a, n), a->parent[n], a->via[n], (unsigned long long)a->start[n]);
    same_detail(a, b, n);
}

TEST(the_same_calls_come_back)
{
    struct graph *g = everything();
    struct trace t;
    read_back(&t, g);
    assert_int_equal(t.calls->nnodes, g->nnodes);
    assert_int_equal(t.dropped, 0);
    assert_int_equal(t.spans, g->nnodes - LANES);
    for (uint32_t n = 0; n < g->nnodes; n++)
        same_node(g, t.calls, n);
    for (uint32_t i = 0; i < g->nedges; i++)
        if (!trace_text_edge(&t, g->edge_from[i], g->edge_to[i], (enum edge_kind)g->edge_kind[i]))
            fail_msg("no %s edge %u -> %u", edge_kind_name((enum edge_kind)g->edge_kind[i]),
                     g->edge_from[i], g->edge_to[i]);
    assert_int_equal(t.ndispatches, 0);
    trace_free(&t);
    graph_unref(g);
}

TEST(twice_is_the_same_text)
{
    struct graph *g = everything();
    struct trace t, again;
    read_back(&t, g);
    read_back(&again, t.calls);
    assert_int_equal(again.calls->nnodes, t.calls->nnodes);
    assert_int_equal(again.calls->nedges, t.calls->nedges);
    for (uint32_t n = 0; n < t.calls->nnodes; n++)
        same_node(t.calls, again.calls, n);
    trace_free(&t);
    trace_free(&again);
    graph_unref(g);
}

/* An export whose numbers were changed: no crash, and nothing is read that the numbers do not
 * say. */
TEST(an_export_with_other_numbers)
{
    static const char head[] =
        "[{\"ph\":\"M\",\"name\":\"trace\",\"args\":{\"name\":\"rooftop\"}},";
    static const char *const spans[] = {
        "{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"layer\",\"ts\":1,\"dur\":9,\"args\":{\"node\":%s}},"
        "{\"ph\":\"X\",\"name\":\"b\",\"cat\":\"brick,FFN\",\"ts\":2,\"dur\":3,"
        "\"args\":{\"node\":%s,\"parent\":%s}}]",
    };
    static const char *const numbers[][3] = {
        {"1", "2", "1"}, {"2", "1", "2"},  {"1", "1", "1"},     {"5", "7", "6"},
        {"1", "2", "2"}, {"-1", "2", "1"}, {"1", "\"x\"", "1"}, {"1", "2", "9223372036854775807"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct trace t;
        char text[512];
        size_t n = (size_t)snprintf(text, sizeof text, "%s", head);
        snprintf(text + n, sizeof text - n, spans[0], numbers[i][0], numbers[i][1], numbers[i][2]);
        trace_text_read(&t, text);
        assert_int_equal(t.spans, 2);
        uint32_t b = trace_text_node(&t, "b", 0), a = trace_text_node(&t, "a", 0);
        assert_int_equal(t.calls->kind[b], NODE_BRICK);
        assert_int_equal(t.calls->category[b], CATEGORY_FFN);
        if (i == 0)
            assert_int_equal(t.calls->parent[b], a);
        trace_free(&t);
    }
}
