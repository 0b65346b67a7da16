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
#include "support/test.h"

enum { RANKS = 4, TIMES = 60, TRANSFER_US = 400, BYTES = 1 << 24 };

static struct job j;
static char paths[RANKS][64];
static unsigned arrival[TIMES][RANKS];

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
                   us = last_arrival(k) - arrival[k][rank] + TRANSFER_US;
    fprintf(f,
            "{\"header\":{\"id\":\"0xe62dedaa97644a\",\"rank\":%d,\"n_ranks\":%d,\"nnodes\":1},"
            "\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev\":\"\","
            "\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":%" PRIu64
            ",\"hostname\":\"node-1\",\"pid\":%d},",
            rank, RANKS, begin + us + 50, 1000 + rank);
    fprintf(f,
            "\"coll_perf\":{\"coll\":\"%s\",\"coll_sn\":%d,\"coll_msg_size_bytes\":%d,"
            "\"coll_exec_time_us\":%" PRIu64 ",\"coll_timing_source\":\"kernel_gpu\","
            "\"coll_algobw_gbs\":1.5,\"coll_busbw_gbs\":2.25",
            op, k, BYTES, us);
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
