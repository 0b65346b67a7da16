/* What Kineto counts differently on AMD: devices from the HSA node, grids in work-items; and the
 * runtime's own copies, which are in the trace as kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace_text.h"
#include "support/test.h"

#define MI300X(id)                                                                                 \
    "{\"id\": " id ", \"name\": \"AMD Instinct MI300X\", \"totalGlobalMem\": 206141652992, "       \
    "\"computeMajor\": 9, \"computeMinor\": 4, \"numSms\": 304}"
#define MI210(id)                                                                                  \
    "{\"id\": " id ", \"name\": \"AMD Instinct MI210\", \"totalGlobalMem\": 68702699520, "         \
    "\"computeMajor\": 9, \"computeMinor\": 0, \"numSms\": 104}"
#define CALL(name, id, grid)                                                                       \
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" name                                 \
    "\", \"pid\": 10, \"tid\": 10, "                                                               \
    "\"ts\": " id ", \"dur\": 1, \"args\": {\"correlation\": " id ", \"grid\": [" grid             \
    "], \"block\": [256, 1, 1]}}"
#define KERNEL(name, device, id, grid)                                                             \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"pid\": " device                \
    ", \"tid\": 0, \"ts\": 2" id ", \"dur\": 5, \"args\": {\"device\": " device                    \
    ", \"stream\": 0, \"correlation\": " id ", \"grid\": [" grid "], \"block\": [256, 1, 1]}}"
#define MEMORY(device)                                                                             \
    "{\"ph\": \"i\", \"s\": \"t\", \"name\": \"[memory]\", \"pid\": 10, \"tid\": 10, \"ts\": 5, "  \
    "\"args\": {\"Total Reserved\": 2097152, \"Total Allocated\": 1048576, \"Device Id\": " device \
    ", \"Device Type\": 6}}"
/* The members are in an order in which the events come first. */
#define TRACE(properties, events)                                                                  \
    "{\"traceEvents\": [" events "], \"deviceProperties\": [" properties                           \
    "], \"hip_runtime_version\": 60443484}"

static const struct trace_agent *agent_of(const struct trace *t, const char *kernel)
{
    struct trace_dispatch d;
    assert_true(trace_dispatch_of(t, trace_text_node(t, kernel, 0), &d));
    return &t->agents[d.agent];
}

static void is_gpu(const struct trace *t, const char *kernel, uint32_t number, const char *name)
{
    const struct trace_agent *a = agent_of(t, kernel);
    assert_int_equal(a->number, number);
    assert_string_equal(a->name == GRAPH_NONE ? "" : graph_text(t->calls, a->name), name);
}

TEST(a_device_has_the_number_of_its_properties)
{
    static const char *const texts[] = {
        TRACE(MI300X("0"), KERNEL("gemm", "0", "1", "8, 1, 1") ", " MEMORY("0")),
        TRACE(MI300X("0"), KERNEL("gemm", "2", "1", "8, 1, 1") ", " MEMORY("0")),
        TRACE(MI300X("0"), KERNEL("gemm", "9", "1", "8, 1, 1") ", " MEMORY("0")),
        TRACE(MI300X("0") ", " MI300X("1") ", " MI300X("2"),
              KERNEL("gemm", "2", "1", "8, 1, 1") ", " MEMORY("0")),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace t;
        trace_text_read(&t, texts[i]);
        is_gpu(&t, "gemm", 0, "gfx942");
        assert_int_equal(agent_of(&t, "gemm")->units, 304);
        assert_int_equal(agent_of(&t, "gemm")->memory_bytes, 206141652992);
        assert_int_equal(t.npeaks, 1);
        assert_int_equal(t.peaks[0].device, 0);
        assert_int_not_equal(trace_text_node(&t, "GPU 0", 0), GRAPH_NONE);
        trace_free(&t);
    }
}

TEST(several_devices_keep_their_order)
{
    struct trace t;
    trace_text_read(&t, TRACE(MI210("0") ", " MI300X("1"),
                              KERNEL("b", "3", "1", "8, 1, 1") ", " KERNEL("a", "2", "2",
                                                                           "1, 1, "
                                                                           "1")));
    is_gpu(&t, "a", 0, "gfx90a");
    is_gpu(&t, "b", 1, "gfx942");
    trace_free(&t);
}

TEST(what_cannot_be_told_stays)
{
    struct trace t;
    /* one of two different devices; nothing says which */
    trace_text_read(&t, TRACE(MI210("0") ", " MI300X("1"), KERNEL("gemm", "4", "1", "1, 1, 1")));
    is_gpu(&t, "gemm", 4, "");
    trace_free(&t);
    /* one of two alike */
    trace_text_read(&t, TRACE(MI300X("0") ", " MI300X("1"), KERNEL("gemm", "4", "1", "1, 1, 1")));
    is_gpu(&t, "gemm", 4, "gfx942");
    trace_free(&t);
    /* NVIDIA's numbers are those of the properties; such a device has none */
    trace_text_read(&t, "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100\", "
                        "\"computeMajor\": 9, \"computeMinor\": 0}], \"traceEvents\": "
                        "[" KERNEL("gemm", "2", "1", "8, 1, 1") "]}");
    is_gpu(&t, "gemm", 2, "");
    trace_free(&t);
}

static void grid_is(const struct trace *t, const char *kernel, uint32_t x, uint32_t y, uint32_t z)
{
    const struct graph_detail *d = trace_text_detail(t, trace_text_node(t, kernel, 0));
    assert_int_equal(d->kernel.grid[0], x);
    assert_int_equal(d->kernel.grid[1], y);
    assert_int_equal(d->kernel.grid[2], z);
    assert_int_equal(d->kernel.block[0], 256);
}

TEST(work_items_become_workgroups)
{
    struct trace t;
    trace_text_read(
        &t,
        TRACE(
            MI300X("0"),
            CALL("hipExtModuleLaunchKernel", "1", "2048, 1, 1") ", " KERNEL("ext", "2", "1", "2048, 1, 1") ", " CALL("hipModuleLaunchKernel", "3", "8, 1, 1") ", " KERNEL(
                "module", "2", "3",
                "8, 1, 1") ", " CALL("hipExtLaunchKernel", "4",
                                     "56, 1, 1") ", " KERNEL("ext_launch", "2", "4",
                                                             "56, 1, 1") ", " CALL("hipExtModu"
                                                                                   "leLaunchKe"
                                                                                   "rnel",
                                                                                   "5",
                                                                                   "784, 2, "
                                                                                   "128") ","
                                                                                          " " KERNEL("partial", "2", "5", "784, 2, 128") ", " CALL(
                                                                                              "hipE"
                                                                                              "xtMo"
                                                                                              "dule"
                                                                                              "Laun"
                                                                                              "chKe"
                                                                                              "rne"
                                                                                              "l",
                                                                                              "6",
                                                                                              "2048"
                                                                                              ", "
                                                                                              "1, "
                                                                                              "1") ", " KERNEL("again",
                                                                                                               "2",
                                                                                                               "6",
                                                                                                               "2048, 1, 1") ", "
                                                                                                                             "{\"ph\": \"s\", \"id\": 6, \"pid\": 10, \"tid\": 10, \"ts\": 6, \"cat\": "
                                                                                                                             "\"ac2g\", \"name\": \"ac2g\"}, {\"ph\": \"f\", \"id\": 6, \"pid\": 2, "
                                                                                                                             "\"tid\": 0, \"ts\": 26, \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": "
                                                                                                                             "\"e\"}"));
    grid_is(&t, "ext", 8, 1, 1);
    grid_is(&t, "module", 8, 1, 1);
    grid_is(&t, "ext_launch", 56, 1, 1);
    grid_is(&t, "partial", 4, 2, 128);
    grid_is(&t, "again", 8, 1, 1);
    trace_free(&t);
}

TEST(the_runtimes_own_kernels_are_copies)
{
    struct trace t;
    trace_text_read(
        &t, TRACE(MI300X("0"),
                  KERNEL("gemm", "2", "1", "8, 1, 1") ", " KERNEL(
                      "__amd_rocclr_copyBuffer", "2", "2",
                      "8, 1, 1") ", " KERNEL("__amd_rocclr_fillBufferAligned", "2", "3",
                                             "8, 1, 1") ", " KERNEL("__amd_rocclr_scheduler", "2",
                                                                    "4", "8, 1, 1")));
    const struct graph *g = t.calls;
    assert_int_equal(g->kind[trace_text_node(&t, "gemm", 0)], NODE_KERNEL);
    assert_int_equal(g->kind[trace_text_node(&t, "__amd_rocclr_copyBuffer", 0)], NODE_TRANSFER);
    assert_int_equal(g->kind[trace_text_node(&t, "__amd_rocclr_fillBufferAligned", 0)],
                     NODE_TRANSFER);
    assert_int_equal(g->kind[trace_text_node(&t, "__amd_rocclr_scheduler", 0)], NODE_KERNEL);
    trace_free(&t);
}
