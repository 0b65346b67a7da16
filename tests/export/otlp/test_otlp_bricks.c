/* Bricks as they end: each once, below what it ran in, whichever of them ends first. */
#include <stdio.h>
#include <string.h>

#include "export/otlp/otlp_bricks.h"
#include "support/otlp_read.h"
#include "support/test.h"

enum { PID = 4242, OUTER = 7, INNER = 8 };
#define DAY UINT64_C(1700000000000000000)

static struct read_spans got;
static uint8_t command[OTLP_SPAN_ID] = {0xc0, 1, 2, 3, 4, 5, 6, 7};

static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct otlp_bytes all = {0};
    (void)ctx, (void)err;
    for (size_t i = 0; i < 3; i++)
        otlp_put(&all, m->part[i], m->size[i]);
    otlp_read(&got, all.data, all.n);
    otlp_bytes_free(&all);
    return 0;
}

/* A span of a program that ends now. */
static void ends(struct otlp_bricks *o, uint64_t program, bool is_command, const char *name,
                 uint64_t span, uint64_t parent, uint64_t start)
{
    struct graph *g = graph_new();
    const uint32_t p = graph_add(g, NODE_PROGRAM, graph_intern(g, "app"), GRAPH_NONE, EDGE_CONTAINS,
                                 GRAPH_UNKNOWN, GRAPH_UNKNOWN),
                   t = graph_add(g, NODE_THREAD, graph_intern(g, "main"), p, EDGE_LAUNCHES,
                                 GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    graph_detail(g, t)->thread.id = 99;
    const uint32_t n =
        graph_add(g, NODE_BRICK, graph_intern(g, name), t, EDGE_CONTAINS, start, 100);
    otlp_bricks_take(o, &(struct brick_spans){.program = program,
                                              .pid = PID,
                                              .command = is_command,
                                              .name = "app",
                                              .graph = g,
                                              .first = n,
                                              .n = 1,
                                              .span = &span,
                                              .parent = &parent,
                                              .to_unix_ns = DAY});
    graph_unref(g);
}

static void over(struct otlp_bricks *o, uint64_t program)
{
    struct graph *g = graph_new();
    otlp_bricks_take(
        o, &(struct brick_spans){.program = program, .name = "app", .graph = g, .over = true});
    graph_unref(g);
}

static void identifier(const uint8_t *id, char out[17])
{
    for (size_t i = 0; i < OTLP_SPAN_ID; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* The inner one ends first and comes in a message of its own. */
static void run(const uint8_t *of, bool is_command)
{
    struct error err = ERROR_INIT;
    struct otlp_context context;
    struct otlp_attrs resource = {.n = 0};
    otlp_context_of(&context, 1);
    struct otlp_batch b = {.format = &otlp_protobuf, .resource = &resource, .take = take};
    struct otlp_bricks *o = otlp_bricks_new(&context, &b, of, NULL);
    ends(o, 1, is_command, "inner", INNER, OUTER, 500);
    assert_int_equal(otlp_batch_end(&b, &err), 0);
    b.spans = (struct otlp_bytes){0};
    assert_int_equal(got.n, 1);
    ends(o, 1, is_command, "outer", OUTER, 0, 450);
    ends(o, 2, false, "other", OUTER, 0, 10); /* the same number in another program */
    over(o, 1);
    over(o, 1);
    otlp_bricks_end(o);
    otlp_bricks_end(o);
    assert_int_equal(otlp_batch_end(&b, &err), 0);
    otlp_bricks_free(o);
}

TEST(test_programs)
{
    run(NULL, false);
    const struct read_span *inner = otlp_named(&got, "inner"), *outer = otlp_named(&got, "outer"),
                           *other = otlp_named(&got, "other");
    assert_int_equal(got.n, 5); /* two programs */
    assert_string_equal(inner->parent, outer->id);
    assert_string_not_equal(other->id, outer->id);
    assert_true(inner->begin == DAY + 500 && inner->end == DAY + 600);
    otlp_has(inner->attrs, "rooftop.kind=brick");
    otlp_has(inner->attrs, "thread.id=99");
    otlp_has(inner->attrs, "thread.name=main");
    size_t programs = 0;
    for (size_t i = 0; i < got.n; i++) {
        const struct read_span *s = &got.list[i];
        if (strcmp(s->name, "app") != 0)
            continue;
        programs++;
        assert_string_equal(s->parent, "");
        otlp_has(s->attrs, "process.pid=4242");
        if (strcmp(outer->parent, s->id) == 0)
            assert_true(s->begin == DAY + 450 && s->end == DAY + 600);
        else
            assert_string_equal(other->parent, s->id);
    }
    assert_int_equal(programs, 2);
    otlp_read_free(&got);
}

/* The command that was started has a span already: its bricks are below that, and so are other
 * programs. */
TEST(test_command)
{
    char id[17];
    identifier(command, id);
    run(command, true);
    assert_int_equal(got.n, 4);
    assert_string_equal(otlp_named(&got, "outer")->parent, id);
    const struct read_span *other = otlp_named(&got, "app");
    assert_string_equal(other->parent, id);
    assert_string_equal(otlp_named(&got, "other")->parent, other->id);
    otlp_read_free(&got);
}
