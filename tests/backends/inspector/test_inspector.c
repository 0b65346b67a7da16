/*
 * Files of NCCL's Inspector, made by a simulation whose arrivals are known: the ranks' waiting, who
 * came last and the bus bandwidth are those of loops over the arrivals, and of the plugin's own
 * formula (inspectorComputeCollBw).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/job/job.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { RANKS = 4, TIMES = 60, TRANSFER_US = 400, BYTES = 1 << 24 };

static struct job j;
static char paths[RANKS][128];
static unsigned arrival[TIMES][RANKS];
static bool sizes_differ; /* 1 KiB to 16 MiB in turn; else all are BYTES */

static uint64_t bytes_of(int k)
{
    return sizes_differ ? UINT64_C(1024) << (2 * (k % 8)) : BYTES;
}

/* Time on the link: where sizes differ, times do, too. */
static unsigned transfer_of(int k)
{
    return TRANSFER_US + (sizes_differ ? (unsigned)(k * 37 % 91) : 0);
}

FIXTURE(tear_down)
{
    job_free(&j);
    for (int i = 0; i < RANKS; i++)
        if (paths[i][0])
            unlink(paths[i]);
    memset(paths, 0, sizeof paths);
}

static unsigned last_arrival(int k)
{
    unsigned last = 0;
    for (int i = 0; i < RANKS; i++)
        last = arrival[k][i] > last ? arrival[k][i] : last;
    return last;
}

static void write_line(FILE *f, int rank, int k, const char *op, bool verbose)
{
    const uint64_t begin = UINT64_C(1752867229000000) + (uint64_t)k * 10000 + arrival[k][rank],
                   us = last_arrival(k) - arrival[k][rank] + transfer_of(k);
    fprintf(f,
            "{\"header\":{\"id\":\"0xe62dedaa97644a\",\"rank\":%d,\"n_ranks\":%d,\"nnodes\":1},"
            "\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev\":\"\","
            "\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":%" PRIu64
            ",\"hostname\":\"node-1\",\"pid\":%d},",
            rank, RANKS, begin + us + 50, 1000 + rank);
    fprintf(f,
            "\"coll_perf\":{\"coll\":\"%s\",\"coll_sn\":%d,\"coll_msg_size_bytes\":%" PRIu64 ","
            "\"coll_exec_time_us\":%" PRIu64 ",\"coll_timing_source\":\"kernel_gpu\","
            "\"coll_algobw_gbs\":1.5,\"coll_busbw_gbs\":2.25",
            op, k, bytes_of(k), us);
    if (verbose)
        fprintf(f,
                ",\"event_trace_ts\":{\"coll_start_ts\":%" PRIu64 ",\"kernel_events\":["
                "{\"channel_id\":0,\"kernel_start_ts\":%" PRIu64 "},"
                "{\"channel_id\":1,\"kernel_start_ts\":%" PRIu64 "}]}",
                begin - 9, begin + 3, begin);
    fputs("}}\n", f);
}

static void write_file(int rank, const char *op, bool verbose, const char *end)
{
    strcpy(paths[rank], "/tmp/rooftop-inspector-XXXXXX");
    const int fd = mkstemp(paths[rank]);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    for (int k = 0; k < TIMES; k++)
        write_line(f, rank, k, op, verbose);
    fputs(end, f);
    fclose(f);
}

static void add_file(int rank)
{
    struct error err = ERROR_INIT;
    struct trace t = {.nfiles = 0};
    const char *path = paths[rank];
    char why[1024];
    if (trace_open(&t, &path, 1, &err) != 0 || job_add(&j, &t, path, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    trace_free(&t);
}

static void open_files(const char *op, bool verbose)
{
    struct error err = ERROR_INIT;
    for (int i = 0; i < RANKS; i++) {
        write_file(i, op, verbose, "");
        add_file(i);
    }
    assert_int_equal(job_finish(&j, &err), 0);
    assert_int_equal(j.n, RANKS);
}

/* Rank 2 comes late by up to 300 us, the others by up to 40. */
static void draw_arrivals(void)
{
    uint32_t seed = 5;
    for (int k = 0; k < TIMES; k++)
        for (int i = 0; i < RANKS; i++) {
            seed = seed * 1664525u + 1013904223u;
            arrival[k][i] = (seed >> 8) % (i == 2 ? 300 : 40) + (i == 2 ? 60 : 0);
        }
}

static void compare_with_arrivals(void)
{
    for (int i = 0; i < RANKS; i++) {
        uint64_t waited = 0, last = 0;
        for (int k = 0; k < TIMES; k++) {
            waited += (last_arrival(k) - arrival[k][i]) * UINT64_C(1000);
            last += arrival[k][i] == last_arrival(k);
        }
        assert_int_equal(j.ranks[i].number, i);
        assert_string_equal(j.ranks[i].host, "node-1");
        assert_int_equal(j.ranks[i].together, TIMES);
        assert_int_equal(j.ranks[i].waited, waited);
        assert_true(j.ranks[i].last <= last); /* those within 3 us are undecided */
    }
    assert_int_equal(j.missing, 0);
    assert_int_equal(j.ngroups, 1);
    assert_int_equal(j.groups[0].unmatched, 0);
    assert_int_equal(j.straggler.rank, 2);
}

TEST_WITH(who_came_last_and_who_waited_are_those_of_the_arrivals, NULL, tear_down)
{
    for (int verbose = 0; verbose < 2; verbose++) {
        draw_arrivals();
        open_files("AllReduce", verbose == 1);
        compare_with_arrivals();
        tear_down_does();
    }
}

/* The plugin's formula, from its message and time, where all ranks come at once. */
TEST_WITH(the_bus_bandwidth_is_that_of_the_plugin, NULL, tear_down)
{
    static const struct {
        const char *op;
        double traffic, factor;
    } rows[] = {
        {"AllReduce", BYTES, 2.0 * (RANKS - 1) / RANKS},
        {"AllGather", (double)BYTES * RANKS, (double)(RANKS - 1) / RANKS},
        {"ReduceScatter", (double)BYTES * RANKS, (double)(RANKS - 1) / RANKS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(arrival, 0, sizeof arrival);
        open_files(rows[i].op, true);
        const double wanted = rows[i].traffic / (TRANSFER_US * 1e-6) * rows[i].factor;
        assert_true(fabs(j.groups[0].bus - wanted) < wanted * 1e-9);
        tear_down_does();
    }
}

/* Median and best of each size are those of a loop over its own times. */
TEST_WITH(bandwidths_by_size_are_those_of_the_plugin, NULL, tear_down)
{
    memset(arrival, 0, sizeof arrival);
    sizes_differ = true;
    open_files("AllReduce", true);
    assert_int_equal(j.groups[0].nsizes, 8);
    for (int c = 0; c < 8; c++) {
        const struct job_size *s = &j.groups[0].sizes[c];
        double bus[TIMES] = {0};
        unsigned n = 0;
        for (int k = c; k < TIMES; k += 8) {
            unsigned at = n++;
            const double v = (double)bytes_of(k) * 1.5 / (transfer_of(k) * 1e-6);
            for (; at > 0 && bus[at - 1] > v; at--)
                bus[at] = bus[at - 1];
            bus[at] = v;
        }
        assert_int_equal(s->least, bytes_of(c));
        assert_int_equal(s->most, bytes_of(c));
        assert_int_equal(s->n, n);
        assert_true(fabs(s->best / bus[n - 1] - 1) < 1e-9);
        const double median = n % 2 ? bus[n / 2] : (bus[n / 2 - 1] + bus[n / 2]) / 2;
        assert_true(fabs(s->median / median - 1) < 1e-9);
    }
    sizes_differ = false;
}

/* --- files of accl-profiler, as its acclWriteRecord writes them --- */

static void write_accl_line(FILE *f, int rank, int k, bool clock)
{
    const uint64_t us = last_arrival(k) - arrival[k][rank] + TRANSFER_US;
    const uint64_t tick = UINT64_C(987654321) + (uint64_t)k * 1000000 + 100 * arrival[k][rank];
    fprintf(f,
            "{\"header\":{\"rank\":%d,\"n_ranks\":%d},\"coll_perf\":{\"coll\":\"AllReduce\","
            "\"coll_sn\":%d,\"coll_msg_size_bytes\":%d,\"coll_algo\":\"Ring\",\"coll_proto\":"
            "\"Simple\",\"coll_n_channels\":1,\"coll_n_channels_reported\":1,"
            "\"coll_exec_time_us\":%" PRIu64 ".25,\"coll_algobw_gbs\":0.027907,"
            "\"coll_busbw_gbs\":0.048836,\"coll_timing_source\":\"%s\",\"decomposition\":{"
            "\"enqueue_to_kernel_us\":5.20,\"gpu_kernel_avg_us\":45.10,\"n_recv_ops\":4},"
            "\"event_trace_ts\":{\"kernel_events\":[{\"channel_id\":0,\"kernel_start_ts\":%" PRIu64
            ",\"kernel_stop_ts\":%" PRIu64 ",\"duration_us\":45}]}}}\n",
            rank, RANKS, k, BYTES, us, clock ? "gpu_globaltimer" : "cpu_wallclock",
            clock ? tick : 0, clock ? tick + 100 * us + 25 : 0);
}

/* The GPU's clock of each rank begins anywhere: only durations count. */
TEST_WITH(files_of_accl_profiler_are_read_like_them, NULL, tear_down)
{
    struct error err = ERROR_INIT;
    temp_folder_make(NULL);
    draw_arrivals();
    for (int clock = 0; clock < 2; clock++) {
        for (int i = 0; i < RANKS; i++) {
            snprintf(paths[i], sizeof paths[i],
                     "%s/accl_profiler_rank%d_node-1_pid%d_0xe62dedaa97644a.jsonl", temp_folder, i,
                     1000 + i);
            FILE *f = fopen(paths[i], "w");
            assert_non_null(f);
            for (int k = 0; k < TIMES; k++)
                write_accl_line(f, i, k, clock == 1);
            fputs("{\"summary\": {\"dropped_collectives\": 0, \"leaked_collectives\": 0, "
                  "\"pool_size\": 256, \"complete\": true}}\n",
                  f);
            fclose(f);
            add_file(i);
        }
        assert_int_equal(job_finish(&j, &err), 0);
        compare_with_arrivals();
        assert_string_equal(j.groups[0].group, "0xe62dedaa97644a");
        tear_down_does();
    }
    temp_folder_remove(NULL);
}

static void expect_accl_note(const char *end, const char *wanted)
{
    struct error err = ERROR_INIT;
    struct trace t = {.nfiles = 0};
    const char *path = paths[0];
    bool found = false;
    strcpy(paths[0], "/tmp/rooftop-inspector-XXXXXX");
    FILE *f = fdopen(mkstemp(paths[0]), "w");
    assert_non_null(f);
    draw_arrivals();
    write_accl_line(f, 0, 0, true);
    fputs(end, f);
    fclose(f);
    assert_int_equal(trace_open(&t, &path, 1, &err), 0);
    for (uint32_t i = 0; i < t.nnotes; i++)
        found |= strstr(t.notes[i], wanted) != NULL;
    assert_true(found);
    trace_free(&t);
    tear_down_does();
}

TEST_WITH(what_accl_profiler_did_not_keep_is_told, NULL, tear_down)
{
    expect_accl_note("", "no summary at its end");
    expect_accl_note("{\"summary\": {\"dropped_collectives\": 7, \"leaked_collectives\": 2}}\n",
                     "could not keep 9 collectives");
}

/* A process that was killed leaves a line that is not whole. */
TEST_WITH(a_last_line_that_is_cut_is_left_out, NULL, tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {.nfiles = 0};
    const char *path = paths[0];
    draw_arrivals();
    write_file(0, "AllReduce", false, "{\"header\":{\"id\":\"0xe62d");
    assert_int_equal(trace_open(&t, &path, 1, &err), 0);
    assert_int_equal(t.spans, TIMES);
    assert_non_null(strstr(t.notes[0], "ends in the middle"));
    trace_free(&t);
}

TEST_WITH(a_line_that_is_no_json_is_refused_with_its_place, NULL, tear_down)
{
    static const char *const bad[] = {"{\"header\":}\n", "17\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err = ERROR_INIT;
        struct trace t = {.nfiles = 0};
        const char *path = paths[0];
        draw_arrivals();
        write_file(0, "AllReduce", false, bad[i]);
        assert_true(trace_open(&t, &path, 1, &err) < 0);
        assert_non_null(strstr(err.what, "rooftop-inspector"));
        trace_free(&t);
        tear_down_does();
    }
}

TEST_MAIN(NULL, NULL)
