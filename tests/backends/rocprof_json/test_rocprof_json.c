/* The JSON of rocprofv3: members in an order in which no name is known when it is needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace_text.h"
#include "support/test.h"

#define IDS(n)      "\"correlation_id\":{\"internal\":" #n ",\"external\":0}"
#define TIMES(a, b) "\"start_timestamp\":" #a ",\"end_timestamp\":" #b
#define INFO(kernel, id)                                                                           \
    "\"dispatch_info\":{\"agent_id\":{\"handle\":91},\"queue_id\":{\"handle\":3},\"kernel_"        \
    "id\":" #kernel ",\"dispatch_id\":" #id                                                        \
    ",\"private_segment_size\":16,\"group_segment_size\":1024,"                                    \
    "\"workgroup_size\":{\"x\":256,\"y\":1,\"z\":1},\"grid_size\":{\"x\":1000,\"y\":2,\"z\":1}}"

static const char records[] =
    "\"buffer_records\":{"
    "\"memory_copy\":[{\"kind\":3,\"operation\":1,\"thread_id\":7," IDS(2) "," TIMES(
        130,
        140) ","
             "\"src_agent_id\":{\"handle\":90},\"dst_agent_id\":{\"handle\":91},\"bytes\":4096}],"
             "\"kernel_dispatch\":[{\"kind\":2,\"operation\":2,\"thread_id\":7," IDS(1) "," TIMES(
                 150,
                 250) "," INFO(5,
                               1) ",\"stream_id\":{\"handle\":4}}],"
                                  "\"hip_api\":[{\"kind\":1,\"operation\":0,\"thread_id\":7," IDS(
                                      1) "," TIMES(110,
                                                   120) "}],"
                                                        "\"marker_api\":[{\"kind\":4,\"operation\":"
                                                        "0,\"thread_id\":7," IDS(9) "," TIMES(
                                                            100, 300) "}],"
                                                                      "\"pc_sample_host_trap\":[{"
                                                                      "\"unknown\":[{}]}]}";
static const char counted[] =
    "\"callback_records\":{\"counter_collection\":[{\"dispatch_data\":{" TIMES(150, 250) "," INFO(
        5, 1) "},\"records\":[{\"counter_id\":{\"handle\":70},\"value\":3.5},{\"counter_id\":{"
              "\"handle\":70},"
              "\"value\":4}]},{\"dispatch_data\":{" TIMES(400, 500) "," INFO(
                  5, 2) "},\"records\":["
                        "{\"counter_id\":{\"handle\":70},\"value\":9}]}]}";
static const char tables[] =
    "\"strings\":{\"marker_api\":[{\"key\":9,\"value\":\"step\"}],\"buffer_records\":["
    "{\"kind\":\"NONE\",\"operations\":[]},{\"kind\":\"HIP_RUNTIME_API\",\"operations\":["
    "\"hipLaunchKernel\"]},{\"kind\":\"KERNEL_DISPATCH\",\"operations\":[]},"
    "{\"kind\":\"MEMORY_COPY\",\"operations\":[\"NONE\",\"MEMORY_COPY_HOST_TO_DEVICE\"]},"
    "{\"kind\":\"MARKER_CORE_RANGE_API\",\"operations\":[\"roctxThreadRangeA\"]}]},"
    "\"counters\":[{\"id\":{\"handle\":70},\"name\":\"SQ_WAVES\"}],"
    "\"kernel_symbols\":[{\"kernel_id\":5,\"kernel_name\":\"_Z4gemmPf.kd\",\"arch_vgpr_count\":32,"
    "\"accum_vgpr_count\":4,\"sgpr_count\":48,\"formatted_kernel_name\":\"gemm(float*)\"}],"
    "\"agents\":[{\"id\":{\"handle\":90},\"type\":1,\"node_id\":0,\"name\":\"EPYC\"},"
    "{\"id\":{\"handle\":91},\"type\":2,\"node_id\":2,\"name\":\"gfx942\",\"cu_count\":304,"
    "\"product_name\":\"AMD Instinct MI300X\",\"max_engine_clk_fcompute\":2100,"
    "\"mem_banks\":[{\"heap_type\":1,\"size_in_bytes\":1000}]}],"
    "\"metadata\":{\"pid\":77,\"node\":{\"hostname\":\"n1\"},\"command\":[\"/opt/app\",\"-n\"]}";

static void read_all(struct trace *t, const char *first, const char *then, const char *last)
{
    char text[8192];
    snprintf(text, sizeof text, "{\"more\":{\"a\":[1]},\"rocprofiler-sdk-tool\":[{%s,%s,%s}]}",
             first, then, last);
    trace_text_read(t, text);
}

static void check(const struct trace *t)
{
    struct trace_dispatch d;
    uint32_t kernel = trace_text_node(t, "gemm(float*)", 0),
             call = trace_text_node(t, "hipLaunchKernel", 0);
    uint32_t step = trace_text_node(t, "step", 0), copy = GRAPH_NONE;
    for (uint32_t i = 0; i < t->calls->nnodes; i++)
        copy = t->calls->kind[i] == NODE_TRANSFER ? i : copy;
    assert_int_equal(t->dropped, 0);
    assert_true(kernel != GRAPH_NONE && call != GRAPH_NONE && step != GRAPH_NONE &&
                copy != GRAPH_NONE);
    assert_int_equal(t->calls->kind[kernel], NODE_KERNEL);
    assert_int_equal(t->calls->start[kernel], 150);
    assert_int_equal(t->calls->duration[kernel], 100);
    assert_int_equal(t->calls->kind[step], NODE_RANGE);
    assert_int_equal(t->calls->parent[call], step);
    assert_true(trace_text_edge(t, call, kernel, EDGE_LAUNCHES));
    const struct graph_detail *k = trace_text_detail(t, kernel);
    assert_int_equal(k->kernel.grid[0], 4); /* 1000 work-items of 256 */
    assert_int_equal(k->kernel.grid[1], 2);
    assert_int_equal(k->kernel.block[0], 256);
    assert_int_equal(trace_text_detail(t, copy)->transfer.bytes, 4096);
    assert_int_equal(trace_text_detail(t, copy)->transfer.direction, 0);
    assert_true(trace_dispatch_of(t, kernel, &d));
    assert_int_equal(d.vgprs, 32);
    assert_int_equal(d.accum_vgprs, 4);
    assert_int_equal(d.sgprs, 48);
    assert_int_equal(d.lds_bytes, 1024);
    assert_int_equal(d.scratch_bytes, 16);
    assert_string_equal(graph_text(t->calls, t->agents[d.agent].name), "gfx942");
    assert_int_equal(t->agents[d.agent].units, 304);
    assert_int_equal(t->agents[d.agent].memory_bytes, 1000);
}

TEST(members_in_any_order)
{
    struct trace t;
    read_all(&t, records, "\"x\":0", tables);
    check(&t);
    trace_free(&t);
    read_all(&t, tables, "\"x\":0", records);
    check(&t);
    trace_free(&t);
}

TEST(counters_belong_to_dispatches)
{
    struct trace t;
    read_all(&t, counted, records, tables);
    check(&t);
    uint32_t first = trace_text_node(&t, "gemm(float*)", 0),
             second = trace_text_node(&t, "gemm(float*)", 1);
    assert_true(second != GRAPH_NONE); /* a dispatch that only has counters */
    assert_int_equal(t.calls->start[second], 400);
    assert_int_equal(t.ncounters, 2);
    const struct trace_counter *c = &t.counters[trace_first_counter(&t, first)];
    assert_string_equal(graph_text(t.calls, c->name), "SQ_WAVES");
    assert_true(c->value == 7.5);
    trace_free(&t);
}

TEST(bad_documents_are_refused)
{
    static const struct {
        const char *text, *why;
    } list[] = {
        {"{\"rocprofiler-sdk-tool\":[]}", "it has no process"},
        {"{\"rocprofiler-sdk-tool\":7}", "it has no process"},
        {"{\"rocprofiler-sdk-tool\":[{\"agents\":[}", "expected here"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct error err = ERROR_INIT;
        struct trace t;
        char why[800];
        assert_true(trace_text_open(&t, list[i].text, strlen(list[i].text), false, &err) != 0);
        if (!strstr(error_format(&err, why, sizeof why), list[i].why))
            fail_msg("%zu: %s", i, why);
        trace_free(&t);
    }
}

/* Every beginning of a document is read or refused. */
TEST(every_truncation)
{
    char text[8192];
    int n = snprintf(text, sizeof text, "{\"rocprofiler-sdk-tool\":[{%s,%s,%s}]}", records, counted,
                     tables);
    for (int i = 0; i < n; i += 7) {
        struct error err = ERROR_INIT;
        struct trace t;
        if (trace_text_open(&t, text, (size_t)i, false, &err) != 0)
            assert_true(err.kind == ERROR_INPUT);
        trace_free(&t);
    }
}
