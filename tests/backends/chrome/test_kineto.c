/* What PyTorch's profiler writes on NVIDIA and AMD: operators, launches, kernels, and their
 * links. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace_text.h"
#include "support/test.h"

static const uint64_t base = UINT64_C(1717243284000000000);

TEST(kineto_of_a_host)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/kineto_cuda.json");
    const struct graph *g = t.calls;
    assert_int_equal(t.spans, 11);
    assert_int_equal(t.dropped, 0);
    uint32_t program = trace_text_node(&t, "python3", 0),
             gpu = trace_text_node(&t, "python3 (GPU 1)", 0);
    uint32_t thread = trace_text_node(&t, "thread 4242 (python3)", 0);
    uint32_t stream = trace_text_node(&t, "stream 7", 0),
             copies = trace_text_node(&t, "stream 20", 0);
    trace_text_is(&t, program, NODE_PROGRAM, GRAPH_NONE, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    trace_text_is(&t, gpu, NODE_PROGRAM, GRAPH_NONE, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    trace_text_is(&t, thread, NODE_THREAD, program, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    trace_text_is(&t, stream, NODE_QUEUE, gpu, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    trace_text_is(&t, copies, NODE_QUEUE, gpu, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    assert_int_equal(trace_text_detail(&t, program)->thread.id, 4242);
    assert_int_equal(trace_text_detail(&t, copies)->thread.id, 20);
    assert_int_equal(trace_text_node(&t, "one that did nothing", 0), GRAPH_NONE);
    assert_int_equal(trace_text_node(&t, "PyTorch Profiler (0)", 0), GRAPH_NONE);

    uint32_t step = trace_text_node(&t, "ProfilerStep#3", 0),
             linear = trace_text_node(&t, "aten::linear", 0);
    uint32_t mm = trace_text_node(&t, "aten::mm", 0),
             launch = trace_text_node(&t, "cudaLaunchKernel", 0);
    trace_text_is(&t, step, NODE_RANGE, thread, base + 5980250, 200000);
    trace_text_is(&t, linear, NODE_FUNCTION, step, base + 5990500, 10001);
    trace_text_is(&t, mm, NODE_FUNCTION, linear, base + 5992000, 7875);
    trace_text_is(&t, launch, NODE_FUNCTION, mm, base + 5994125, 3500);
    assert_int_equal(g->via[step], EDGE_LAUNCHES);
    assert_int_equal(g->via[linear], EDGE_CONTAINS);
    assert_int_equal(g->flags[launch], 0);
    trace_free(&t);
}

TEST(kineto_on_an_nvidia_gpu)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/kineto_cuda.json");
    const struct graph *g = t.calls;
    uint32_t stream = trace_text_node(&t, "stream 7", 0);
    uint32_t range = trace_text_node(&t, "ProfilerStep#3", 1);
    uint32_t kernel = trace_text_node(&t, "void gemm<float, 128>(float const*, \"x\")", 0);
    trace_text_is(&t, range, NODE_RANGE, stream, base + 6001000, 60000);
    trace_text_is(&t, kernel, NODE_KERNEL, stream, base + 6001500, 40250);
    assert_int_equal(g->flags[kernel], NODE_DEVICE_TIME);
    const struct graph_detail *k = trace_text_detail(&t, kernel);
    assert_true(k->kernel.grid[0] == 8 && k->kernel.grid[1] == 16 && k->kernel.grid[2] == 5);
    assert_true(k->kernel.block[0] == 128 && k->kernel.block[1] == 1 && k->kernel.block[2] == 1);
    assert_int_equal(k->kernel.shared_bytes, 12544);
    trace_free(&t);
}

static size_t edges_between(const struct trace *t, uint32_t from, uint32_t to)
{
    size_t n = 0;
    for (uint32_t i = 0; i < t->calls->nedges; i++)
        n += t->calls->edge_from[i] == from && t->calls->edge_to[i] == to;
    return n;
}

TEST(kineto_says_what_launched_what)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/kineto_cuda.json");
    uint32_t launch = trace_text_node(&t, "cudaLaunchKernel", 0);
    uint32_t kernel = trace_text_node(&t, "void gemm<float, 128>(float const*, \"x\")", 0);
    uint32_t copy = trace_text_node(&t, "Memcpy DtoH (Device -> Pinned)", 0);
    uint32_t set = trace_text_node(&t, "Memset (Device)", 0);
    assert_true(trace_text_edge(&t, launch, kernel, EDGE_LAUNCHES));
    assert_int_equal(edges_between(&t, launch, kernel), 1); /* the arrow repeats the same link */
    assert_true(
        trace_text_edge(&t, trace_text_node(&t, "cudaMemcpyAsync", 0), copy, EDGE_LAUNCHES));
    /* without a correlation id: linked by its External id */
    assert_true(trace_text_edge(&t, trace_text_node(&t, "aten::zero_", 0), set, EDGE_LAUNCHES));
    assert_true(trace_text_edge(&t, trace_text_node(&t, "aten::linear", 0),
                                trace_text_node(&t, "LinearBackward0", 0), EDGE_DEPENDS));
    assert_true(trace_text_edge(&t, copy, set, EDGE_SEQUENCE));
    assert_int_equal(trace_text_detail(&t, copy)->transfer.bytes, 16384);
    assert_int_equal(trace_text_detail(&t, copy)->transfer.direction, 1);
    assert_int_equal(trace_text_detail(&t, set)->transfer.direction, 2);
    assert_string_equal(graph_text(t.calls, trace_text_detail(&t, copy)->transfer.from), "GPU 1");
    assert_string_equal(graph_text(t.calls, trace_text_detail(&t, copy)->transfer.to), "host");
    trace_free(&t);
}

TEST(kineto_says_what_ran_where)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/kineto_cuda.json");
    uint32_t kernel = trace_text_node(&t, "void gemm<float, 128>(float const*, \"x\")", 0);
    assert_int_equal(t.ndispatches, 1);
    assert_int_equal(trace_dispatch_at(&t, 0).node, kernel);
    assert_int_equal(trace_dispatch_at(&t, 0).id, 301);
    assert_int_equal(trace_dispatch_at(&t, 0).vgprs, 122);
    assert_int_equal(trace_dispatch_at(&t, 0).lds_bytes, 12544);
    assert_int_equal(trace_dispatch_at(&t, 0).sgprs, TRACE_UNKNOWN);
    assert_int_equal(t.nagents, 1); /* device 0 has no work */
    const struct trace_agent *a = &t.agents[trace_dispatch_at(&t, 0).agent];
    assert_string_equal(graph_text(t.calls, a->name), "sm_90");
    assert_string_equal(graph_text(t.calls, a->model), "NVIDIA H200");
    assert_true(a->gpu && a->number == 1 && a->units == 132);
    assert_int_equal(a->memory_bytes, UINT64_C(150109880320));
    trace_free(&t);
}

TEST(kineto_on_amd)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/kineto_hip.json");
    assert_int_equal(t.spans, 5);
    uint32_t stream = trace_text_node(&t, "stream 0", 0);
    uint32_t first = trace_text_node(&t, "void scale<4>(float*)", 0);
    uint32_t second = trace_text_node(&t, "void scale<4>(float*)", 1);
    uint32_t copy = trace_text_node(&t, "CopyHostToDevice", 0);
    const uint64_t epoch = UINT64_C(1735632360000000000);
    trace_text_is(&t, first, NODE_KERNEL, stream, epoch + 115500, 17600);
    /* it overlaps, so it is not nested */
    trace_text_is(&t, second, NODE_KERNEL, stream, epoch + 120000, 5000);
    assert_false(trace_text_edge(&t, first, second, EDGE_SEQUENCE));
    assert_true(
        trace_text_edge(&t, trace_text_node(&t, "hipLaunchKernel", 0), first, EDGE_LAUNCHES));
    assert_true(
        trace_text_edge(&t, trace_text_node(&t, "hipMemcpyWithStream", 0), copy, EDGE_LAUNCHES));
    assert_int_equal(trace_text_detail(&t, first)->kernel.grid[0], 16);
    assert_int_equal(t.calls->detail[second], GRAPH_NONE); /* no shape is known */
    assert_int_equal(trace_text_detail(&t, copy)->transfer.direction, 0);
    assert_int_equal(trace_text_detail(&t, copy)->transfer.bytes, 2560);
    assert_int_equal(t.ndispatches, 2);
    assert_int_equal(trace_dispatch_at(&t, 0).vgprs, TRACE_UNKNOWN);
    assert_int_equal(trace_dispatch_at(&t, 0).lds_bytes, TRACE_UNKNOWN);
    assert_string_equal(graph_text(t.calls, t.agents[0].name), "gfx90a");
    trace_free(&t);
}

#define WORK(name, stream, ts, correlation)                                                        \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":" stream             \
    ",\"ts\":" ts ",\"dur\":10,\"args\":{\"correlation\":" correlation "}}"
#define WAIT(stream, correlation, on, record)                                                      \
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0,"                \
    "\"tid\":" stream ",\"ts\":5,\"dur\":1,\"args\":{\"wait_on_stream\":" on                       \
    ",\"wait_on_cuda_event_record_corr_id\":" record ",\"correlation\":" correlation "}}"

TEST(streams_that_wait_for_each_other)
{
    struct trace t;
    trace_text_read(&t, "{\"traceEvents\":[" WORK("d", "8", "60", "30") "," WORK(
                            "a", "7", "10", "20") "," WORK("b", "7", "30", "22") "," //
                    WORK("c", "8", "20", "28") "," WORK("late", "7", "55", "40") "," //
                    WAIT("8", "25", "7", "21") "," WAIT("8", "29", "7", "24") ","    //
                    WAIT("8", "31", "7", "24") "," WAIT("7", "35", "9", "1") ","     //
                    WAIT("7", "35", "8", "-1") "," WAIT("7", "35", "8", "32") "]}");
    uint32_t a = trace_text_node(&t, "a", 0), b = trace_text_node(&t, "b", 0);
    uint32_t c = trace_text_node(&t, "c", 0), d = trace_text_node(&t, "d", 0);
    assert_true(trace_text_edge(&t, a, c, EDGE_DEPENDS));
    assert_true(trace_text_edge(&t, b, d, EDGE_DEPENDS));
    /* d had not ended: it cannot be what `late` waited for */
    assert_false(trace_text_edge(&t, d, trace_text_node(&t, "late", 0), EDGE_DEPENDS));
    uint32_t depends = 0;
    for (uint32_t i = 0; i < t.calls->nedges; i++)
        depends += t.calls->edge_kind[i] == EDGE_DEPENDS;
    assert_int_equal(depends, 2);
    trace_free(&t);
}

#define RUNTIME(name, ts, dur, correlation)                                                        \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":4,\"tid\":4,\"ts\":" ts  \
    ",\"dur\":" dur ",\"args\":{\"correlation\":" correlation "}}"
#define SYNC(name, stream, ts, correlation, more)                                                  \
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"" name "\",\"pid\":0,\"tid\":" stream          \
    ",\"ts\":" ts ",\"dur\":1,\"args\":{\"correlation\":" correlation more "}}"

/* What a call waited for is known: not the work of another stream that ended while it did. */
TEST(calls_wait_for_what_the_profile_says)
{
    struct trace t;
    trace_text_read(&t, "{\"traceEvents\":[" RUNTIME("cudaLaunchKernel", "1", "1", "20") ","   //
                    RUNTIME("cudaLaunchKernel", "3", "1", "21") ","                            //
                    RUNTIME("cudaStreamSynchronize", "5", "27", "22") ","                      //
                    RUNTIME("cudaEventSynchronize", "40", "5", "23") ","                       //
                    RUNTIME("cudaStreamSynchronize", "60", "5", "24") ","                      //
                    WORK("a", "7", "10", "20") "," WORK("b", "8", "22", "21") ","              //
                    SYNC("Stream Sync", "7", "31", "22", "") ","                               //
                    SYNC("Event Sync", "-1", "44", "23",                                       //
                         ",\"wait_on_stream\":7,\"wait_on_cuda_event_record_corr_id\":21") "," //
                    SYNC("Stream Sync", "7", "90", "24", "") "]}"); /* at another time */
    uint32_t a = trace_text_node(&t, "a", 0), b = trace_text_node(&t, "b", 0);
    uint32_t stream = trace_text_node(&t, "cudaStreamSynchronize", 0);
    uint32_t event = trace_text_node(&t, "cudaEventSynchronize", 0);
    assert_true(trace_text_edge(&t, a, stream, EDGE_JOINS));
    assert_true(trace_text_edge(&t, a, event, EDGE_JOINS));
    assert_false(trace_text_edge(&t, b, stream, EDGE_JOINS));
    assert_false(trace_text_edge(&t, b, event, EDGE_JOINS));
    assert_true(trace_text_edge(&t, b, trace_text_node(&t, "cudaStreamSynchronize", 1),
                                EDGE_JOINS)); /* guessed: it was launched on last */
    trace_free(&t);
}

/* CUPTI's range profiler writes spans whose lengths are shares of the whole range, not times of
 * kernels. */
TEST(counter_ranges_are_no_calls_of_the_host)
{
    struct trace t;
    trace_text_read(&t, "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_profiler_range\",\"name\":"
                        "\"gemm\",\"pid\":0,\"tid\":0,\"ts\":5,\"dur\":121,\"args\":{"
                        "\"dram__bytes.sum\":7}}]}");
    uint32_t v = trace_text_node(&t, "gemm", 0);
    assert_int_equal(t.calls->kind[v], NODE_RANGE);
    assert_int_equal(t.calls->kind[t.calls->parent[v]], NODE_QUEUE);
    assert_int_equal(t.ndispatches, 0);
    trace_free(&t);
}

#define CALL(name, ts, id)                                                                         \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts  \
    ",\"dur\":5,\"args\":{\"correlation\":" id "}},"
#define KERNEL(name, ts, id)                                                                       \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":5,\"args\":{\"device\":0,\"stream\":7,\"correlation\":" id "}}"

/* A profiler that ran twice starts numbering again: if calls share an id, work belongs to the
 * latest that began before it. */
TEST(calls_that_share_an_id_launch_what_came_after_them)
{
    static const char *const names[][2] = {
        {"one", "a"}, {"one", "b"}, {"two", "c"}, {"three", "d"}, {"other", "e"}};
    struct trace t;
    trace_text_read(
        &t,
        "{\"schemaVersion\":1,\"traceEvents\":[" CALL("three", "300", "9") CALL("one", "100", "9")
            CALL("other", "400", "10") CALL("two", "200", "9")
                KERNEL("d", "320", "9") "," KERNEL("c", "200", "9") "," KERNEL(
                    "b", "150", "9") "," KERNEL("a", "110", "9") "," KERNEL("e", "50", "10") "]}");
    size_t launches = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!trace_text_edge(&t, trace_text_node(&t, names[i][0], 0),
                             trace_text_node(&t, names[i][1], 0), EDGE_LAUNCHES))
            fail_msg("'%s' does not launch '%s'", names[i][0], names[i][1]);
    for (uint32_t e = 0; e < t.calls->nedges; e++)
        launches += t.calls->edge_kind[e] == EDGE_LAUNCHES;
    assert_int_equal(launches, sizeof names / sizeof *names);
    trace_free(&t);
}

TEST(kernels_that_end_before_an_earlier_one_are_noted)
{
    struct trace t;
#define K(ts, dur, tid)                                                                            \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":" tid ",\"ts\":" ts         \
    ",\"dur\":" dur "}"
    trace_text_read(&t, "{\"traceEvents\":[" K("100", "1600000", "7") "," K("200", "90", "7") "," K(
                            "300", "90", "7") "," K("310", "5", "8") "]}");
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "2 kernels of 1 stream end before an earlier kernel"));
    trace_free(&t);
    /* streams beside each other, and a kernel that may begin before the one before it has ended */
    trace_text_read(&t, "{\"traceEvents\":[" K("100", "500", "7") "," K("200", "90", "8") "," K(
                            "590", "90", "7") "]}");
    assert_int_equal(t.nnotes, 0);
    trace_free(&t);
#undef K
}
