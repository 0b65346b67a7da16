/* Devices that are not Kineto's GPUs: XLA's of JAX, MTIA, and those of rocprof and
 * rocmProfileData. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/trace_look.h"
#include "support/test.h"

#define NAME(what, pid, tid, text)                                                                 \
    "{\"ph\":\"M\",\"name\":\"" what "_name\",\"pid\":" #pid ",\"tid\":" #tid                      \
    ",\"args\":{\"name\":\"" text "\"}},\n"
#define SPAN(pid, tid, ts, dur, name, args)                                                        \
    "{\"ph\":\"X\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur                 \
    ",\"name\":\"" name "\",\"args\":{" args "}},\n"
#define END "{}]}"

static void open_text(struct trace *t, const char *text)
{
    char path[] = "/tmp/rooftop-others-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    assert_non_null(f);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    look_open(t, path);
    unlink(path);
}

TEST(spans_in_gpu_streams_are_work)
{
    struct trace t;
    open_text(&t, //
              NAME("process", 1, 0, "/device:GPU:3") NAME("thread", 1, 14, "Stream #14(Compute)")
                  NAME("thread", 1, 15, "Stream #15(MemcpyD2H)") NAME("thread", 1, 90, "XLA Ops")
                      NAME("thread", 1, 91, "Steps") NAME("process", 7, 0, "/host:CPU")
                          NAME("thread", 7, 1, "python3") SPAN(7, 1, 10, 5, "cuLaunchKernel",
                                                               "\"correlation_id\":\"44\"")
                              SPAN(1, 14, 20, 30, "fusion_2",
                                   "\"correlation_id\":\"44\",\"kernel_details\":\"regs:32 "
                                   "static_shared:16 dynamic_shared:1024 grid:24,2,1 block:128,1,1 "
                                   "occ_pct:50\",\"hlo_op\":\"fusion.2\"")
                                  SPAN(1, 15, 60, 4, "MemcpyD2H",
                                       "\"memcpy_details\":\"kind:DeviceToHost size:4096 dest:0\"")
                                      SPAN(1, 90, 20, 30, "fusion.2", "")
                                          SPAN(1, 91, 0, 80, "7", "") END);
    assert_int_equal(look_count(&t, NODE_KERNEL), 1);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 1);
    assert_int_equal(look_count(&t, NODE_RANGE), 2);
    uint32_t k = look_for(&t, NODE_KERNEL, "fusion_2", 0);
    const struct graph_detail *d = look_detail(&t, k);
    assert_int_equal(d->kernel.grid[0], 24);
    assert_int_equal(d->kernel.grid[1], 2);
    assert_int_equal(d->kernel.block[0], 128);
    assert_int_equal(d->kernel.shared_bytes, 1040);
    const struct trace_dispatch *own = look_dispatch(&t, k);
    assert_int_equal(own->vgprs, 32);
    assert_int_equal(t.agents[own->agent].number, 3);
    assert_int_equal(t.calls->kind[t.calls->parent[k]], NODE_QUEUE);
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "cuLaunchKernel", 0), k, EDGE_LAUNCHES));
    d = look_detail(&t, look_for(&t, NODE_TRANSFER, "MemcpyD2H", 0));
    assert_int_equal(d->transfer.bytes, 4096);
    assert_int_equal(d->transfer.direction, 1);
    trace_free(&t);
}

/* The device's number is in the name of its process, unless the span has one. If the name has
 * none, it is the number of the process, as for Kineto. */
TEST(a_spans_own_device_goes_before_its_process)
{
    struct trace t;
    open_text(&t, NAME("process", 1, 0, "/device:GPU:7") NAME("thread", 1, 1, "Stream #1(Compute)")
                      SPAN(1, 1, 0, 5, "its", "\"device\":2") SPAN(1, 1, 10, 5, "none", "")
                          NAME("process", 5, 0, "/device:GPU:x")
                              NAME("thread", 5, 1, "Stream #1(Compute)")
                                  SPAN(5, 1, 0, 5, "unnumbered", "") END);
    static const struct {
        const char *kernel;
        uint32_t device;
    } rows[] = {{"its", 2}, {"none", 7}, {"unnumbered", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t k = look_for(&t, NODE_KERNEL, rows[i].kernel, 0);
        assert_int_equal(t.agents[look_dispatch(&t, k)->agent].number, rows[i].device);
    }
    trace_free(&t);
}

TEST(operations_of_a_tpu_are_work)
{
    struct trace t;
    open_text(&t, NAME("process", 1, 0, "/device:TPU:0") NAME("thread", 1, 1, "Steps")
                      NAME("thread", 1, 2, "XLA Modules") NAME("thread", 1, 3, "XLA Ops")
                          NAME("thread", 1, 4, "Async XLA Ops") SPAN(1, 1, 0, 100, "1", "")
                              SPAN(1, 2, 0, 90, "jit_step", "") SPAN(1, 3, 0, 40, "fusion.1", "")
                                  SPAN(1, 3, 40, 40, "all-reduce.1", "")
                                      SPAN(1, 4, 10, 40, "copy-start.1", "") END);
    assert_int_equal(look_count(&t, NODE_KERNEL), 2);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 1);
    assert_int_equal(look_count(&t, NODE_RANGE), 2);
    assert_int_equal(t.ndispatches, 2);
    trace_free(&t);
}

/* Without the name of a device, lanes with such names are ordinary threads. */
TEST(lanes_of_other_processes_are_threads)
{
    struct trace t;
    open_text(&t, NAME("process", 1, 0, "/host:CPU") NAME("thread", 1, 3, "XLA Ops")
                      NAME("process", 2, 0, "/device:CPU:0") NAME("thread", 2, 3, "Stream #1")
                          SPAN(1, 3, 0, 40, "f", "") SPAN(2, 3, 0, 40, "g", "") END);
    assert_int_equal(look_count(&t, NODE_FUNCTION), 2);
    assert_int_equal(t.ndispatches, 0);
    trace_free(&t);
}

TEST(mtia_has_kernels_and_requests_of_its_dma)
{
    static const char text[] = NAME(
        "process", 9, 0,
        "MTIA 9") "{\"ph\":\"X\",\"cat\":\"mtia_runtime\",\"name\":\"runFunction\",\"pid\":70,"
                  "\"tid\":70,"
                  "\"ts\":1,\"dur\":2,\"args\":{\"correlation\":5}},\n"
                  "{\"ph\":\"X\",\"cat\":\"mtia_ccp_events\",\"name\":\"fc-dtype_Float\",\"pid\":9,"
                  "\"tid\":4,"
                  "\"ts\":5,\"dur\":20,\"args\":{\"correlation\":5,\"stream\":1}},\n"
                  "{\"ph\":\"X\",\"cat\":\"mtia_ccp_events\",\"name\":\"dma_request\",\"pid\":9,"
                  "\"tid\":4,"
                  "\"ts\":6,\"dur\":8,\"args\":{\"direction\":\"DEVICE_TO_HOST\",\"size\":16}},\n"
                  "{\"ph\":\"X\",\"cat\":\"mtia_ccp_events\",\"name\":\"event_wait\",\"pid\":9,"
                  "\"tid\":4,"
                  "\"ts\":30,\"dur\":8,\"args\":{\"wait_on_stream\":104}},\n" END;
    struct trace t;
    open_text(&t, text);
    uint32_t k = look_for(&t, NODE_KERNEL, "fc-dtype_Float", 0);
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "runFunction", 0), k, EDGE_LAUNCHES));
    assert_int_equal(t.agents[look_dispatch(&t, k)->agent].number, 9);
    const struct graph_detail *d = look_detail(&t, look_for(&t, NODE_TRANSFER, "dma_request", 0));
    assert_int_equal(d->transfer.bytes, 16);
    assert_int_equal(d->transfer.direction, 1);
    look_for(&t, NODE_RANGE, "event_wait", 0);
    trace_free(&t);
}

#define ROCPROF(pid, tid, ts, dur, name, device, begin, end)                                       \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":\"" #pid "\",\"tid\":\"" #tid "\",\"ts\":\"" #ts  \
    "\",\"dur\":\"" #dur "\",\n \"args\":{\"BeginNs\":\"" #begin "\",\"EndNs\":\"" #end            \
    "\"," device "\"Name\":\"" name "\",\"pid\":\"70\"}},\n"
#define ON(device) "\"dev-id\":\"" #device "\",\"queue-id\":\"0\","
#define ARROW(phase, pid, tid, ts, id)                                                             \
    "{\"ts\":" #ts ",\"ph\":\"" phase "\",\"cat\":\"DataFlow\",\"id\":" #id ",\"pid\":" #pid       \
    ",\"tid\":" #tid ",\"name\":\"dep\"},\n"

/* Times are cut to microseconds in ts and dur, and whole in args; arrows have only the cut ones.
 * They begin in the middle of a call. */
TEST(rocprof_has_processes_of_gpus_and_one_of_copies)
{
    struct trace t;
    open_text(&t, "{},\n" NAME("process", 2, 0, "CPU HIP API") NAME("process", 1, 0, "COPY") //
              NAME("process", 9, 0, "GPU3") NAME("process", 521, 0, "GPU Barriers3")
                  ROCPROF(1, 0, 40, 8, "CopyHostToDevice", ON(3), 40126,
                          48606) ROCPROF(2, 70, 20, 2, "hipMemcpy", "", 20100, 22900)
                      ROCPROF(2, 70, 60, 1, "__hipPopCallConfiguration", "", 60100, 60350)
                          ROCPROF(2, 70, 60, 5, "hipLaunchKernel", "", 60400, 65900)
                              ROCPROF(9, 1, 70, 5, "scale(float*)", ON(3), 70661, 75941)
                                  ROCPROF(521, 1, 69, 1, "<barrier packet>", ON(3), 69000, 69900)
                                      ARROW("s", 2, 70, 21, 0) ARROW("t", 1, 0, 40, 0)
                                          ARROW("s", 2, 70, 63, 5) ARROW("t", 9, 1, 70, 5) END);
    assert_int_equal(look_count(&t, NODE_KERNEL), 1);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 1);
    assert_int_equal(look_count(&t, NODE_RANGE), 1);
    uint32_t k = look_for(&t, NODE_KERNEL, "scale(float*)", 0);
    uint32_t c = look_for(&t, NODE_TRANSFER, "CopyHostToDevice", 0);
    assert_int_equal(t.calls->duration[k], 5280);
    assert_int_equal(t.calls->duration[c], 8480);
    assert_int_equal(t.agents[look_dispatch(&t, k)->agent].number, 3);
    assert_int_equal(t.nagents, 1);
    assert_int_equal(look_detail(&t, c)->transfer.direction, 0);
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "hipMemcpy", 0), c, EDGE_LAUNCHES));
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0), k, EDGE_LAUNCHES));
    trace_free(&t);
}

TEST(rocm_profile_data_has_processes_of_gpus)
{
    struct trace t;
    open_text(&t, NAME("process", 2, 0, "GPU2") NAME("thread", 70, 70, "Hip 70")
                      SPAN(70, 70, 10, 5, "hipExtModuleLaunchKernel", "\"desc\":\"\"")
                          SPAN(2, 0, 20, 6, "scale", "\"desc\":\"KernelExecution\"")
                              SPAN(2, 0, 30, 4, "CopyDeviceToHost", "\"desc\":\"CopyDeviceToHost\"")
                                  SPAN(2, 0, 40, 1, "FillBuffer", "\"desc\":\"FillBuffer\"")
                                      SPAN(2, 0, 19, 30, "step", "\"desc\":\"UserMarker frame: 3\"")
                                          NAME("process", 3, 0, "GPU process")
                                              SPAN(3, 3, 5, 6, "raster", "") END);
    assert_int_equal(look_count(&t, NODE_KERNEL), 1);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 2);
    assert_int_equal(look_count(&t, NODE_RANGE), 1);
    assert_int_equal(look_count(&t, NODE_FUNCTION), 2);
    uint32_t k = look_for(&t, NODE_KERNEL, "scale", 0);
    assert_int_equal(t.agents[look_dispatch(&t, k)->agent].number, 2);
    uint32_t c = look_for(&t, NODE_TRANSFER, "CopyDeviceToHost", 0);
    assert_int_equal(look_detail(&t, c)->transfer.direction, 1);
    trace_free(&t);
}

/* In files of other writers "desc" is any text, and says nothing of directions. */
TEST(a_description_is_no_kind)
{
    struct trace t;
    open_text(&t, "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"pid\":0,\"tid\":7,\"ts\":5,\"dur\":3,"
                  "\"name\":\"Memcpy HtoD (Pinned -> Device)\",\"args\":{\"stream\":7,\"device\":0,"
                  "\"desc\":\"staged to DtoH later\"}},\n" END);
    uint32_t c = look_for(&t, NODE_TRANSFER, "Memcpy HtoD (Pinned -> Device)", 0);
    assert_int_equal(look_detail(&t, c)->transfer.direction, 0);
    trace_free(&t);
}
