/* Several files with different clocks as one trace. The tests write the files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/test.h"
#include "engine/trace/trace_align.h"
#include "support/nsys_file.h"
#include "support/rocpd_file.h"
#include "support/trace_text.h"

enum { FILES = 3 };

static struct trace t;
static char paths[FILES][64];

FIXTURE(tear_down)
{
    trace_free(&t);
    for (int i = 0; i < FILES; i++)
        if (paths[i][0])
            unlink(paths[i]);
    memset(paths, 0, sizeof paths);
}

static void open_all(size_t n)
{
    const char *list[FILES];
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < n; i++)
        list[i] = paths[i];
    t = (struct trace){0};
    if (trace_open(&t, list, n, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(t.nfiles, n);
}

static void write_file(int i, const char *text)
{
    trace_text_file(paths[i], text, strlen(text), false);
}

/* A rank with three all-reduces that end at the same time in all ranks, except for `late` us; its
 * clock is off by `shift` us. */
static void write_rank(int i, int rank, double shift, const double late[3], const char *more)
{
    static const double ends[] = {1000, 2500, 4000};
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d},"
                                "\"traceEvents\":[{\"ph\":\"M\",\"pid\":7,\"tid\":0,\"name\":"
                                "\"process_name\",\"args\":{\"name\":\"python3\"}}%s",
                                rank, more);
    for (int k = 0; k < 3; k++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
                              "\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\",\"pid\":7,\"tid\":20,"
                              "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"device\":0,\"stream\":20}}",
                              ends[k] + late[k] + shift - 100 * (k + rank + 1),
                              100.0 * (k + rank + 1));
    snprintf(text + n, sizeof text - n, "]}");
    write_file(i, text);
}

static const double punctual[3];

static uint64_t end_of(uint32_t node)
{
    assert_true(node < t.calls->nnodes);
    return t.calls->start[node] + t.calls->duration[node];
}

TEST_WITH(ranks_meet_in_their_collectives, NULL, tear_down)
{
    static const double late[3] = {0, 3, -2};
    write_rank(0, 0, 5e6, punctual, "");
    write_rank(1, 1, 9e9, late, "");
    write_rank(2, 2, 0, punctual, "");
    open_all(3);
    const char *name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
    for (unsigned k = 0; k < 3; k++) {
        uint64_t a = end_of(trace_text_node(&t, name, k)),
                 b = end_of(trace_text_node(&t, name, 3 + k)),
                 c = end_of(trace_text_node(&t, name, 6 + k));
        assert_int_equal(a, c);
        assert_int_equal((int64_t)(b - a), (int64_t)(late[k] * 1000));
    }
    assert_int_equal(t.files[0].how, TRACE_FIRST);
    assert_int_equal(t.files[1].how, TRACE_COLLECTIVES);
    assert_int_equal(t.files[1].matched, 3);
    assert_int_equal(t.files[1].uncertainty_ns, 3000);
    assert_int_equal(t.files[1].offset_ns - t.files[0].offset_ns, -(int64_t)8995000000000);
    assert_int_equal(t.files[2].uncertainty_ns, 0);
    assert_true(trace_text_node(&t, "python3 (rank 0)", 0) != GRAPH_NONE);
    assert_true(trace_text_node(&t, "python3 (rank 1)", 0) != GRAPH_NONE);
    assert_true(trace_text_node(&t, "python3 (rank 2)", 0) != GRAPH_NONE);
    assert_true(trace_text_node(&t, "python3", 0) == GRAPH_NONE);
    uint32_t last = trace_text_node(&t, name, 8);
    assert_string_equal(trace_file_of(&t, last)->label, "rank 2");
    assert_true(trace_file_of(&t, t.calls->nnodes) == NULL);
}

/* Rank 1's trace began after the first collective: the others are matched by what they agree on. */
TEST_WITH(a_trace_that_began_later_meets_the_rest, NULL, tear_down)
{
    static const double late[3] = {0, 1, 0};
    static const char first[] = ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
                                "\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\",\"pid\":7,\"tid\":20,"
                                "\"ts\":5000010,\"dur\":20,\"args\":{\"device\":0,\"stream\":20}}";
    write_rank(0, 0, 5e6, punctual, first);
    write_rank(1, 1, 9e9, late, "");
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_COLLECTIVES);
    assert_int_equal(t.files[1].matched, 3);
    assert_int_equal(t.files[1].uncertainty_ns, 1000);
    assert_int_equal(t.files[1].offset_ns - t.files[0].offset_ns, -(int64_t)8995000000000);
}

/* The largest disagreement is reported, on whichever side of the middle it is. */
TEST_WITH(the_farther_side_is_the_uncertainty, NULL, tear_down)
{
    static const double late[3] = {0, 2, -5};
    write_rank(0, 0, 5e6, punctual, "");
    write_rank(1, 1, 9e6, late, "");
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_COLLECTIVES);
    assert_int_equal(t.files[1].uncertainty_ns, 5000);
}

/* Both files have the time of day: that is used, and the disagreement with the collectives is
 * reported. */
TEST_WITH(the_time_of_day_goes_first, NULL, tear_down)
{
    static const double late[3] = {40, 40, 40};
    const double day = 1.7e15;
    write_rank(0, 0, day, punctual, "");
    write_rank(1, 1, day, late, "");
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_TIME_OF_DAY);
    assert_int_equal(t.files[1].offset_ns, 0);
    assert_in_range(t.files[1].uncertainty_ns, 39000, 41000); /* the text has doubles */
}

/* A folder with traces of several runs is recognised: times from the first to the last of them
 * mean nothing. */
TEST_WITH(traces_of_several_runs_are_told, NULL, tear_down)
{
    const double day = 1.7e15, hour = 3.6e9;
    write_rank(0, 0, day, punctual, "");
    write_rank(1, 1, day, punctual, "");
    open_all(2);
    assert_int_equal(t.nnotes, 0);
    trace_free(&t);
    write_rank(2, 0, day + hour, punctual, "");
    open_all(3);
    assert_int_equal(t.nnotes, 1);
    assert_non_null(strstr(t.notes[0], "of 2 runs"));
    assert_non_null(strstr(t.notes[0], paths[2]));
    assert_non_null(strstr(t.notes[0], " 3600 s after"));
}

/* One all-reduce in one file, three in the other: it is not known which one it is. */
TEST_WITH(what_does_not_match_is_not_matched, NULL, tear_down)
{
    write_rank(0, 0, 100, punctual, "");
    write_file(
        1, "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\","
           "\"pid\":7,\"tid\":20,\"ts\":7000,\"dur\":1,\"args\":{\"device\":0}}]");
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_BEGINS);
    assert_int_equal(t.files[1].matched, 0);
    assert_true(t.files[1].uncertainty_ns == GRAPH_UNKNOWN);
    uint64_t first[2] = {GRAPH_UNKNOWN, GRAPH_UNKNOWN};
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t v = t.files[i].from; v < t.files[i].to; v++)
            if (t.calls->start[v] < first[i])
                first[i] = t.calls->start[v];
    assert_int_equal(first[0], first[1]);
}

TEST_WITH(clocks_of_hosts_that_are_close_are_taken_for_one, NULL, tear_down)
{
    write_file(0,
               "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":5000000000,\"dur\":1}]");
    write_file(1,
               "[{\"ph\":\"X\",\"name\":\"b\",\"pid\":2,\"tid\":1,\"ts\":5000000700,\"dur\":1}]");
    write_file(2, "[{\"ph\":\"X\",\"name\":\"c\",\"pid\":3,\"tid\":1,\"ts\":90,\"dur\":1}]");
    open_all(3);
    assert_int_equal(t.files[1].how, TRACE_CLOSE);
    assert_int_equal(t.files[2].how, TRACE_BEGINS);
    uint64_t a = t.calls->start[trace_text_node(&t, "a", 0)];
    assert_int_equal(t.calls->start[trace_text_node(&t, "b", 0)], a + 700000);
    assert_int_equal(t.calls->start[trace_text_node(&t, "c", 0)], a);
}

TEST_WITH(one_file_stays_as_it_is, NULL, tear_down)
{
    write_rank(0, 3, 5, punctual, "");
    open_all(1);
    assert_int_equal(t.files[0].offset_ns, 0);
    assert_int_equal(t.files[0].clock.rank, 3);
    assert_true(trace_text_node(&t, "python3", 0) != GRAPH_NONE);
}

/* --- databases --- */

static void rocpd_of(int i, const char *host, int start)
{
    struct rocpd_file f;
    char sql[512];
    snprintf(sql, sizeof sql, "align-%d.db", i);
    rocpd_file_open(&f, sql);
    rocpd_file_tables(&f, "_a", "a");
    rocpd_file_names(&f);
    snprintf(sql, sizeof sql, "UPDATE rocpd_info_node@ SET hostname = '%s'", host);
    rocpd_file_sql(&f, sql);
    snprintf(sql, sizeof sql,
             "INSERT INTO rocpd_kernel_dispatch@ (id, guid, nid, pid, tid, agent_id, kernel_id, "
             "dispatch_id, queue_id, stream_id, start, end) VALUES (1, 'a', 1, 10, 11, 4, 1, 1, 1, "
             "1, %d, %d)",
             start, start + 100);
    rocpd_file_sql(&f, sql);
    rocpd_file_close(&f);
    snprintf(paths[i], sizeof paths[i], "%s", f.path);
}

TEST_WITH(databases_of_a_host_share_its_clock, NULL, tear_down)
{
    rocpd_of(0, "node1", 1000);
    rocpd_of(1, "node1", 9000);
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_SAME_CLOCK);
    assert_int_equal(t.files[1].offset_ns, 0);
    trace_free(&t);
    unlink(paths[1]);
    rocpd_of(1, "node2", 9000);
    rocpd_of(2, "node1", 7000);
    open_all(3);
    assert_int_equal(t.files[1].how, TRACE_BEGINS);
    assert_int_equal(t.files[1].offset_ns, -8000);
    assert_int_equal(t.files[2].how, TRACE_SAME_CLOCK);
    assert_int_equal(t.files[2].offset_ns, 0);
    assert_true(trace_text_node(&t, "app (node1)", 0) != GRAPH_NONE);
    assert_true(trace_text_node(&t, "app (node2)", 0) != GRAPH_NONE);
}

TEST_WITH(names_of_collectives, NULL, tear_down)
{
    assert_true(trace_is_collective("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
    assert_true(trace_is_collective("ncclAllGather"));
    assert_true(trace_is_collective("rccl_main_kernel_ReduceScatter"));
    assert_false(trace_is_collective("ncclDevKernel_SendRecv"));
    assert_false(trace_is_collective("reduce_kernel"));
    assert_false(trace_is_collective("ncclGroupEnd"));
    for (int how = TRACE_FIRST; how <= TRACE_BEGINS; how++) {
        assert_true(strlen(trace_how_name((enum trace_how)how)) > 3);
        assert_true(strlen(trace_how_text((enum trace_how)how)) > 10);
    }
}

static int tear_down_nsys(void **state)
{
    tear_down(state);
    return nsys_tear_down(state);
}

TEST_WITH(an_export_tells_when_it_began, nsys_set_up, tear_down_nsys)
{
    for (int i = 0; i < 2; i++) {
        char name[16], epoch[128];
        snprintf(name, sizeof name, "%d.sqlite", i);
        snprintf(epoch, sizeof epoch,
                 "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (%lld, '', '')",
                 1700000000000000000LL + i * 5000);
        const char *path = nsys_path(name);
        nsys_sql(path, "CREATE TABLE StringIds (id INTEGER, value TEXT)",
                 "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT, name "
                 "TEXT, nameEnum INTEGER, value TEXT)",
                 "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, "
                 "localTime TEXT)",
                 epoch, "INSERT INTO StringIds VALUES (1, 'cudaFree')",
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass "
                 "INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue "
                 "INTEGER)",
                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 200, 0, 16777217, 1, 1, 0)");
        snprintf(paths[i], sizeof paths[i], "%s", path);
    }
    open_all(2);
    assert_int_equal(t.files[1].how, TRACE_TIME_OF_DAY);
    assert_int_equal(t.calls->start[trace_text_node(&t, "cudaFree", 0)], 100);
    assert_int_equal(t.calls->start[trace_text_node(&t, "cudaFree", 1)], 5100);
}

/* Opens two files of these names in a folder of their own, and returns their labels. */
static void open_named(const char *const names[2], char labels[2][64])
{
    static const char text[] = "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":1,"
                               "\"ts\":1,\"dur\":5}]}";
    char folder[] = "/tmp/rooftop-ranks-XXXXXX", files[2][128];
    const char *list[2] = {files[0], files[1]};
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        snprintf(files[i], sizeof files[i], "%s/%s", folder, names[i]);
        FILE *f = fopen(files[i], "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    t = (struct trace){0};
    int rc = trace_open(&t, list, 2, &err);
    for (int i = 0; i < 2; i++)
        unlink(files[i]);
    rmdir(folder);
    assert_int_equal(rc, 0);
    for (int i = 0; i < 2; i++)
        snprintf(labels[i], 64, "%s", t.files[i].label);
}

TEST_WITH(names_of_files_tell_ranks_where_nothing_else_does, NULL, tear_down)
{
    char labels[2][64];
    open_named((const char *const[2]){"rank-0.json", "trace_rank_11.json"}, labels);
    assert_string_equal(labels[0], "rank 0");
    assert_string_equal(labels[1], "rank 11");
    trace_free(&t);
    /* not of the same job */
    open_named((const char *const[2]){"a_rank0.json", "b_rank0.json"}, labels);
    assert_string_equal(labels[0], "a_rank0.json");
    trace_free(&t);
    open_named((const char *const[2]){"rank0.json", "franking.json"}, labels);
    assert_string_equal(labels[0], "rank0.json");
}
