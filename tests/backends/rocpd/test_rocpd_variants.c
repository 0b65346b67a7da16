/* rocpd databases of every revision, of other tools and of several runs; and files that are
 * refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/edges.h"
#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

static const char one_of_each[] =
    "INSERT INTO [rocpd_event@](id, stack_id) VALUES (1, 70), (2, 70);"
    "INSERT INTO [rocpd_region@](start, [end], name_id, event_id) VALUES (0, 50, 1, 1);"
    "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, start, [end], event_id) VALUES"
    " (1, 60, 90, 2);"
    "INSERT INTO [rocpd_info_pmc@](id, name) VALUES (5, 'SQ_WAVES');"
    "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) VALUES (2, 5, 3), (2, 5, 4);";

static void expect_one_of_each(struct trace *t)
{
    assert_int_equal(t->spans, 2);
    uint32_t kernel = look_for(t, NODE_KERNEL, "axpy(float*)", 0);
    uint32_t call = look_for(t, NODE_FUNCTION, "hipLaunchKernel", 0);
    assert_true(look_edge(t, call, kernel, EDGE_LAUNCHES));
    assert_true(look_counter(t, kernel, "SQ_WAVES") == 7);
}

TEST(any_suffix)
{
    static const char *const suffixes[] = {"",
                                           "_0198f2a1_7c3e_7b10_9a44_3f5d2c1b0a99",
                                           "cc3883073c204c7da65be8c5f67fa23c",
                                           " a b",
                                           "%s%n?\"\"",
                                           "_\xc3\xa9\xe2\x82\xac"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct rocpd_file f;
        struct trace t;
        rocpd_file_open(&f, "suffix");
        rocpd_file_tables(&f, suffixes[i], "g1");
        rocpd_file_sql(&f, "DELETE FROM \"rocpd_metadata@\" WHERE tag = 'uuid'");
        rocpd_file_names(&f);
        char *sql = strdup(one_of_each); /* [] cannot quote every name that "" can */
        for (char *p = sql; *p; p++)
            *p = *p == '[' || *p == ']' ? '"' : *p;
        rocpd_file_sql(&f, sql);
        free(sql);
        rocpd_file_close(&f);
        look_open(&t, f.path);
        expect_one_of_each(&t);
        trace_free(&t);
        rocpd_file_remove(&f);
    }
}

/* A file without metadata is recognised by its tables of spans; one of them is enough. */
TEST(without_metadata)
{
    static const char *const suffixes[] = {"", "_0000abcd", "cc3883073c204c7d"};
    struct rocpd_file f;
    struct trace t;
    for (size_t i = 0; i < 3; i++) {
        rocpd_file_open(&f, "bare");
        rocpd_file_tables(&f, suffixes[i], "g1");
        rocpd_file_names(&f);
        rocpd_file_sql(&f, one_of_each);
        rocpd_file_sql(&f, "DROP TABLE \"rocpd_metadata@\"");
        rocpd_file_close(&f);
        look_open(&t, f.path);
        expect_one_of_each(&t);
        trace_free(&t);
        rocpd_file_remove(&f);
    }
    rocpd_file_open(&f, "barest");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, one_of_each);
    rocpd_file_sql(&f, "DROP TABLE [rocpd_metadata@]; DROP TABLE [rocpd_region@];"
                       "DROP TABLE [rocpd_memory_copy@]");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(look_count(&t, NODE_KERNEL), 1);
    assert_int_equal(t.spans, 1);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* A file with many runs. */
TEST(many_sets)
{
    struct rocpd_file f;
    struct trace t;
    char suffixes[200][16];
    rocpd_file_open(&f, "many-sets");
    rocpd_file_sql(&f, "BEGIN");
    for (unsigned i = 0; i < 200; i++) {
        snprintf(suffixes[i], sizeof suffixes[i], "_%u", i);
        rocpd_file_tables(&f, suffixes[i], suffixes[i]);
        rocpd_file_names(&f);
        rocpd_file_sql(&f, one_of_each);
    }
    rocpd_file_sql(&f, "COMMIT");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.spans, 400);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 200);
    assert_int_equal(look_count(&t, NODE_PROGRAM), 200);
    assert_int_equal(t.nagents, 2);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* Two runs that use the same ids everywhere: mixing them up would be noticed. */
static void fill_runs(struct rocpd_file *f)
{
    rocpd_file_names(f);
    rocpd_file_sql(f, one_of_each);
}

static void expect_two_runs(const char *path)
{
    struct trace t;
    look_open(&t, path);
    assert_int_equal(t.spans, 4);
    uint32_t first = look_for(&t, NODE_KERNEL, "axpy(float*)", 0);
    uint32_t second = look_for(&t, NODE_KERNEL, "other", 0);
    assert_true(look_counter(&t, first, "SQ_WAVES") == 7);
    assert_true(look_counter(&t, second, "GRBM_COUNT") == 70);
    assert_true(isnan(look_counter(&t, first, "GRBM_COUNT")));
    assert_true(
        look_edge(&t, look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0), first, EDGE_LAUNCHES));
    assert_true(look_edge(&t, look_for(&t, NODE_FUNCTION, "elsewhere", 0), second, EDGE_LAUNCHES));
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    assert_string_equal(graph_name(t.calls, t.calls->parent[t.calls->parent[second]]), "rank1");
    assert_int_equal(t.nagents, 4); /* of two hosts */
    trace_free(&t);
}

TEST(two_sets_of_tables)
{
    struct rocpd_file f;
    rocpd_file_open(&f, "sets");
    rocpd_file_tables(&f, "_a", "g1");
    fill_runs(&f);
    rocpd_file_tables(&f, "_b", "g2");
    fill_runs(&f);
    rocpd_file_sql(&f, "UPDATE [rocpd_info_node@] SET hostname = 'other host';"
                       "UPDATE [rocpd_info_process@] SET command = 'rank1';"
                       "UPDATE [rocpd_info_kernel_symbol@] SET display_name = 'other' WHERE id = 1;"
                       "UPDATE [rocpd_string@] SET string = 'elsewhere' WHERE id = 1;"
                       "UPDATE [rocpd_info_pmc@] SET name = 'GRBM_COUNT';"
                       "UPDATE [rocpd_pmc_event@] SET value = value * 10;");
    rocpd_file_close(&f);
    expect_two_runs(f.path);
    rocpd_file_remove(&f);
}

/* Two merged runs: one set of tables with rows of both, in which ids are not unique. */
TEST(two_runs_in_one_table)
{
    static const char *const tables[] = {"string",          "info_node",   "info_process",
                                         "info_thread",     "info_agent",  "info_pmc",
                                         "event",           "pmc_event",   "region",
                                         "kernel_dispatch", "memory_copy", "info_kernel_symbol"};
    struct rocpd_file f;
    rocpd_file_open(&f, "merged");
    rocpd_file_tables(&f, "", "g1");
    fill_runs(&f);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "CREATE TABLE x AS SELECT * FROM rocpd_%s; UPDATE x SET guid = 'g2';"
                 "INSERT INTO x SELECT * FROM rocpd_%s; DROP TABLE rocpd_%s;"
                 "ALTER TABLE x RENAME TO rocpd_%s",
                 tables[i], tables[i], tables[i], tables[i]);
        rocpd_file_sql(&f, sql);
    }
    rocpd_file_sql(
        &f,
        "UPDATE rocpd_info_node SET hostname = 'other host' WHERE guid = 'g2';"
        "UPDATE rocpd_info_process SET command = 'rank1' WHERE guid = 'g2';"
        "UPDATE rocpd_info_kernel_symbol SET display_name = 'other' WHERE id = 1 AND guid = 'g2';"
        "UPDATE rocpd_string SET string = 'elsewhere' WHERE id = 1 AND guid = 'g2';"
        "UPDATE rocpd_info_pmc SET name = 'GRBM_COUNT' WHERE guid = 'g2';"
        "UPDATE rocpd_pmc_event SET value = value * 10 WHERE guid = 'g2';");
    /* duplicate events do not duplicate spans */
    rocpd_file_sql(&f, "INSERT INTO rocpd_event SELECT * FROM rocpd_event");
    rocpd_file_close(&f);
    expect_two_runs(f.path);
    rocpd_file_remove(&f);
}

/* Several files of one trace keep their rows apart. */
TEST(two_files)
{
    struct rocpd_file f[2];
    struct trace t = {0};
    for (int i = 0; i < 2; i++) {
        rocpd_file_open(&f[i], i ? "file2" : "file1");
        rocpd_file_tables(&f[i], "_a", "g1");
        fill_runs(&f[i]);
        rocpd_file_close(&f[i]);
    }
    const char *paths[] = {f[0].path, f[1].path};
    assert_int_equal(trace_open(&t, paths, 2, NULL), 0);
    assert_int_equal(look_count(&t, NODE_PROGRAM), 2);
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    assert_int_equal(t.nagents, 2);
    assert_int_equal(t.ncounters, 2);
    trace_free(&t);
    rocpd_file_remove(&f[0]);
    rocpd_file_remove(&f[1]);
}

TEST(missing_columns_are_unknown)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "columns");
    rocpd_file_sql(&f, "CREATE TABLE rocpd_info_kernel_symbol(id INTEGER, display_name TEXT);"
                       "CREATE TABLE rocpd_kernel_dispatch(kernel_id, start, [end]);"
                       "INSERT INTO rocpd_info_kernel_symbol VALUES (3, 'k');"
                       "INSERT INTO rocpd_kernel_dispatch VALUES (3, 5, 9), (4, 10, 20)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    uint32_t k = look_for(&t, NODE_KERNEL, "k", 0);
    assert_int_equal(look_dispatch(&t, k)->agent, TRACE_UNKNOWN);
    assert_int_equal(look_dispatch(&t, k)->sgprs, TRACE_UNKNOWN);
    assert_int_equal(look_detail(&t, k)->kernel.grid[0], 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[k]), "queue");
    assert_int_equal(look_count(&t, NODE_PROGRAM), 1);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* Revisions 3.0.2 to 3.0.5 have more columns and tables. Values that were streamed are not sums of
 * a dispatch. */
TEST(revisions_3_0_x)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "revisions");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(
        &f, "UPDATE [rocpd_metadata@] SET value = '3.0.5' WHERE tag = 'schema_version';"
            "ALTER TABLE [rocpd_kernel_dispatch@] ADD graph_exec_id INTEGER NOT NULL DEFAULT 0;"
            "ALTER TABLE [rocpd_kernel_dispatch@] ADD graph_node_id INTEGER NOT NULL DEFAULT 0;"
            "ALTER TABLE [rocpd_pmc_event@] ADD sample_id INTEGER;"
            "ALTER TABLE [rocpd_pmc_event@] ADD shader_array INTEGER;"
            "CREATE TABLE [rocpd_graph_launch@](id INTEGER, start BIGINT, [end] BIGINT);"
            "CREATE TABLE [rocpd_hip_event@](id INTEGER);"
            "INSERT INTO [rocpd_graph_launch@] VALUES (1, 0, 1);");
    rocpd_file_sql(&f, one_of_each);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value, sample_id) VALUES"
                       " (2, 5, 1000, 8)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    expect_one_of_each(&t);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* In revision 4.1 process, thread, agent, queue and stream belong to a track. */
TEST(revision_4_1)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "tracks");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(
        &f,
        "UPDATE [rocpd_metadata@] SET value = '4.1.0' WHERE tag = 'schema_version';"
        "UPDATE [rocpd_info_agent@] SET name = 'my card' WHERE id = 4;"
        "ALTER TABLE [rocpd_info_agent@] ADD generic_name TEXT DEFAULT 'gfx942';"
        "ALTER TABLE [rocpd_track@] ADD agent_id INTEGER;"
        "ALTER TABLE [rocpd_track@] ADD queue_id INTEGER;"
        "ALTER TABLE [rocpd_track@] ADD stream_id INTEGER;"
        "INSERT INTO [rocpd_track@](id, nid, pid, tid, agent_id, queue_id, stream_id) VALUES"
        " (1, 1, 10, 11, NULL, NULL, NULL), (2, 1, 10, 11, 4, 6, 0), (3, 1, 10, NULL, 4, NULL, 9),"
        " (4, 1, 10, 11, 4, 6, 3);"
        "DROP TABLE [rocpd_region@]; DROP TABLE [rocpd_kernel_dispatch@];"
        "DROP TABLE [rocpd_memory_copy@];"
        "CREATE TABLE [rocpd_region@](id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'g1', track_id"
        " INTEGER, name_id INTEGER, start BIGINT, [end] BIGINT, event_id INTEGER);"
        "CREATE TABLE [rocpd_kernel_dispatch@](id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'g1',"
        " track_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, start BIGINT, [end] BIGINT,"
        " event_id INTEGER);"
        "CREATE TABLE [rocpd_memory_copy@](id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'g1',"
        " track_id INTEGER, start BIGINT, [end] BIGINT, name_id INTEGER, dst_agent_id INTEGER,"
        " src_agent_id INTEGER, size INTEGER);"
        "INSERT INTO [rocpd_event@](id, stack_id) VALUES (1, 70), (2, 70);"
        "INSERT INTO [rocpd_region@](track_id, name_id, start, [end], event_id) VALUES"
        " (1, 1, 0, 50, 1);"
        "INSERT INTO [rocpd_kernel_dispatch@](track_id, kernel_id, start, [end], event_id) VALUES"
        " (2, 1, 60, 90, 2), (4, 2, 60, 90, NULL);"
        "INSERT INTO [rocpd_memory_copy@](track_id, start, [end], name_id, dst_agent_id, size)"
        " VALUES (3, 1, 2, 2, 4, 64);"
        "INSERT INTO [rocpd_info_pmc@](id, name) VALUES (5, 'SQ_WAVES');"
        "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) VALUES (2, 5, 7)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.spans, 4);
    uint32_t kernel = look_for(&t, NODE_KERNEL, "axpy(float*)", 0);
    uint32_t queue = t.calls->parent[kernel];
    assert_string_equal(graph_name(t.calls, queue), "GPU 4 queue 6 stream 0");
    look_for(&t, NODE_QUEUE, "GPU 4 queue 6 stream 3", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[queue]), "app");
    uint32_t call = look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[call]), "thread 11");
    assert_true(look_edge(&t, call, kernel, EDGE_LAUNCHES));
    assert_true(look_counter(&t, kernel, "SQ_WAVES") == 7);
    look_for(&t, NODE_QUEUE, "GPU 4 copies", 0);
    const struct trace_agent *a = &t.agents[look_dispatch(&t, kernel)->agent];
    assert_string_equal(graph_text(t.calls, a->name), "gfx942");
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(an_unknown_version_is_read)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "version");
    rocpd_file_tables(&f, "_a", "g1");
    fill_runs(&f);
    rocpd_file_sql(&f, "UPDATE [rocpd_metadata@] SET value = '99.0' WHERE tag = 'schema_version'");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    expect_one_of_each(&t);
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(the_runtimes_own_kernels_are_copies)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "blit");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(
        &f, "INSERT INTO [rocpd_info_kernel_symbol@](id, kernel_name) VALUES"
            " (3, '__amd_rocclr_copyBuffer.kd');"
            "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, kernel_id, agent_id, start, [end])"
            " VALUES (1, 1, 4, 10, 20), (2, 3, 4, 20, 30), (3, 3, 4, 30, 50), (4, 1, 4, 50, 60)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(look_count(&t, NODE_KERNEL), 2);
    assert_int_equal(look_count(&t, NODE_TRANSFER), 2); /* the second is like the first */
    assert_int_equal(t.ndispatches, 2);
    uint32_t copy = look_for(&t, NODE_TRANSFER, "__amd_rocclr_copyBuffer", 1);
    assert_int_equal(t.calls->duration[copy], 20);
    assert_int_equal(look_detail(&t, copy)->transfer.direction, 2);
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(refusals)
{
    struct rocpd_file f;
    rocpd_file_open(&f, "lz4");
    rocpd_file_tables(&f, "_a", "g1");
    fill_runs(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_metadata@](tag, value) VALUES"
                       " ('compression', 'lz4-frame-v1')");
    look_refused(f.path, f.path, "compressed", "lz4-frame-v1", NULL);
    rocpd_file_sql(&f, "DELETE FROM [rocpd_metadata@] WHERE tag = 'compression';"
                       "CREATE TABLE [rocpd_info_blob_schema@](id INTEGER PRIMARY KEY, name);"
                       "INSERT INTO [rocpd_info_blob_schema@](name) VALUES ('x')");
    look_refused(f.path, "blob", NULL);
    rocpd_file_sql(&f, "DROP TABLE [rocpd_info_blob_schema@];"
                       "DROP TABLE [rocpd_region@]; CREATE TABLE [rocpd_region@](id, start);");
    look_refused(f.path, "table rocpd_region_a", "no column \"end\"", NULL);
    rocpd_file_sql(&f, "DROP TABLE [rocpd_region@]; DROP TABLE [rocpd_kernel_dispatch@];"
                       "DROP TABLE [rocpd_memory_copy@]");
    look_refused(f.path, "no table of dispatches", NULL);
    rocpd_file_remove(&f);
    rocpd_file_open(&f, "foreign");
    rocpd_file_sql(&f, "CREATE TABLE places(url TEXT); CREATE TABLE rocpdx(a)");
    look_refused(f.path, "none of the formats", NULL); /* it is not recognised as one */
    /* a view or a virtual table of that name is refused too */
    rocpd_file_sql(&f, "CREATE VIEW rocpd_metadata_x AS SELECT 1 AS tag;"
                       "CREATE VIEW rocpd_kernel_dispatch AS SELECT 1 AS start, 2 AS [end]");
    look_refused(f.path, "none of the formats", NULL);
    rocpd_file_remove(&f);
}
