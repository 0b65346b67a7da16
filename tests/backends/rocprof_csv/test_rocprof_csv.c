/* CSV files of rocprofv3: examples of its documentation, runs with several files, bad rows. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/code/gpu_words.h"
#include "support/edges.h"
#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

#define DATA "tests/data/rocprofv3/"

#define KERNELS                                                                                    \
    "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_"     \
    "Id\","                                                                                        \
    "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\"," \
    "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\","    \
    "\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
#define CALLS                                                                                      \
    "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\"," \
    "\"End_Timestamp\"\n"
#define COPIES                                                                                     \
    "\"Kind\",\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\","           \
    "\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
#define COUNTERS                                                                                   \
    "\"Correlation_Id\",\"Dispatch_Id\",\"Agent_Id\",\"Queue_Id\",\"Process_Id\",\"Thread_Id\","   \
    "\"Grid_Size\",\"Kernel_Id\",\"Kernel_Name\",\"Workgroup_Size\",\"LDS_Block_Size\","           \
    "\"Scratch_Size\",\"VGPR_Count\",\"Accum_VGPR_Count\",\"SGPR_Count\",\"Counter_Name\","        \
    "\"Counter_Value\",\"Start_Timestamp\",\"End_Timestamp\"\n"

static char folder[128];

FIXTURE_STATUS(make_folder)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/rooftop-csv-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(empty_folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    char path[512];
    while (d && (e = readdir(d))) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
}

static int remove_folder(void **state)
{
    empty_folder(state);
    return rmdir(folder);
}

/* The path is valid until the fifth call after it. */
static const char *put_file(const char *name, const char *text)
{
    static char paths[5][256];
    static unsigned next;
    char *path = paths[next++ % 5];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

static void open_all(struct trace *t, const char *const *paths, size_t n)
{
    struct error err = ERROR_INIT;
    char text[1024];
    *t = (struct trace){0};
    if (trace_open(t, paths, n, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
}

/* --- examples of other sources --- */

TEST_WITH(samples, NULL, empty_folder)
{
    static const struct {
        const char *file;
        unsigned spans, kernels, copies, calls, counters, dropped, ranges;
    } expected[] = {
        {"counter_collection.csv", 4, 4, 0, 0, 4, 0, 0},
        {"hip_compile_trace.csv", 5, 0, 0, 5, 0, 0, 0},
        {"hip_runtime_trace.csv", 8, 0, 0, 8, 0, 0, 0},
        {"hip_trace.csv", 17, 0, 0, 17, 0, 0, 0},
        {"hsa_api_trace.csv", 10, 0, 0, 10, 0, 0, 0},
        {"hsa_core_api_trace.csv", 32, 0, 0, 32, 0, 0, 0},
        {"kernel_names.csv", 0, 0, 0, 0, 0, 4, 0}, /* it has no times */
        {"kernel_trace.csv", 9, 9, 0, 0, 0, 0, 0},
        {"kernel_trace_truncated.csv", 4, 4, 0, 0, 0, 0, 0},
        {"marker_api_trace.csv", 3, 0, 0, 0, 0, 0, 3}, /* two more are instants */
        {"memory_copy_trace.csv", 4, 0, 4, 0, 0, 0, 0},
        {"rocpd-to-csv.csv", 13, 0, 0, 13, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char path[256];
        struct trace t;
        snprintf(path, sizeof path, DATA "%s", expected[i].file);
        look_open(&t, path);
        if (t.spans != expected[i].spans)
            print_error("%s\n", path);
        assert_int_equal(t.spans, expected[i].spans);
        assert_int_equal(look_count(&t, NODE_KERNEL), expected[i].kernels);
        assert_int_equal(look_count(&t, NODE_TRANSFER), expected[i].copies);
        assert_int_equal(look_count(&t, NODE_FUNCTION), expected[i].calls);
        assert_int_equal(look_count(&t, NODE_RANGE), expected[i].ranges);
        assert_int_equal(t.ncounters, expected[i].counters);
        assert_int_equal(t.dropped, expected[i].dropped);
        trace_free(&t);
    }
}

TEST_WITH(a_kernel_trace, NULL, empty_folder)
{
    struct trace t;
    look_open(&t, DATA "kernel_trace.csv");
    uint32_t k =
        look_for(&t, NODE_KERNEL, "divide_kernel(float*, float const*, float const*, int, int)", 0);
    const struct trace_dispatch *d = look_dispatch(&t, k);
    assert_int_equal(t.calls->start[k], 1550151853064037);
    assert_int_equal(t.calls->duration[k], 1550151853075237 - 1550151853064037);
    assert_int_equal(d->id, 4);
    assert_int_equal(d->vgprs, 12);
    assert_int_equal(d->accum_vgprs, 4);
    assert_int_equal(d->sgprs, 16);
    assert_int_equal(look_detail(&t, k)->kernel.grid[0], 16);
    assert_int_equal(look_detail(&t, k)->kernel.grid[1], 1024);
    assert_int_equal(look_detail(&t, k)->kernel.block[0], 64);
    assert_int_equal(t.agents[d->agent].number, 4);
    assert_true(t.agents[d->agent].gpu);
    /* the GPU is unknown, but the format is AMD's: it has waves and LDS instead of warps and
     * shared memory */
    assert_string_equal(trace_words_all(&t)->vendor, "amd");
    assert_string_equal(graph_name(t.calls, t.calls->parent[k]), "GPU 4 queue 1");
    assert_int_equal(look_count(&t, NODE_QUEUE), 4);
    trace_free(&t);
    look_open(&t, DATA "counter_collection.csv");
    k = look_for(&t, NODE_KERNEL, "subtract_kernel(float*, float const*, float const*, int, int)",
                 0);
    assert_true(look_counter(&t, k, "SQ_WAVES") == 16384);
    assert_int_equal(look_detail(&t, k)->kernel.grid[0], 16384);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_PROGRAM, "pid 15606", 0))->thread.id, 15606);
    trace_free(&t);
}

/* --- runs --- */

static const char calls[] = CALLS "\"HIP_RUNTIME_API_EXT\",\"hipMemcpy\",42,42,1,100,200\n"
                                  "\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",42,43,2,300,340\n"
                                  "\"MARKER_CORE_API\",\"step \"\"1\"\", part 2\",42,43,9,290,900\n"
                                  "\"MARKER_CORE_API\",\"mark\",42,43,10,290,290\n";
static const char kernels[] =
    KERNELS "\"KERNEL_DISPATCH\",\"Agent 1\",1,0,43,5,7,\"_Z4axpyPf.kd\",2,350,400,512,0,8,0,16,64,"
            "1,1,1000,2,1\n";
static const char copies[] =
    COPIES "\"MEMORY_COPY\",\"MEMORY_COPY_HOST_TO_DEVICE\",0,\"Agent 0\",\"Agent 1\",1,110,190\n";
static const char counters[] =
    COUNTERS "2,5,\"Agent 1\",1,42,43,1000,7,\"axpy(float*)\",64,512,0,8,0,16,\"SQ_WAVES\",16,350,"
             "400\n"
             "3,6,\"Agent 1\",1,42,43,100,7,\"gemm\",64,512,0,8,0,16,\"SQ_WAVES\",1,500,600\n"
             "2,5,\"Agent 1\",1,42,43,1000,7,\"axpy(float*)\",64,512,0,8,0,16,\"GRBM_COUNT\",2.5,"
             "350,400\n"
             "3,6,\"Agent 1\",1,42,43,100,7,\"gemm\",64,512,0,8,0,16,\"SQ_WAVES\",2,500,600\n";
static const char agents[] =
    "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Cu_Count\",\"Max_Engine_Clk_Fcompute\","
    "\"Local_Mem_Size\",\"Name\",\"Product_Name\",\"Model_Name\"\n"
    "0,0,\"CPU\",96,2400,0,\"EPYC\",\"AMD EPYC\",\"\"\n"
    "5,1,\"GPU\",304,2100,206141652992,\"gfx942\",\"AMD Instinct MI300X\",\"\"\n";

TEST_WITH(files_of_a_run_join, NULL, empty_folder)
{
    const char *paths[] = {
        put_file("42_kernel_trace.csv", kernels), put_file("42_hip_api_trace.csv", calls),
        put_file("42_memory_copy_trace.csv", copies),
        put_file("42_counter_collection.csv", counters), put_file("42_agent_info.csv", agents)};
    char *first = NULL;
    struct trace t;
    for (size_t turn = 0; turn < 5; turn++) { /* in any order of files */
        const char *turned[5];
        for (size_t i = 0; i < 5; i++)
            turned[i] = paths[(i + turn) % 5];
        open_all(&t, turned, 5);
        assert_int_equal(look_count(&t, NODE_PROGRAM), 1);
        assert_int_equal(t.spans, 6);
        uint32_t axpy = look_for(&t, NODE_KERNEL, "axpy(float*)", 0);
        uint32_t gemm = look_for(&t, NODE_KERNEL, "gemm", 0); /* only counters of it are known */
        uint32_t launch = look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0);
        assert_true(look_edge(&t, launch, axpy, EDGE_LAUNCHES));
        assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "hipMemcpy", 0),
                              look_for(&t, NODE_TRANSFER, "H2D", 0), EDGE_LAUNCHES));
        assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
        assert_string_equal(graph_name(t.calls, t.calls->parent[launch]), "step \"1\", part 2");
        assert_true(look_counter(&t, axpy, "SQ_WAVES") == 16);
        assert_true(look_counter(&t, axpy, "GRBM_COUNT") == 2.5);
        assert_true(look_counter(&t, gemm, "SQ_WAVES") == 3);
        assert_int_equal(t.ncounters, 3);
        assert_int_equal(look_detail(&t, axpy)->kernel.grid[0], 16); /* the trace's three */
        assert_int_equal(look_detail(&t, axpy)->kernel.grid[1], 2);
        const struct trace_agent *gpu = &t.agents[look_dispatch(&t, axpy)->agent];
        assert_int_equal(gpu->units, 304);
        assert_int_equal(gpu->number, 5);
        assert_int_equal(gpu->memory_bytes, 206141652992);
        assert_string_equal(graph_text(t.calls, gpu->model), "AMD Instinct MI300X");
        assert_int_equal(t.nagents, 2);
        /* an agent without compute units */
        const struct trace_agent *cpu = &t.agents[gpu == t.agents];
        assert_false(cpu->gpu);
        assert_int_equal(cpu->units, TRACE_UNKNOWN);
        assert_int_equal(cpu->clock_mhz, TRACE_UNKNOWN);
        char *lines = look_lines(&t);
        if (first)
            assert_string_equal(lines, first);
        else
            first = strdup(lines);
        free(lines);
        trace_free(&t);
    }
    free(first);
}

TEST_WITH(runs_are_told_apart_by_their_names, NULL, empty_folder)
{
    const char *paths[] = {put_file("a_kernel_trace.csv", kernels),
                           put_file("b_hip_api_trace.csv", calls),
                           put_file("b_kernel_trace.csv", kernels)};
    struct trace t;
    open_all(&t, paths, 3);
    assert_int_equal(look_count(&t, NODE_PROGRAM), 2);
    uint32_t launch = look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0);
    unsigned linked = 0;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t k = look_for(&t, NODE_KERNEL, "axpy(float*)", i);
        uint32_t program = t.calls->parent[t.calls->parent[k]];
        bool same = strcmp(graph_name(t.calls, program), "pid 42") == 0;
        assert_true(same || strcmp(graph_name(t.calls, program), "a") == 0);
        assert_int_equal(look_edge(&t, launch, k, EDGE_LAUNCHES), same);
        linked += same;
    }
    assert_int_equal(linked, 1);
    trace_free(&t);
}

/* A list of kernels has no column for the process; the file's name has the PID. */
TEST_WITH(a_file_is_named_after_its_process, NULL, empty_folder)
{
    static const struct {
        const char *file, *program;
        int pid;
    } rows[] = {{"4242_kernel_trace.csv", "pid 4242", 4242},
                {"4242x_kernel_trace.csv", "4242x", 0},
                {"0_kernel_trace.csv", "0", 0},
                {"2147483648_kernel_trace.csv", "2147483648", 0},
                {"run_4242_kernel_trace.csv", "run_4242", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace t;
        const char *path = put_file(rows[i].file, kernels);
        open_all(&t, &path, 1);
        assert_int_equal(look_count(&t, NODE_PROGRAM), 1);
        uint32_t program = look_node(&t, NODE_PROGRAM, rows[i].program, 0);
        if (program == GRAPH_NONE)
            fail_msg("%s is not of \"%s\"", rows[i].file, rows[i].program);
        assert_int_equal(look_detail(&t, program)->thread.id, rows[i].pid);
        trace_free(&t);
    }
}

/* What rocpd's tool converts from several runs has an additional column. */
TEST_WITH(guids_are_runs, NULL, empty_folder)
{
    const char *paths[] = {
        put_file("out_hip_api_trace.csv",
                 "Guid,Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,"
                 "End_Timestamp\ng1,D,one,1,1,5,10,20\ng2,D,two,1,1,5,10,20\n"),
        put_file("out_kernel_trace.csv",
                 "Guid,Agent_Id,Queue_Id,Thread_Id,Dispatch_Id,Kernel_Name,Correlation_Id,"
                 "Start_Timestamp,End_Timestamp\ng2,Agent 1,1,1,1,k2,5,30,40\n"
                 "g1,Agent 1,1,1,1,k1,5,30,40\n")};
    struct trace t;
    open_all(&t, paths, 2);
    assert_int_equal(look_count(&t, NODE_PROGRAM), 2);
    for (unsigned i = 0; i < 2; i++)
        assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, i ? "two" : "one", 0),
                              look_for(&t, NODE_KERNEL, i ? "k2" : "k1", 0), EDGE_LAUNCHES));
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    trace_free(&t);
}

/* A kernel trace does not name its process, but the calls of its thread do. */
TEST_WITH(threads_tell_processes, NULL, empty_folder)
{
    const char *paths[] = {
        put_file("hip_api_trace.csv", CALLS "D,f,1,11,1,10,20\nD,g,2,22,1,10,20\n"),
        put_file("kernel_trace.csv",
                 "Agent_Id,Queue_Id,Thread_Id,Dispatch_Id,Kernel_Name,Correlation_Id,"
                 "Start_Timestamp,End_Timestamp\n1,1,22,1,k,1,30,40\n1,1,33,2,stray,1,30,40\n")};
    struct trace t;
    open_all(&t, paths, 2);
    uint32_t k = look_for(&t, NODE_KERNEL, "k", 0), stray = look_for(&t, NODE_KERNEL, "stray", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[t.calls->parent[k]]), "pid 2");
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "g", 0), k, EDGE_LAUNCHES));
    assert_string_equal(graph_name(t.calls, t.calls->parent[t.calls->parent[stray]]),
                        strrchr(folder, '/') + 1);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 1);
    trace_free(&t);
}

/* Two processes use the same dispatch numbers in one file: each keeps its own counters. */
TEST_WITH(counters_of_two_processes_stay_apart, NULL, empty_folder)
{
    const char *paths[] = {
        put_file("counter_collection.csv", COUNTERS
                 "2,5,\"Agent 1\",1,42,42,64,7,\"k\",64,0,0,8,0,16,\"SQ_WAVES\",16,350,400\n"
                 "2,5,\"Agent 1\",1,43,43,64,7,\"k\",64,0,0,8,0,16,\"SQ_WAVES\",20,500,600\n"
                 "2,5,\"Agent 1\",1,43,43,64,7,\"k\",64,0,0,8,0,16,\"GRBM_COUNT\",3,500,600\n")};
    struct trace t;
    open_all(&t, paths, 1);
    assert_int_equal(look_count(&t, NODE_KERNEL), 2);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t k = look_for(&t, NODE_KERNEL, "k", i);
        bool first = t.calls->start[k] == 350;
        assert_string_equal(graph_name(t.calls, t.calls->parent[t.calls->parent[k]]),
                            first ? "pid 42" : "pid 43");
        assert_true(look_counter(&t, k, "SQ_WAVES") == (first ? 16 : 20));
        assert_true(first ? isnan(look_counter(&t, k, "GRBM_COUNT"))
                          : look_counter(&t, k, "GRBM_COUNT") == 3);
    }
    trace_free(&t);
}

/* The same run as a database gives the same graph. */
TEST_WITH(the_same_as_rocpd, NULL, empty_folder)
{
    struct rocpd_file f;
    struct trace t;
    const char *paths[] = {put_file("hip_api_trace.csv", calls),
                           put_file("kernel_trace.csv", kernels),
                           put_file("memory_copy_trace.csv", copies)};
    rocpd_file_open(&f, "same");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_sql(
        &f,
        "INSERT INTO [rocpd_info_process@](id, pid) VALUES (42, 42);"
        "INSERT INTO [rocpd_info_agent@](id, type, absolute_index) VALUES (0, 'CPU', 0),"
        " (1, 'GPU', 1);"
        "INSERT INTO [rocpd_info_kernel_symbol@](id, kernel_name) VALUES (7, '_Z4axpyPf.kd');"
        "INSERT INTO [rocpd_string@](id, string) VALUES (1, 'hipMemcpy'), (2,"
        " 'hipLaunchKernel'), (3, 'step \"1\", part 2'), (4, 'MEMORY_COPY_HOST_TO_DEVICE'),"
        " (5, 'MARKER_CORE_API');"
        "INSERT INTO [rocpd_event@](id, stack_id, category_id) VALUES (1, 1, 1), (2, 2, 1),"
        " (3, 9, 5), (4, 2, 1), (5, 1, 1);"
        "INSERT INTO [rocpd_region@](pid, tid, start, [end], name_id, event_id) VALUES"
        " (42, 42, 100, 200, 1, 1), (42, 43, 300, 340, 2, 2), (42, 43, 290, 900, 3, 3);"
        "INSERT INTO [rocpd_kernel_dispatch@](pid, tid, agent_id, kernel_id, dispatch_id, start,"
        " [end], grid_size_y, event_id) VALUES (42, 43, 1, 7, 5, 350, 400, 2, 4);"
        "INSERT INTO [rocpd_memory_copy@](pid, start, [end], name_id, dst_agent_id, event_id)"
        " VALUES (42, 110, 190, 4, 1, 5);");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    char *database = look_lines(&t);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    trace_free(&t);
    open_all(&t, paths, 3);
    char *files = look_lines(&t);
    assert_string_equal(files, database);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    trace_free(&t);
    free(files);
    free(database);
    rocpd_file_remove(&f);
}

TEST_WITH(other_files_of_a_run_are_skipped, NULL, empty_folder)
{
    const char *paths[] = {DATA "memory_allocation_trace.csv", DATA "scratch_memory_trace.csv",
                           DATA "pc_sampling_stochastic_debug.csv", DATA "hip_api_stats.csv",
                           DATA "kernel_trace_truncated.csv"};
    struct trace t;
    open_all(&t, paths, 5);
    assert_int_equal(t.spans, 4);
    trace_free(&t);
    look_refused(paths[0], paths[0], "memory allocations", "rooftop does not show", NULL);
    look_refused(paths[3], "sums over calls", NULL);
}

/* --- the format --- */

TEST_WITH(columns_and_quotes, NULL, empty_folder)
{
    static const char text[] =
        "\xef\xbb\xbf"
        "End_Timestamp,\"Kernel_Name\",Start_Timestamp,Extra,Dispatch_Id,Agent_Id,\"Queue_Id\"\r\n"
        "20,\"a \"\"b\"\", c\r\nd\",10,,1,GPU 0,\r\n"
        "\r\n"
        "40,plain \"name\",30,\"\",2,CPU 3,7\r\n"
        "60,last,50,x,3,,8";
    struct trace t;
    look_open(&t, put_file("x.csv", text));
    assert_int_equal(t.spans, 3);
    uint32_t a = look_for(&t, NODE_KERNEL, "a \"b\", c\r\nd", 0);
    assert_int_equal(t.calls->start[a], 10);
    assert_string_equal(graph_name(t.calls, t.calls->parent[a]), "GPU 0 queue");
    uint32_t b = look_for(&t, NODE_KERNEL, "plain \"name\"", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[b]), "CPU 3 queue 7");
    uint32_t c = look_for(&t, NODE_KERNEL, "last", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[c]), "queue 8");
    assert_int_equal(look_dispatch(&t, c)->vgprs, TRACE_UNKNOWN);
    trace_free(&t);
}

TEST_WITH(bad_rows_are_refused_where_they_are, NULL, empty_folder)
{
    static const char head[] = "Function,Process_Id,Thread_Id,Start_Timestamp,End_Timestamp\n"
                               "ok,1,1,10,20\n";
    static const struct {
        const char *row, *at, *why;
    } cases[] = {
        {"f,1,1,ten,20\n", ":3: Start_Timestamp", "\"ten\""},
        {"f,1,1,10,20x\n", ":3: End_Timestamp", "\"20x\""},
        {"f,1,1,10,99999999999999999999\n", ":3: End_Timestamp", "64 bits"},
        {"f,one,1,10,20\n", ":3: Process_Id", "\"one\""},
        {"f,1,1.5,10,20\n", ":3: Thread_Id", "\"1.5\""},
        {"f,1,1,10\n", ":3", "4 fields where the first line has 5"},
        {"f,1,1,10,20,30\n", ":3", "6 fields"},
        {"\"f,1,1,10,20\n", ":3", "never closed"},
        {"\"f\"x,1,1,10,20\n", ":3", "after the closing quote of field 1"},
        {"\"two\nlines\",1,1,10,20\nf,1,1,x,20\n", ":5: Start_Timestamp", "\"x\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", head, cases[i].row);
        const char *path = put_file("bad.csv", text);
        look_refused(path, path, cases[i].at, cases[i].why, NULL);
    }
    look_refused(put_file("bad.csv", KERNELS "K,Agent x,1,0,1,1,1,k,1,1,2,0,0,0,0,0,1,1,1,1,1,1\n"),
                 ":2: Agent_Id", "Agent x", NULL);
    look_refused(put_file("bad.csv", KERNELS "K,1,1,0,1,1,1,k,1,1,2,0,0,-8,0,0,1,1,1,1,1,1\n"),
                 ":2: VGPR_Count", "below 0", NULL);
    look_refused(put_file("bad.csv", KERNELS "K,1,1,0,1,,1,k,1,1,2,0,0,8,0,0,1,1,1,1,1,1\n"),
                 ":2: Dispatch_Id", "empty", NULL);
    look_refused(put_file("bad.csv", COUNTERS "1,1,1,1,1,1,1,1,k,1,1,1,1,1,1,SQ_WAVES,many,1,2\n"),
                 ":2: Counter_Value", "many", NULL);
    look_refused(put_file("bad.csv", "a,b,c\n1,2,3\n"), "none of the formats", NULL);
    look_refused(put_file("bad.csv", ""), "it is empty", NULL);
}

TEST_WITH(long_rows_have_a_bound, NULL, empty_folder)
{
    size_t n = 3 << 20;
    char *text = malloc(n + 1);
    assert_non_null(text);
    memset(text, 'x', n);
    text[n] = '\0';
    memcpy(text, CALLS "D,\"", sizeof CALLS + 2);
    text[sizeof CALLS + 2] = 'x';
    look_refused(put_file("long.csv", text), ":2", "a row of more than", NULL);
    memset(text + sizeof CALLS + 3, ',', 20000);
    text[sizeof CALLS + 1] = 'x';
    look_refused(put_file("long.csv", text), ":2", "more than 16384 fields", NULL);
    free(text);
}

TEST_WITH(rows_without_times_are_dropped, NULL, empty_folder)
{
    struct trace t;
    look_open(&t, put_file("t.csv", CALLS "D,f,1,1,1,20,10\nD,f,1,1,1,,10\nD,f,1,1,1,-5,10\n"
                                          "D,f,1,1,1,0,0\nD,ok,1,1,1,1,2\n"));
    assert_int_equal(t.dropped, 4);
    assert_int_equal(t.spans, 1);
    trace_free(&t);
}

TEST_WITH(the_runtimes_own_kernels_are_copies, NULL, empty_folder)
{
    struct trace t;
    const char *path =
        put_file("kernel_trace.csv", KERNELS
                 "\"KERNEL_DISPATCH\",\"Agent 1\",1,0,43,5,7,\"gemm.kd\",2,350,400,512,0,8,"
                 "0,16,64,1,1,1000,2,1\n"
                 "\"KERNEL_DISPATCH\",\"Agent 1\",1,0,43,6,8,\"__amd_rocclr_fillBufferAligned"
                 ".kd\",3,400,420,0,0,8,0,16,64,1,1,1000,2,1\n");
    look_open(&t, path);
    assert_int_equal(look_count(&t, NODE_KERNEL), 1);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 1);
    assert_int_equal(t.ndispatches, 1);
    trace_free(&t);
}

static bool give_up(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    unsigned *looks = ctx;
    assert_non_null(path);
    assert_true(done <= total && total > 0);
    return ++*looks < 3;
}

TEST_WITH(it_can_be_given_up, NULL, empty_folder)
{
    char *text = NULL;
    size_t size;
    unsigned looks = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(CALLS, f);
    for (int i = 1; i < 30000; i++)
        fprintf(f, "D,f%d,1,1,%d,%d,%d\n", i % 10, i, i * 10, i * 10 + 5);
    fclose(f);
    const char *path = put_file("many.csv", text);
    struct trace t = {.watch = give_up, .watch_ctx = &looks};
    assert_int_equal(trace_open(&t, &path, 1, NULL), -ECANCELED);
    assert_int_equal(looks, 3);
    trace_free(&t);
    look_open(&t, path);
    assert_int_equal(t.spans, 29999);
    trace_free(&t);
    free(text);
}

/* A stream is in order, whatever queue or engine does its work. 0 is the default stream, or none.
 */
TEST_WITH(work_of_one_stream_is_in_order, NULL, empty_folder)
{
    static const char *const kernels = "Agent_Id,Queue_Id,Stream_Id,Dispatch_Id,Kernel_Name,"
                                       "Start_Timestamp,End_Timestamp\n"
                                       "Agent 4,1,3,1,a,100,200\nAgent 4,2,3,2,b,400,500\n"
                                       "Agent 4,1,0,3,c,100,200\nAgent 4,2,9,4,d,250,480\n";
    static const char *const copies = "Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,"
                                      "Start_Timestamp,End_Timestamp\n"
                                      "HOST_TO_DEVICE,3,Agent 0,Agent 4,250,300\n"
                                      "HOST_TO_DEVICE,0,Agent 0,Agent 4,250,300\n"
                                      "HOST_TO_DEVICE,9,Agent 0,Agent 4,470,490\n";
    const char *paths[] = {put_file("1_kernel_trace.csv", kernels),
                           put_file("1_memory_copy_trace.csv", copies)};
    struct trace t;
    open_all(&t, paths, 2);
    uint32_t a = look_for(&t, NODE_KERNEL, "a", 0), b = look_for(&t, NODE_KERNEL, "b", 0),
             c = look_for(&t, NODE_KERNEL, "c", 0), d = look_for(&t, NODE_KERNEL, "d", 0);
    uint32_t copy[] = {look_for(&t, NODE_TRANSFER, "H2D", 0), look_for(&t, NODE_TRANSFER, "H2D", 1),
                       look_for(&t, NODE_TRANSFER, "H2D", 2)};
    assert_true(look_edge(&t, a, copy[0], EDGE_DEPENDS));
    assert_true(look_edge(&t, copy[0], b, EDGE_DEPENDS));
    assert_false(look_edge(&t, c, copy[1], EDGE_DEPENDS));
    assert_false(look_edge(&t, d, copy[2], EDGE_DEPENDS)); /* the times contradict it */
    assert_false(look_edge(&t, d, b, EDGE_DEPENDS));
    trace_free(&t);
}

TEST_MAIN(make_folder, remove_folder)
