/* Reads exports of Nsight Systems, of several versions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/code/gpu_words.h"
#include "support/edges.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/test.h"

static const char *make_new(void)
{
    const char *path = nsys_path("new.sqlite");
    nsys_sql(path, NSYS_NEW);
    return path;
}

static void dump_is(const struct trace *t, const char *expected)
{
    char *text = nsys_dump(t);
    assert_string_equal(text, expected);
    free(text);
}

/* --- the newest form --- */

TEST_WITH(newest_form, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    nsys_read(&t, make_new());
    dump_is(&t, "/train\n"
                "train/worker\n"
                "worker/step 1000+8000\n"
                "step/forward 1100+3900\n"
                "forward/cudaLaunchKernel 1200+100\n"
                "forward/cudaMemcpyAsync 1400+100\n"
                "cudaMemcpyAsync/poll 1420+60\n"
                "step/loose 4000+3000\n"
                "step/NCCL:AllReduce 5100+900\n"
                "NCCL:AllReduce/cudaGraphLaunch 5200+100\n"
                "step/cudaLaunchKernel 6100+100 failed\n"
                "step/cudaMalloc 6300+100 failed\n"
                "/process 2000\n"
                "process 2000/thread 2002\n"
                "thread 2002/cudaLaunchKernel 1250+100\n"
                "train/GPU 0 stream 7\n"
                "GPU 0 stream 7/add_one(const float *, float *, int) 2000+500\n"
                "process 2000/GPU 1 stream 7\n"
                "GPU 1 stream 7/add_one 2100+100\n"
                "GPU 0 stream 7/memcpy Host-to-Device 2600+100\n"
                "GPU 0 stream 7/memset 2800+100\n"
                "train/GPU 0 stream 13\n"
                "GPU 0 stream 13/CUDA graph 5 6000+500\n");
    assert_int_equal(t.spans, 16);
    assert_int_equal(t.dropped, 1); /* the range that never ended */
    assert_int_equal(t.lost, 0);
    trace_free(&t);
}

TEST_WITH(kernels_have_shape_and_resources, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = make_new();
    nsys_sql(path,
             "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET blockY = 5, blockZ = 6 WHERE gridId = 11");
    nsys_read(&t, path);
    const struct graph *g = t.calls;
    uint32_t node = nsys_node(&t, "add_one(const float *, float *, int)");
    assert_int_equal(g->kind[node], NODE_KERNEL);
    assert_true(g->flags[node] & NODE_DEVICE_TIME);
    const struct graph_detail *d = &g->details[g->detail[node]];
    assert_int_equal(d->kernel.grid[0] * 100 + d->kernel.grid[1] * 10 + d->kernel.grid[2], 432);
    assert_int_equal(d->kernel.block[0], 256);
    assert_int_equal(d->kernel.block[1], 5);
    assert_int_equal(d->kernel.block[2], 6);
    assert_int_equal(d->kernel.shared_bytes, 1536);
    assert_int_equal(t.ndispatches, 2);
    const struct trace_dispatch dispatch = trace_dispatch_at(&t, 0), *k = &dispatch;
    assert_int_equal(k->node, node);
    assert_int_equal(k->id, 11);
    assert_int_equal(k->vgprs, 40);
    assert_int_equal(k->sgprs, TRACE_UNKNOWN);
    assert_int_equal(k->accum_vgprs, TRACE_UNKNOWN);
    assert_int_equal(k->lds_bytes, 1536);
    assert_int_equal(k->scratch_bytes, 8);
    trace_free(&t);
}

/* Both processes number their GPU 0; the file says that they are two GPUs. */
TEST_WITH(each_process_numbers_the_gpus_itself, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    nsys_read(&t, make_new());
    assert_int_equal(t.nagents, 2);
    const struct trace_agent *a = &t.agents[trace_dispatch_at(&t, 0).agent],
                             *b = &t.agents[trace_dispatch_at(&t, 1).agent];
    assert_int_equal(a->number, 0);
    assert_int_equal(b->number, 1);
    assert_true(a->gpu);
    assert_string_equal(graph_text(t.calls, a->name), "sm_90");
    assert_string_equal(graph_text(t.calls, a->model), "NVIDIA H200");
    assert_string_equal(graph_text(t.calls, a->host), "node1");
    assert_int_equal(a->units, 132);
    assert_int_equal(a->clock_mhz, 1980);
    assert_int_equal(a->memory_bytes, 150000000000);
    trace_free(&t);
}

TEST_WITH(transfers_have_direction_and_bytes, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    nsys_read(&t, make_new());
    const struct graph *g = t.calls;
    uint32_t copy = nsys_node(&t, "memcpy Host-to-Device"), set = nsys_node(&t, "memset");
    const struct graph_detail *c = &g->details[g->detail[copy]], *s = &g->details[g->detail[set]];
    assert_int_equal(g->kind[copy], NODE_TRANSFER);
    assert_int_equal(g->kind[set], NODE_TRANSFER);
    assert_int_equal(c->transfer.bytes, 4096);
    assert_int_equal(c->transfer.direction, 0);
    assert_string_equal(graph_text(g, c->transfer.from), "Pinned");
    assert_string_equal(graph_text(g, c->transfer.to), "Device");
    assert_int_equal(s->transfer.bytes, 256);
    assert_int_equal(s->transfer.direction, 2);
    assert_int_equal(s->transfer.from, GRAPH_NONE);
    trace_free(&t);
}

/* Kinds of copies (CUpti_ActivityMemcpyKind): arrays are in device memory, and peers are
 * devices. */
TEST_WITH(every_kind_of_copy_has_its_direction, nsys_set_up, nsys_tear_down)
{
    static const unsigned char direction[] = {2, 0, 1, 0, 1, 2, 2, 2, 2, 2, 2, 0, 1, 2};
    const char *path = make_new();
    for (unsigned kind = 0; kind < sizeof direction; kind++) {
        char sql[96];
        struct trace t;
        snprintf(sql, sizeof sql, "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = %u", kind);
        nsys_sql(path, sql);
        nsys_read(&t, path);
        unsigned copies = 0;
        for (uint32_t v = 0; v < t.calls->nnodes; v++) {
            const struct graph_detail *d = &t.calls->details[t.calls->detail[v]];
            if (t.calls->kind[v] != NODE_TRANSFER || d->transfer.bytes != 4096)
                continue;
            copies++;
            if (d->transfer.direction != direction[kind])
                fail_msg("kind %u: direction %u", kind, d->transfer.direction);
        }
        assert_int_equal(copies, 1);
        trace_free(&t);
    }
}

/* Two processes use the same correlation id; each call launched its own work. */
TEST_WITH(correlation_is_unique_per_process_only, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    nsys_read(&t, make_new());
    const struct graph *g = t.calls;
    assert_int_equal(edges_of(g, EDGE_LAUNCHES), 4);
    assert_int_equal(nsys_links(&t, "cudaMemcpyAsync", "memcpy Host-to-Device"), 1);
    assert_int_equal(nsys_links(&t, "cudaGraphLaunch", "CUDA graph 5"), 1);
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t call = g->edge_from[i], work = g->edge_to[i];
        if (g->edge_kind[i] != EDGE_LAUNCHES)
            continue;
        uint32_t thread = call;
        while (g->kind[thread] != NODE_THREAD)
            thread = g->parent[thread];
        assert_int_equal(g->parent[thread], g->parent[g->parent[work]]);
        if (strcmp(graph_name(g, work), "add_one") == 0)
            assert_int_equal(g->start[call], 1250);
    }
    trace_free(&t);
}

TEST_WITH(lanes_are_known_by_number, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    nsys_read(&t, make_new());
    static const struct {
        const char *name;
        enum node_kind kind;
        int64_t id;
    } lanes[] = {{"train", NODE_PROGRAM, 1000},
                 {"process 2000", NODE_PROGRAM, 2000},
                 {"worker", NODE_THREAD, 1001},
                 {"GPU 0 stream 13", NODE_QUEUE, 13}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        uint32_t node = nsys_node(&t, lanes[i].name);
        assert_int_equal(t.calls->kind[node], lanes[i].kind);
        assert_int_equal(t.calls->details[t.calls->detail[node]].thread.id, lanes[i].id);
    }
    trace_free(&t);
}

/* --- older forms --- */

TEST_WITH(form_of_2021, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("old.sqlite");
    nsys_sql(path, NSYS_OLD);
    nsys_read(&t, path);
    dump_is(&t, "/saxpy\n"
                "saxpy/thread 1001\n"
                "thread 1001/step 1000+2000\n"
                "step/cudaLaunchKernel 1200+100\n"
                "step/cudaMemcpyAsync 1400+100\n"
                "saxpy/GPU 0 context 1 stream 7\n"
                "GPU 0 context 1 stream 7/add_one(const float *, float *, int) 2000+500\n"
                "saxpy/GPU 0 context 2 stream 9\n"
                "GPU 0 context 2 stream 9/memcpy Device-to-Host 2600+100\n");
    assert_int_equal(t.spans, 5);
    assert_int_equal(t.dropped, 0); /* instant marks are not counted */
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    assert_int_equal(trace_dispatch_at(&t, 0).scratch_bytes, TRACE_UNKNOWN);
    assert_int_equal(trace_dispatch_at(&t, 0).lds_bytes, 64);
    assert_int_equal(trace_dispatch_at(&t, 0).id, 1);
    assert_int_equal(t.agents[0].name, GRAPH_NONE);
    assert_int_equal(t.agents[0].host, GRAPH_NONE);
    assert_int_equal(t.agents[0].units, 80);
    trace_free(&t);
}

/* Columns for process, device, stream and name are missing: everything else is read. */
TEST_WITH(columns_that_are_missing_are_unknown, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("few.sqlite");
    nsys_sql(path, NSYS_STRINGS,
             "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, correlationId, shortName);"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, correlationId, globalTid);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 1, 2);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10, 20, 1, " NSYS_T1 ");");
    nsys_read(&t, path);
    dump_is(&t, "/process 1000\n"
                "process 1000/thread 1001\n"
                "thread 1001/unknown function 10+10\n"
                "process 1000/GPU\n"
                "GPU/add_one 30+10\n");
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 1);
    assert_int_equal(trace_dispatch_at(&t, 0).agent, TRACE_UNKNOWN);
    assert_int_equal(trace_dispatch_at(&t, 0).lds_bytes, TRACE_UNKNOWN);
    assert_int_equal(trace_dispatch_at(&t, 0).vgprs, TRACE_UNKNOWN);
    trace_free(&t);
}

TEST_WITH(tables_that_are_missing_have_no_rows, nsys_set_up, nsys_tear_down)
{
    static const char *const only[][2] = {
        {"DROP TABLE StringIds", NULL},
        {"DROP TABLE PROCESSES; DROP TABLE ThreadNames; DROP TABLE TARGET_INFO_GPU", NULL},
        {"DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE NVTX_EVENTS", NULL},
        {"DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY", NULL},
        {"DROP TABLE ENUM_NSYS_EVENT_TYPE; DROP TABLE ENUM_CUDA_MEM_KIND", NULL}};
    static const uint64_t spans[] = {16, 16, 6, 13, 16};
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        struct trace t;
        char name[16];
        snprintf(name, sizeof name, "%zu.sqlite", i);
        const char *path = nsys_path(name);
        nsys_sql(path, NSYS_NEW, only[i][0]);
        nsys_read(&t, path);
        if (t.spans != spans[i])
            fail_msg("after %s: %llu spans", only[i][0], (unsigned long long)t.spans);
        trace_free(&t);
    }
}

/* If the file does not say which of two processes a kernel belongs to, it is assigned to
 * neither. */
TEST_WITH(a_process_is_not_guessed, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("whose.sqlite");
    nsys_sql(path, NSYS_NEW, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL");
    nsys_read(&t, path);
    uint32_t unknown = nsys_node(&t, "unknown process");
    assert_int_equal(t.calls->parent[t.calls->parent[trace_dispatch_at(&t, 0).node]], unknown);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    trace_free(&t);
}

TEST_WITH(a_second_context_is_told_apart, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("contexts.sqlite");
    nsys_sql(path, NSYS_OLD, "DROP TABLE TARGET_INFO_CUDA_NULL_STREAM");
    nsys_read(&t, path);
    nsys_node(&t, "GPU 0 stream 7");
    nsys_node(&t, "GPU 0 context 2 stream 9");
    trace_free(&t);
}

/* CUDA's numbers of GPUs are used if they are unique; otherwise those of the profiler. */
TEST_WITH(gpus_have_one_number_each, nsys_set_up, nsys_tear_down)
{
    static const char *const spoils[] = {"UPDATE TARGET_INFO_GPU SET cuDevice = 0",
                                         "UPDATE TARGET_INFO_GPU SET cuDevice = NULL WHERE id = 1",
                                         "UPDATE TARGET_INFO_GPU SET cuDevice = -1"};
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        struct trace t;
        const char *path = nsys_path("gpus.sqlite");
        remove(path);
        nsys_sql(path, NSYS_NEW, spoils[i]);
        nsys_read(&t, path);
        assert_int_equal(t.nagents, 2);
        assert_int_equal(t.agents[trace_dispatch_at(&t, 0).agent].number, 1);
        nsys_node(&t, "GPU 1 stream 13");
        trace_free(&t);
    }
}

/* A file that does not name its GPUs still has NVIDIA's, so NVIDIA's terms are used. */
TEST_WITH(gpus_without_a_name_are_nvidias, nsys_set_up, nsys_tear_down)
{
    static const char *const spoils[] = {"DROP TABLE TARGET_INFO_GPU",
                                         "UPDATE TARGET_INFO_GPU SET name = NULL, computeMajor = "
                                         "NULL, chipName = NULL"};
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        struct trace t;
        const char *path = nsys_path("nameless.sqlite");
        remove(path);
        nsys_sql(path, NSYS_NEW, spoils[i]);
        nsys_read(&t, path);
        const struct gpu_words *words = trace_words(&t, trace_dispatch_at(&t, 0).agent);
        assert_non_null(words->vendor);
        assert_string_equal(words->vendor, "nvidia");
        trace_free(&t);
    }
}

TEST_WITH(ranges_without_a_type_are_those_that_end, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("untyped.sqlite");
    nsys_sql(path, NSYS_STRINGS, "CREATE TABLE NVTX_EVENTS (start, end, text)",
             "INSERT INTO NVTX_EVENTS VALUES (1, 9, 'step'), (2, NULL, 'mark'), (3, 4, 'inner')");
    nsys_read(&t, path);
    dump_is(&t, "/unknown process\nunknown process/unknown thread\n"
                "unknown thread/step 1+8\nstep/inner 3+1\n");
    assert_int_equal(t.dropped, 0);
    trace_free(&t);
}

/* --- order --- */

/* The nodes of the host are the same in whatever order the file has its rows. */
TEST_WITH(order_of_rows_changes_nothing, nsys_set_up, nsys_tear_down)
{
    static const char turn[] =
        "CREATE TABLE r AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start DESC;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM r;"
        "CREATE TABLE n AS SELECT * FROM NVTX_EVENTS ORDER BY start DESC;"
        "DELETE FROM NVTX_EVENTS; INSERT INTO NVTX_EVENTS SELECT * FROM n;";
    struct trace a, b;
    nsys_read(&a, make_new());
    const char *path = nsys_path("turned.sqlite");
    nsys_sql(path, NSYS_NEW, turn);
    nsys_read(&b, path);
    char *x = nsys_dump(&a), *y = nsys_dump(&b);
    assert_string_equal(x, y);
    free(x);
    free(y);
    trace_free(&a);
    trace_free(&b);
}

/* Several files become one trace with separate lanes. */
TEST_WITH(several_files_are_one_trace, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    char old[128];
    snprintf(old, sizeof old, "%s", nsys_path("old.sqlite"));
    nsys_sql(old, NSYS_OLD);
    const char *paths[] = {old, make_new()};
    assert_int_equal(trace_open(&t, paths, 2, &err), 0);
    assert_int_equal(t.spans, 21);
    assert_int_equal(t.ndispatches, 3);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 6);
    nsys_node(&t, "saxpy");
    nsys_node(&t, "train");
    trace_free(&t);
}
