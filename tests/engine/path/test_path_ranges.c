/* Ranges that are mirrored to a device's stream, and functions of Python, are only context: they
 * change no result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/path_found.h"
#include "support/trace_text.h"
#include "support/test.h"

static bool on_path(const struct path_found *f, const char *name)
{
    uint32_t v = trace_text_node(&f->t, name, 0);
    for (uint32_t i = 0; i < f->p.nsteps; i++)
        if (f->p.steps[i].node == v && !f->p.steps[i].latency)
            return true;
    return false;
}

/* Three kernels without gaps, and a range over the last two. */
TEST(a_range_is_no_work)
{
    struct path_found f;
    trace_text_data(&f.t, "tests/data/path/ranges.json");
    path_find(&f);
    const struct graph *g = f.t.calls;
    assert_true(on_path(&f, "first") && on_path(&f, "second") && on_path(&f, "third"));
    assert_int_equal(f.s.all.ns[PATH_COMPUTE], 3000000);
    assert_int_equal(f.s.all.ns[PATH_LATENCY], 10000);
    assert_int_equal(f.p.length, 3018000); /* includes the rest of the waiting call */
    uint32_t range = trace_text_node(&f.t, "Optimizer.step", 1);
    assert_int_equal(g->kind[range], NODE_RANGE);
    assert_int_equal(g->duration[range], 2000000); /* it is drawn */
    assert_int_equal(f.p.slack[range], GRAPH_UNKNOWN);
    assert_int_equal(f.p.slack[trace_text_node(&f.t, "second", 0)], 0);
    uint32_t queue = g->parent[range];
    assert_int_equal(g->kind[queue], NODE_QUEUE);
    assert_int_equal(g->parent[trace_text_node(&f.t, "third", 0)], queue);
    assert_int_equal(f.t.sums->duration[f.t.place[queue]], 3000000);
    for (uint32_t e = 0; e < g->nedges; e++)
        assert_true(g->edge_from[e] != range && g->edge_to[e] != range);
    path_drop(&f);
}

static uint64_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

enum { KERNELS = 24, STREAMS = 3, TEXT = 64 << 10 };

/* Calls that launch kernels into some streams, then one that waits; with or without ranges in the
 * streams, whose times are unrelated to the kernels'. */
static void write_trace(char *out, bool ranges)
{
    uint32_t call = 0, free_at[STREAMS] = {0}, last = 0;
    size_t n = (size_t)sprintf(out, "{\"traceEvents\": [");
    for (uint32_t i = 1; i <= KERNELS; i++) {
        uint32_t stream = below(STREAMS), gap = below(30), length = 1 + below(40);
        uint32_t start = (free_at[stream] > call + 2 ? free_at[stream] : call + 2) + below(4);
        free_at[stream] = start + length;
        last = free_at[stream] > last ? free_at[stream] : last;
        n += (size_t)sprintf(out + n,
                             "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"launch\", "
                             "\"pid\": 9, \"tid\": 9, \"ts\": %u, \"dur\": 2, \"args\": "
                             "{\"correlation\": %u}},{\"ph\": \"X\", \"cat\": \"kernel\", "
                             "\"name\": \"k%u\", \"pid\": 0, \"tid\": %u, \"ts\": %u, \"dur\": %u, "
                             "\"args\": {\"device\": 0, \"stream\": %u, \"correlation\": %u}},",
                             call, i, i % 5, stream + 7, start, length, stream + 7, i);
        static const char *const kinds[] = {"gpu_user_annotation", "cuda_sync",
                                            "cuda_profiler_range"};
        uint32_t from = below(200), lasts = 1 + below(300);
        if (ranges)
            n += (size_t)sprintf(out + n,
                                 "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"step\", \"pid\": 0, "
                                 "\"tid\": %u, \"ts\": %u, \"dur\": %u, \"args\": {}},",
                                 kinds[below(3)], stream + 7, start > from ? start - from : 0,
                                 lasts);
        else
            below(3);
        call += 2 + gap;
    }
    sprintf(out + n,
            "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaDeviceSynchronize\", "
            "\"pid\": 9, \"tid\": 9, \"ts\": %u, \"dur\": %u}]}",
            call, (last > call ? last - call : 0) + 500); /* every range ends before it does */
}

static void same(const struct path_found *a, const struct path_found *b)
{
    assert_int_equal(a->p.length, b->p.length);
    assert_int_equal(a->p.nsteps, b->p.nsteps);
    for (uint32_t i = 0; i < a->p.nsteps; i++) {
        assert_string_equal(graph_name(a->t.calls, a->p.steps[i].node),
                            graph_name(b->t.calls, b->p.steps[i].node));
        assert_int_equal(a->p.steps[i].length, b->p.steps[i].length);
        assert_int_equal(a->p.steps[i].latency, b->p.steps[i].latency);
    }
    for (int i = 0; i < PATH_PARTS; i++)
        assert_int_equal(a->s.all.ns[i], b->s.all.ns[i]);
    assert_int_equal(a->s.ndevices, b->s.ndevices);
    for (uint32_t i = 0; i < a->s.ndevices; i++)
        assert_int_equal(a->s.devices[i].mix.total, b->s.devices[i].mix.total);
    assert_int_equal(a->k.total.busy, b->k.total.busy);
    assert_int_equal(a->k.total.label.label, b->k.total.label.label);
    assert_memory_equal(&a->k.total.facts, &b->k.total.facts, sizeof a->k.total.facts);
    for (uint32_t v = 0, w = 0; v < a->t.calls->nnodes; v++)
        if (!graph_is_context(a->t.calls, v)) /* all other nodes are the same, in the same order */
            assert_int_equal(a->p.slack[v], b->p.slack[w++]);
}

TEST(ranges_change_nothing)
{
    char *with = test_malloc(TEXT), *without = test_malloc(TEXT);
    for (uint64_t round = 1; round <= 200; round++) {
        struct path_found a, b;
        seed = round;
        write_trace(with, true);
        seed = round;
        write_trace(without, false);
        trace_text_read(&a.t, with);
        trace_text_read(&b.t, without);
        path_find(&a);
        path_find(&b);
        same(&a, &b);
        path_drop(&a);
        path_drop(&b);
    }
    test_free(with);
    test_free(without);
}

static size_t add_span(char *out, const char *kind, uint32_t from, uint32_t to)
{
    return (size_t)sprintf(out,
                           "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"of %s\", \"pid\": 9, "
                           "\"tid\": 9, \"ts\": %u, \"dur\": %u},",
                           kind, kind, from, to - from);
}

/* Operations, some with one inside, some with a pause after them; with or without functions of
 * Python, which begin and end anywhere: around operations, inside them, over their edges. */
static void write_operations(char *out, bool frames)
{
    size_t n = (size_t)sprintf(out, "{\"traceEvents\": [");
    uint32_t at = 0;
    for (uint32_t i = 0; i < KERNELS; i++) {
        uint32_t length = 10 + below(40), inside = below(2) ? 1 + below(8) : 0;
        n += add_span(out + n, "cpu_op", at, at + length);
        if (inside)
            n += add_span(out + n, "cpu_op", at + 1, at + 1 + inside);
        at += length + (i + 1 < KERNELS ? below(30) : 0);
    }
    for (uint32_t i = 0; frames && i < 2 * KERNELS; i++) {
        uint32_t from = below(at), to = from + 1 + below(60);
        n += add_span(out + n, "python_function", from, to < at ? to : at);
    }
    sprintf(out + n - 1, "]}");
}

TEST(functions_of_python_change_no_share)
{
    char *with = test_malloc(TEXT), *without = test_malloc(TEXT);
    for (uint64_t round = 1; round <= 200; round++) {
        struct path_found a, b;
        seed = round;
        write_operations(with, true);
        seed = round;
        write_operations(without, false);
        trace_text_read(&a.t, with);
        trace_text_read(&b.t, without);
        path_find(&a);
        path_find(&b);
        assert_int_equal(a.p.length, b.p.length);
        assert_true(b.s.all.ns[PATH_HOST] > 0);
        for (int i = 0; i < PATH_PARTS; i++)
            assert_int_equal(a.s.all.ns[i], b.s.all.ns[i]);
        path_drop(&a);
        path_drop(&b);
    }
    test_free(with);
    test_free(without);
}
