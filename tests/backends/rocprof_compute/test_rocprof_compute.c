/* Workloads of rocprof-compute: in the wide and the long form, and in several passes. The expected
 * sums are written here. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/trace/trace.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define SYSTEM                                                                                     \
    "workload_name,command,hostname,gpu_model,gpu_arch,cu_per_gpu,max_sclk,total_l2_chan\n"        \
    "copy,./bin/vcopy -n 4,node7,MI200,gfx90a,104,1700,2\n"
#define SHAPE                                                                                      \
    "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"                   \
    "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,wave_size,obj,"
#define K(id) #id ",\"copy(int*, int) [clone .kd]\",2,1024,256,512,16,8,4,24,64,0x7f,"

static int setup(void **state)
{
    if (temp_folder_make(state) != 0)
        return -1;
    temp_folder_put("sysinfo.csv", SYSTEM);
    return 0;
}

static int open_as(struct trace *t, const char *path, struct error *err)
{
    *t = (struct trace){.nfiles = 0};
    return trace_open(t, &path, 1, err);
}

static struct trace opened(void)
{
    struct error err = ERROR_INIT;
    struct trace t;
    char text[1024];
    if (open_as(&t, temp_folder, &err) != 0)
        fail_msg("%s", error_format(&err, text, sizeof text));
    return t;
}

/* NULL if the dispatch has no such counter. */
static const double *counter(const struct trace *t, uint32_t dispatch, const char *name)
{
    uint32_t node = trace_dispatch_node(t, dispatch);
    for (uint32_t i = 0; i < t->ncounters; i++)
        if (t->counters[i].node == node &&
            strcmp(graph_text(t->calls, t->counters[i].name), name) == 0)
            return &t->counters[i].value;
    return NULL;
}

static void expect(const struct trace *t, uint32_t dispatch, const char *name, double value)
{
    const double *v = counter(t, dispatch, name);
    if (!v)
        fail_msg("dispatch %u has no %s", dispatch, name);
    assert_true(v && *v == value);
}

static uint64_t ns(const struct trace *t, uint32_t dispatch)
{
    return t->calls->duration[trace_dispatch_node(t, dispatch)];
}

TEST_WITH(a_wide_file_tells_registers_architecture_and_counters, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,TCC_HIT[0],wave_size_1,obj_1,TCC_HIT[1],TCC_MISS[0],"
                          "TCC_MISS_sum,Start_Timestamp,End_Timestamp\n" K(0) //
                    "16,100,64,0x1,23,5,77,1000,1500\n" K(1)                  //
                    "17,200,64,0x1,,5,78,2000.5,2600.5\n");
    struct trace t = opened();
    assert_int_equal(t.ndispatches, 2);
    struct trace_dispatch d = trace_dispatch_at(&t, 0);
    assert_int_equal(d.vgprs, 8);
    assert_int_equal(d.accum_vgprs, 4);
    assert_int_equal(d.sgprs, 24);
    assert_int_equal(d.lds_bytes, 512);
    assert_int_equal(d.scratch_bytes, 16);
    assert_string_equal(graph_name(t.calls, d.node), "copy(int*, int)");
    assert_int_equal(t.calls->details[t.calls->detail[d.node]].kernel.grid[0], 4);
    assert_int_equal(t.nagents, 1);
    assert_string_equal(graph_text(t.calls, t.agents[0].name), "gfx90a");
    assert_string_equal(graph_text(t.calls, t.agents[0].model), "MI200");
    assert_int_equal(t.agents[0].number, 2);
    assert_int_equal(t.agents[0].units, 104);
    assert_int_equal(t.agents[0].clock_mhz, 1700);
    assert_int_equal(ns(&t, 0), 500);
    assert_int_equal(ns(&t, 1), 600);
    expect(&t, 0, "SQ_WAVES", 16);
    expect(&t, 0, "TCC_HIT", 123);
    expect(&t, 0, "TCC_MISS_sum", 77);
    assert_null(counter(&t, 0, "TCC_MISS")); /* the file already has the sum */
    assert_null(counter(&t, 1, "TCC_HIT"));  /* a channel is missing */
    assert_null(counter(&t, 0, "wave_size_1"));
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "not all there"));
    trace_free(&t);
}

#define LONG                                                                                       \
    "GPU_ID,Dispatch_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Scratch_Per_Workitem,"          \
    "Arch_VGPR,Accum_VGPR,SGPR,Kernel_Name,Start_Timestamp,End_Timestamp,Kernel_ID,"               \
    "Counter_Name,Counter_Value\n"
#define L(id, from, to, name, value)                                                               \
    "2," #id ",1024,256,0,0,4,4,16,\"f(int)\"," #from "," #to ",12," name "," #value "\n"

TEST_WITH(a_long_file_puts_the_passes_of_a_dispatch_together, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv",
                    LONG L(1, 100, 190, "SQ_WAVES", 5) L(2, 300, 410, "SQ_WAVES", 6)    //
                    L(1, 1100, 1150, "TCC_HIT[0]", 7) L(1, 1100, 1150, "TCC_HIT[1]", 8) //
                    L(1, 2100, 2170, "GRBM_COUNT", 9) L(1, 2100, 2170, "SQ_WAVES", 5)   //
                    L(2, 1300, 1340, "TCC_HIT[0]", 1) L(2, 1300, 1340, "TCC_HIT[1]", 2));
    struct trace t = opened();
    assert_int_equal(t.ndispatches, 2);
    expect(&t, 0, "SQ_WAVES", 5); /* counted in two passes, reported once */
    expect(&t, 0, "TCC_HIT", 15);
    expect(&t, 0, "GRBM_COUNT", 9);
    expect(&t, 1, "TCC_HIT", 3);
    assert_int_equal(ns(&t, 0), 70); /* the median of 50, 70, 90 */
    assert_int_equal(t.calls->start[trace_dispatch_node(&t, 0)], 100);
    trace_free(&t);
}

TEST_WITH(passes_are_joined_by_the_order_of_dispatches, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf_0.csv", SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" //
                    K(0) "1,100,200\n" K(1) "2,300,400\n");
    temp_folder_put("pmc_perf_1.csv", SHAPE "SQ_WAVES,GRBM_COUNT,Start_Timestamp,End_Timestamp\n" //
                    K(7) "90,11,1100,1201\n" K(9) "90,12,1300,1402\n");
    temp_folder_put("SQ_LEVEL_WAVES.csv",
                    SHAPE "SQ_ACCUM_PREV_HIRES,Start_Timestamp,End_Timestamp\n" //
                    K(0) "5,100,200\n");
    struct trace t = opened();
    assert_int_equal(t.ndispatches, 2);
    expect(&t, 0, "SQ_WAVES", 1); /* from the first pass that counted it */
    expect(&t, 0, "GRBM_COUNT", 11);
    expect(&t, 1, "GRBM_COUNT", 12);
    assert_null(counter(&t, 0, "SQ_LEVEL_WAVES_ACCUM"));
    assert_int_equal(t.nnotes, 1); /* it ran once in that pass, twice in this one */
    assert_non_null(strstr(t.notes[0], "SQ_LEVEL_WAVES.csv"));
    trace_free(&t);
}

TEST_WITH(levels_are_named_after_their_file, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,200\n");
    temp_folder_put("SQ_LEVEL_WAVES.csv",
                    SHAPE "SQ_ACCUM_PREV_HIRES,SQ_WAVES,Start_Timestamp,End_Timestamp\n" //
                    K(3) "5,9,900,990\n");
    temp_folder_put("timestamps.csv", SHAPE "Start_Timestamp,End_Timestamp\n" K(1) "700,777\n");
    struct trace t = opened();
    expect(&t, 0, "SQ_LEVEL_WAVES_ACCUM", 5);
    expect(&t, 0, "SQ_WAVES", 1);
    assert_int_equal(ns(&t, 0), 100); /* the joined file has its own times */
    trace_free(&t);
}

TEST_WITH(times_that_lost_their_digits_are_not_known, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv", SHAPE
                    "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,1.62068E+14,1.62068E+14\n");
    struct trace t = opened();
    assert_int_equal(t.ndispatches, 1);
    assert_true(ns(&t, 0) == GRAPH_UNKNOWN);
    assert_true(t.calls->start[trace_dispatch_node(&t, 0)] == GRAPH_UNKNOWN);
    expect(&t, 0, "SQ_WAVES", 1);
    assert_non_null(strstr(t.notes[0], "rounded"));
    trace_free(&t);
}

TEST_WITH(a_kernel_may_end_as_it_begins, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,100\n" K(1) //
                    "2,300,200\n" K(2) "3,0,0\n");
    struct trace t = opened();
    assert_int_equal(t.ndispatches, 3);
    assert_true(ns(&t, 0) == 0);
    assert_true(ns(&t, 1) == GRAPH_UNKNOWN); /* ends before it begins */
    assert_true(ns(&t, 2) == GRAPH_UNKNOWN); /* the time is missing */
    trace_free(&t);
}

TEST_WITH(a_folder_stands_for_a_command_that_is_not_told, setup, temp_folder_remove)
{
    temp_folder_put("sysinfo.csv", "workload_name,hostname,gpu_arch\ncopy,node7,gfx90a\n");
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,200\n");
    struct trace t = opened();
    uint32_t v = trace_dispatch_node(&t, 0);
    while (t.calls->kind[v] != NODE_PROGRAM && t.calls->parent[v] != GRAPH_NONE)
        v = t.calls->parent[v];
    assert_int_equal(t.calls->kind[v], NODE_PROGRAM);
    assert_string_equal(graph_name(t.calls, v), strrchr(temp_folder, '/') + 1);
    trace_free(&t);
}

static bool give_up(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    unsigned *looks = ctx;
    assert_non_null(path);
    assert_true(done <= total);
    return ++*looks < 4;
}

TEST_WITH(it_can_be_given_up, setup, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    unsigned looks = 0;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    fputs(SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n", f);
    for (int i = 0; i < 30000; i++)
        fprintf(f, "%d,k,2,1024,256,512,16,8,4,24,64,0x7f,1,%d,%d\n", i, 10 * i, 10 * i + 5);
    fclose(f);
    temp_folder_put("pmc_perf.csv", text);
    free(text);
    struct trace t = {.watch = give_up, .watch_ctx = &looks};
    const char *path = temp_folder;
    assert_int_equal(trace_open(&t, &path, 1, &err), -ECANCELED);
    assert_int_equal(looks, 4);
    trace_free(&t);
}

TEST_WITH(a_file_alone_has_the_machine_beside_it, setup, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct trace t;
    char path[128];
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,200\n");
    temp_folder_put("roofline.csv", "device,HBMBw,FP32Flops\n0,1000,20000\n");
    snprintf(path, sizeof path, "%s/pmc_perf.csv", temp_folder);
    assert_int_equal(open_as(&t, path, &err), 0);
    assert_string_equal(graph_text(t.calls, t.agents[0].name), "gfx90a");
    assert_non_null(t.roofs);
    trace_free(&t);
}

TEST_WITH(a_roofline_that_cannot_be_read_takes_nothing_away, setup, temp_folder_remove)
{
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,200\n");
    temp_folder_put("roofline.csv", "device,HBMBw\n0,many\n");
    struct trace t = opened();
    assert_null(t.roofs);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "roofline.csv:2"));
    trace_free(&t);
}

/* All files of a workload may be compressed; a file that exists both ways is read once. */
TEST_WITH(packed_files_are_read_as_what_is_in_them, setup, temp_folder_remove)
{
    char path[128];
    struct error err = ERROR_INIT;
    struct trace t;
    snprintf(path, sizeof path, "%s/sysinfo.csv", temp_folder);
    assert_int_equal(unlink(path), 0);
    temp_folder_pack("sysinfo.csv.gz", SYSTEM);
    temp_folder_pack("pmc_perf.csv.gz",
                     SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "1,100,200\n" K(1) //
                     "3,300,450\n");
    temp_folder_pack(
        "SQ_LEVEL_WAVES.csv.gz", SHAPE
        "SQ_ACCUM_PREV_HIRES,Start_Timestamp,End_Timestamp\n" K(0) "40,1,2\n" K(1) "50,3,4\n");
    temp_folder_pack("roofline.csv.gz", "device,HBMBw,FP32Flops\n0,1000,20000\n");
    t = opened();
    assert_int_equal(t.ndispatches, 2);
    expect(&t, 1, "SQ_WAVES", 3);
    expect(&t, 1, "SQ_LEVEL_WAVES_ACCUM", 50);
    assert_int_equal(ns(&t, 1), 150);
    assert_string_equal(graph_text(t.calls, t.agents[0].name), "gfx90a");
    assert_non_null(t.roofs);
    assert_int_equal(t.nnotes, 0);
    trace_free(&t);
    snprintf(path, sizeof path, "%s/pmc_perf.csv.gz", temp_folder);
    assert_int_equal(open_as(&t, path, &err), 0); /* the single file */
    assert_int_equal(t.ndispatches, 2);
    trace_free(&t);
    temp_folder_put("pmc_perf.csv",
                    SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n" K(0) "7,100,200\n");
    t = opened();
    assert_int_equal(t.ndispatches, 1);
    expect(&t, 0, "SQ_WAVES", 7);
    trace_free(&t);
}

TEST_WITH(a_packed_file_that_is_cut_is_refused, setup, temp_folder_remove)
{
    char path[128], text[1024], rows[4096];
    struct error err = ERROR_INIT;
    struct trace t;
    size_t n =
        (size_t)snprintf(rows, sizeof rows, "%s", SHAPE "SQ_WAVES,Start_Timestamp,End_Timestamp\n");
    for (unsigned i = 0; i < 20; i++) /* digits that gzip cannot compress */
        n += (size_t)snprintf(rows + n, sizeof rows - n, K(0) "%u,%u,%u\n", i * 2654435761u,
                              i * 40503u * 977u, i * 40503u * 977u + 5);
    temp_folder_pack("pmc_perf.csv.gz", rows);
    snprintf(path, sizeof path, "%s/pmc_perf.csv.gz", temp_folder);
    assert_int_equal(truncate(path, 300), 0);
    assert_true(open_as(&t, temp_folder, &err) < 0);
    error_format(&err, text, sizeof text);
    if (!strstr(text, "ends in its midst"))
        fail_msg("%s", text);
    trace_free(&t);
}

TEST_WITH(what_is_wrong_is_named, setup, temp_folder_remove)
{
    static const struct {
        const char *text, *where, *why;
    } cases[] = {
        {SHAPE "SQ_WAVES\n", "pmc_perf.csv", "no dispatch is in it"},
        {SHAPE "SQ_WAVES\n" K(0) "1,2\n", "pmc_perf.csv:2",
         "14 fields where the first line has 13"},
        {SHAPE "SQ_WAVES\n" K(many) "1\n", "pmc_perf.csv:2: Dispatch_ID", "not a whole number"},
        {"a,b\n1,2\n", "pmc_perf.csv:1", "no Dispatch_ID"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        struct trace t;
        temp_folder_put("pmc_perf.csv", cases[i].text);
        assert_true(open_as(&t, temp_folder, &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (!strstr(err.what, cases[i].where) || !strstr(err.why, cases[i].why))
            fail_msg("%zu: %s: %s", i, err.what, err.why);
        trace_free(&t);
    }
}
