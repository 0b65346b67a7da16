/*
 * A trace's graph as spans: the parents, times and bounds that no test of a file shows: launches
 * that would make a circle, chains of a million nodes, spans without a time, names that are no
 * text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/otlp/otlp_graph.h"
#include "support/otlp_read.h"
#include "support/test.h"

#define DAY UINT64_C(1700000000000000000)

struct made {
    struct trace trace;
    struct graph *g;
    uint32_t program, thread, queue;
    struct read_spans read;
    struct otlp_bytes bytes;
    uint64_t spans;
    bool counts; /* only */
    struct otlp_graph out;
};

static void begin(struct made *m)
{
    *m = (struct made){.g = graph_new()};
    m->trace.calls = m->g;
    m->program = graph_add(m->g, NODE_PROGRAM, graph_intern(m->g, "app"), GRAPH_NONE, EDGE_CONTAINS,
                           GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(m->g, m->program)->thread.id = 4242;
    m->thread = graph_add(m->g, NODE_THREAD, graph_intern(m->g, "main"), m->program, EDGE_LAUNCHES,
                          GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    m->queue = graph_add(m->g, NODE_QUEUE, graph_intern(m->g, "queue"), m->program, EDGE_LAUNCHES,
                         GRAPH_UNKNOWN, GRAPH_UNKNOWN);
}

static uint32_t add(struct made *m, enum node_kind kind, const char *name, uint32_t parent,
                    uint64_t start, uint64_t duration)
{
    return graph_add(m->g, kind, graph_intern(m->g, name), parent, EDGE_CONTAINS, start, duration);
}

static int take(void *ctx, const struct otlp_message *msg, struct error *err)
{
    struct made *m = ctx;
    (void)err;
    m->spans += msg->spans;
    m->bytes.n = 0;
    for (size_t i = 0; i < 3; i++)
        otlp_put(&m->bytes, msg->part[i], msg->size[i]);
    if (!m->counts)
        otlp_read(&m->read, m->bytes.data, m->bytes.n);
    return 0;
}

static void finish(struct made *m)
{
    struct error err = ERROR_INIT;
    struct otlp_context context;
    struct otlp_attrs resource = {.n = 0};
    graph_finish(m->g);
    otlp_context_of(&context, otlp_graph_key(&m->trace));
    struct otlp_batch batch = {
        .format = &otlp_protobuf, .resource = &resource, .take = take, .ctx = m};
    m->out = (struct otlp_graph){.trace = &m->trace, .context = &context, .batch = &batch};
    assert_int_equal(otlp_graph_write(&m->out, &err), 0);
    assert_int_equal(otlp_batch_end(&batch, &err), 0);
    otlp_bytes_free(&m->bytes);
}

static void end(struct made *m)
{
    otlp_read_free(&m->read);
    graph_unref(m->g);
}

TEST(test_parents)
{
    struct made m;
    begin(&m);
    const uint32_t op = add(&m, NODE_FUNCTION, "op", m.thread, DAY + 100, 50);
    const uint32_t call = add(&m, NODE_FUNCTION, "launch", op, DAY + 110, 5);
    const uint32_t kernel = add(&m, NODE_KERNEL, "gemm", m.queue, DAY + 200, 70);
    add(&m, NODE_KERNEL, "alone", m.queue, DAY + 300, 10);
    add(&m, NODE_RANGE, "mirrored", m.queue, DAY + 200, 70);
    add(&m, NODE_FUNCTION, "untimed", m.thread, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    add(&m, NODE_FUNCTION, "unended", m.thread, DAY + 120, GRAPH_UNKNOWN);
    m.g->flags[kernel] |= NODE_FAILED;
    graph_connect(m.g, call, kernel, EDGE_LAUNCHES);
    finish(&m);
    assert_int_equal(m.read.n, 5);
    assert_int_equal(m.out.unended, 1);
    assert_int_equal(m.out.undated, 0); /* its times are the time of day */
    const struct read_span *app = otlp_named(&m.read, "app"), *gemm = otlp_named(&m.read, "gemm");
    assert_string_equal(app->parent, "");
    assert_true(app->begin == DAY + 100 && app->end == DAY + 310);
    otlp_has(app->attrs, "process.pid=4242");
    assert_string_equal(otlp_named(&m.read, "op")->parent, app->id);
    assert_string_equal(otlp_named(&m.read, "launch")->parent, otlp_named(&m.read, "op")->id);
    assert_string_equal(gemm->parent, otlp_named(&m.read, "launch")->id);
    assert_string_equal(otlp_named(&m.read, "alone")->parent, app->id);
    assert_true(gemm->begin == DAY + 200 && gemm->end == DAY + 270);
    assert_int_equal(gemm->status, 2);
    otlp_has(gemm->attrs, "rooftop.queue.name=queue");
    otlp_has(otlp_named(&m.read, "op")->attrs, "thread.name=main");
    end(&m);
}

/* No span is its own ancestor, whatever the edges say. */
TEST(test_circles)
{
    struct made m;
    begin(&m);
    const uint32_t a = add(&m, NODE_KERNEL, "a", m.queue, DAY, 10);
    const uint32_t b = add(&m, NODE_KERNEL, "b", m.queue, DAY, 10);
    const uint32_t inside = add(&m, NODE_FUNCTION, "inside", a, DAY, 5);
    const uint32_t host = add(&m, NODE_FUNCTION, "host", m.thread, DAY, 10);
    graph_connect(m.g, a, b, EDGE_LAUNCHES);
    graph_connect(m.g, b, a, EDGE_LAUNCHES);
    graph_connect(m.g, inside, a, EDGE_LAUNCHES);
    graph_connect(m.g, a, host, EDGE_LAUNCHES);
    graph_connect(m.g, host, m.program, EDGE_LAUNCHES);
    graph_connect(m.g, host, host, EDGE_LAUNCHES);
    finish(&m);
    assert_int_equal(m.read.n, 5);
    for (size_t i = 0; i < m.read.n; i++) {
        const char *up = m.read.list[i].parent;
        size_t steps = 0;
        for (size_t k = 0; k < m.read.n && *up; k++)
            if (strcmp(m.read.list[k].id, up) == 0) {
                up = m.read.list[k].parent;
                k = (size_t)-1;
                if (++steps > m.read.n)
                    fail_msg("%s is its own ancestor", m.read.list[i].name);
            }
    }
    end(&m);
}

/* A chain of a million nodes without times, and as many spans below one another: one pass each. */
TEST(test_deep)
{
    enum { DEEP = 1000000 };
    struct made m;
    begin(&m);
    m.counts = true;
    uint32_t at = m.thread;
    for (int i = 0; i < DEEP; i++)
        at = add(&m, NODE_FUNCTION, "f", at, i % 2 ? DAY : GRAPH_UNKNOWN, i % 2 ? 10 : 0);
    finish(&m);
    assert_int_equal(m.spans, DEEP / 2 + 1);
    end(&m);
}

/* Names that are no UTF-8, and times at the end of the numbers. */
TEST(test_hostile)
{
    struct made m;
    begin(&m);
    add(&m, NODE_BRICK, "\xff\xc0\x80\xed\xa0\x80", m.thread, DAY, 1);
    add(&m, NODE_FUNCTION, "", m.thread, DAY, 0);
    add(&m, NODE_FUNCTION, "late", m.thread, UINT64_MAX - 5, 100);
    add(&m, NODE_FUNCTION, "long", m.thread, DAY, UINT64_MAX - 5);
    finish(&m); /* the decoder fails on what is no UTF-8, and on an end before its begin */
    assert_int_equal(m.read.n, 5);
    end(&m);
}
