/* Reads rocpd databases, some of other tools and some made with SQL. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/edges.h"
#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

#define SYNTHETIC "tests/data/rocpd/synthetic_schema3.db"
#define THIRD     "tests/data/rocpd/babeltrace_test_rocm_database.db"

TEST(schema_3)
{
    struct trace t;
    look_open(&t, SYNTHETIC);
    assert_int_equal(t.spans, 6); /* 4 dispatches, 1 copy, 1 region; an allocation is no span */
    assert_int_equal(t.dropped, 0);
    uint32_t program = look_for(&t, NODE_PROGRAM, "app", 0);
    assert_int_equal(look_detail(&t, program)->thread.id, 4242);
    uint32_t thread = look_for(&t, NODE_THREAD, "thread 4242", 0);
    assert_int_equal(t.calls->parent[thread], program);
    assert_int_equal(t.calls->parent[look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0)], thread);
    uint32_t queue = look_for(&t, NODE_QUEUE, "GPU 4 queue 1", 0);
    assert_int_equal(look_detail(&t, queue)->thread.id, 1);
    uint32_t gemm = look_for(&t, NODE_KERNEL, "gemm(float*, float*, float*, int)", 1);
    assert_int_equal(t.calls->parent[gemm], queue);
    assert_int_equal(t.calls->start[gemm], 1960000);
    assert_int_equal(t.calls->duration[gemm], 740000);
    assert_true(t.calls->flags[gemm] & NODE_DEVICE_TIME);
    assert_int_equal(look_detail(&t, gemm)->kernel.grid[0], 4096); /* workgroups, not work-items */
    assert_int_equal(look_detail(&t, gemm)->kernel.block[0], 256);
    const struct trace_dispatch *d = look_dispatch(&t, gemm);
    assert_int_equal(d->id, 4);
    assert_int_equal(d->vgprs, 16);
    assert_int_equal(d->accum_vgprs, 64);
    assert_int_equal(d->sgprs, 16);
    assert_int_equal(t.ndispatches, 4);
    const struct trace_agent *gpu = &t.agents[d->agent];
    assert_true(gpu->gpu);
    assert_int_equal(gpu->units, 304);
    assert_int_equal(gpu->clock_mhz, 2100);
    assert_string_equal(graph_text(t.calls, gpu->name), "gfx942");
    assert_string_equal(graph_text(t.calls, gpu->model), "AMD Instinct MI300X");
    assert_string_equal(graph_text(t.calls, gpu->host), "node0");
    uint32_t copy = look_for(&t, NODE_TRANSFER, "H2D", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[copy]), "GPU 4 copies");
    assert_int_equal(look_detail(&t, copy)->transfer.bytes, 4194304);
    assert_int_equal(look_detail(&t, copy)->transfer.direction, 0);
    trace_free(&t);
}

/* Each counter of each dispatch is the sum over its instances that SQLite computes. */
TEST(counters_are_sums_over_instances)
{
    static const char sql[] = "SELECT d.dispatch_id, p.name, sum(e.value) FROM rocpd_pmc_event e"
                              " JOIN rocpd_info_pmc p ON p.id = e.pmc_id AND p.guid = e.guid"
                              " JOIN rocpd_kernel_dispatch d ON d.event_id = e.event_id AND d.guid "
                              "= e.guid GROUP BY 1, 2";
    struct trace t;
    sqlite3 *db;
    sqlite3_stmt *st;
    uint32_t rows = 0;
    look_open(&t, SYNTHETIC);
    assert_int_equal(sqlite3_open_v2(SYNTHETIC, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    for (; sqlite3_step(st) == SQLITE_ROW; rows++)
        for (uint32_t i = 0; i < t.ndispatches; i++)
            if (trace_dispatch_at(&t, i).id == (uint64_t)sqlite3_column_int64(st, 0))
                assert_true(look_counter(&t, trace_dispatch_at(&t, i).node,
                                         (const char *)sqlite3_column_text(st, 1)) ==
                            sqlite3_column_double(st, 2));
    assert_int_equal(rows, 36);
    assert_int_equal(t.ncounters, rows);
    sqlite3_finalize(st);
    sqlite3_close(db);
    trace_free(&t);
}

/* A database with an unusual suffix, ids that are no PIDs, few tables, and no views. */
TEST(a_third_party)
{
    struct trace t;
    look_open(&t, THIRD);
    assert_int_equal(t.spans, 6);
    assert_int_equal(look_count(&t, NODE_KERNEL), 2);
    uint32_t program = look_for(&t, NODE_PROGRAM, "test_app", 0);
    assert_int_equal(look_detail(&t, program)->thread.id, 1234);
    uint32_t thread = look_for(&t, NODE_THREAD, "main_thread", 0);
    assert_int_equal(look_detail(&t, thread)->thread.id, 1234);
    uint32_t outer = look_for(&t, NODE_FUNCTION, "main_region", 0);
    uint32_t inner = look_for(&t, NODE_FUNCTION, "gpu_computation", 0);
    assert_int_equal(t.calls->parent[outer], thread);
    assert_int_equal(t.calls->parent[inner], outer);
    uint32_t kernel = look_for(&t, NODE_KERNEL, "matrix_multiply_kernel", 0);
    assert_int_equal(look_detail(&t, kernel)->kernel.grid[1], 4);
    assert_int_equal(look_detail(&t, kernel)->kernel.block[1], 16);
    assert_int_equal(look_dispatch(&t, kernel)->vgprs, TRACE_UNKNOWN);
    assert_int_equal(look_dispatch(&t, kernel)->lds_bytes, TRACE_UNKNOWN);
    assert_string_equal(graph_name(t.calls, t.calls->parent[kernel]), "GPU 2 queue 1");
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "D2H", 0))->transfer.direction, 1);
    trace_free(&t);
}

static bool same_kernel(const struct graph_detail *a, const struct graph_detail *b)
{
    return a->kernel.hash == b->kernel.hash && a->kernel.shared_bytes == b->kernel.shared_bytes &&
           memcmp(a->kernel.grid, b->kernel.grid, sizeof a->kernel.grid) == 0 &&
           memcmp(a->kernel.block, b->kernel.block, sizeof a->kernel.block) == 0;
}

/* Dispatches that differ only in one column, each twice. */
TEST(dispatches_alike)
{
    static const char *const change[] = {"pid = 20",
                                         "agent_id = 0",
                                         "queue_id = 2",
                                         "stream_id = 5",
                                         "kernel_id = 2",
                                         "private_segment_size = 16",
                                         "group_segment_size = NULL",
                                         "workgroup_size_x = 32",
                                         "workgroup_size_y = 2",
                                         "workgroup_size_z = 3",
                                         "grid_size_x = 2000",
                                         "grid_size_y = 7",
                                         "grid_size_z = 5",
                                         "kernel_id = kernel_id"};
    enum { CHANGES = sizeof change / sizeof *change };
    struct rocpd_file f;
    struct trace t;
    char sql[200];
    uint32_t node[2 * CHANGES] = {0};
    rocpd_file_open(&f, "alike");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    for (int i = 0; i < 2 * CHANGES; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, start, [end]) VALUES(%d,"
                 " %d, %d, %d); UPDATE [rocpd_kernel_dispatch@] SET %s WHERE id = %d",
                 i + 1, 500 + i, 1000 * i + 1, 1000 * i + 10 + i, change[i % CHANGES], i + 1);
        rocpd_file_sql(&f, sql);
    }
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.ndispatches, 2 * CHANGES);
    for (uint32_t i = 0; i < t.ndispatches; i++) {
        struct trace_dispatch d = trace_dispatch_at(&t, i);
        node[d.id - 500] = d.node;
        assert_int_equal(t.calls->start[d.node], 1000 * (d.id - 500) + 1);
        assert_int_equal(t.calls->duration[d.node], d.id - 500 + 9);
    }
    for (int i = 0; i < CHANGES; i++) {
        uint32_t v = node[i], again = node[i + CHANGES];
        struct trace_dispatch a = *look_dispatch(&t, v), b = *look_dispatch(&t, again);
        assert_int_equal(t.calls->parent[v], t.calls->parent[again]);
        assert_int_equal(t.calls->name[v], t.calls->name[again]);
        assert_memory_equal(look_detail(&t, v), look_detail(&t, again), sizeof *t.calls->details);
        assert_true(a.agent == b.agent && a.lds_bytes == b.lds_bytes &&
                    a.scratch_bytes == b.scratch_bytes && a.vgprs == b.vgprs);
        for (int k = 0; k < i; k++) {
            uint32_t u = node[k];
            struct trace_dispatch c = *look_dispatch(&t, u);
            if (t.calls->parent[u] == t.calls->parent[v] && t.calls->name[u] == t.calls->name[v] &&
                same_kernel(look_detail(&t, u), look_detail(&t, v)) && c.agent == a.agent &&
                c.lds_bytes == a.lds_bytes && c.scratch_bytes == a.scratch_bytes)
                fail_msg("\"%s\" is taken for \"%s\"", change[i], change[k]);
        }
    }
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(shapes_names_and_registers)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "shapes");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_kernel_dispatch@](kernel_id, dispatch_id, start, [end],"
                       " grid_size_y, workgroup_size_y, group_segment_size) VALUES"
                       " (1, 7, 100, 200, 9, 4, 1024), (2, 8, 200, 300, 1, 0, NULL),"
                       " (99, 9, 300, 300, 1, 1, 0)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    uint32_t axpy = look_for(&t, NODE_KERNEL, "axpy(float*)", 0);
    assert_int_equal(look_detail(&t, axpy)->kernel.grid[0], 16); /* 1000 items in groups of 64 */
    assert_int_equal(look_detail(&t, axpy)->kernel.grid[1], 3);
    assert_int_equal(look_detail(&t, axpy)->kernel.shared_bytes, 1024);
    /* the dispatch's own value, not that of the kernel symbol */
    assert_int_equal(look_dispatch(&t, axpy)->lds_bytes, 1024);
    assert_int_equal(look_dispatch(&t, axpy)->scratch_bytes, 8);
    uint32_t gemm = look_for(&t, NODE_KERNEL, "gemm(float*, float*)", 0); /* without ".kd" */
    assert_int_equal(look_detail(&t, gemm)->kernel.grid[1], 0);           /* unknown */
    /* the value of the kernel symbol */
    assert_int_equal(look_dispatch(&t, gemm)->lds_bytes, 16384);
    assert_int_equal(look_dispatch(&t, gemm)->accum_vgprs, 128);
    look_for(&t, NODE_KERNEL, "kernel 99", 0);
    assert_int_equal(t.agents[look_dispatch(&t, axpy)->agent].memory_bytes, 206141652992);
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(streams_of_one_queue_are_lanes)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "streams");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, queue_id, stream_id,"
                       " start, [end], agent_id) VALUES (1, 1, 1, 10, 20, 4), (2, 1, 2, 10, 20, 4),"
                       " (3, 2, 1, 10, 20, 4), (4, 1, 1, 30, 40, 4), (5, 1, 1, 5, 6, 0),"
                       " (6, 1, 1, 5, 6, 77);"
                       "INSERT INTO [rocpd_memory_copy@](start, [end], queue_id) VALUES"
                       " (1, 2, NULL), (3, 4, 0), (5, 6, 2)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    uint32_t first = look_for(&t, NODE_QUEUE, "GPU 4 queue 1 stream 1", 0);
    look_for(&t, NODE_QUEUE, "GPU 4 queue 1 stream 2", 0);
    look_for(&t, NODE_QUEUE, "GPU 4 queue 2 stream 1", 0);
    look_for(&t, NODE_QUEUE, "GPU 4 queue 2 stream 0", 0);
    look_for(&t, NODE_QUEUE, "CPU 0 queue 1", 0);
    look_for(&t, NODE_QUEUE, "queue 1", 0); /* an agent that is in no table */
    uint32_t copies = look_for(&t, NODE_QUEUE, "GPU 4 copies", 0);
    assert_int_equal(look_count(&t, NODE_QUEUE), 7);
    unsigned in_first = 0, in_copies = 0;
    for (uint32_t i = 0; i < t.calls->nnodes; i++) {
        in_first += t.calls->parent[i] == first;
        in_copies += t.calls->parent[i] == copies;
    }
    assert_int_equal(in_first, 2);
    assert_int_equal(in_copies, 2);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* a [0,100] contains b [10,50], which contains c [20,50]; d [40,60] overlaps b; e [100,120]
 * follows a. Later rows come first. */
TEST(calls_nest_by_their_times)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "nest");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_string@](id, string) VALUES (21, 'a'), (22, 'b'),"
                       " (23, 'c'), (24, 'd'), (25, 'e'), (26, 'other');"
                       "INSERT INTO [rocpd_region@](start, [end], name_id, tid) VALUES"
                       " (100, 120, 25, 11), (40, 60, 24, 11), (20, 50, 23, 11), (10, 50, 22, 11),"
                       " (0, 100, 21, 11), (15, 16, 26, 12)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    const struct graph *g = t.calls;
    uint32_t thread = look_for(&t, NODE_THREAD, "thread 11", 0);
    uint32_t a = look_for(&t, NODE_FUNCTION, "a", 0), b = look_for(&t, NODE_FUNCTION, "b", 0);
    assert_int_equal(g->parent[a], thread);
    assert_int_equal(g->parent[b], a);
    assert_int_equal(g->via[b], EDGE_CALLS);
    assert_int_equal(g->parent[look_for(&t, NODE_FUNCTION, "c", 0)], b);
    assert_int_equal(g->parent[look_for(&t, NODE_FUNCTION, "d", 0)], a);
    assert_int_equal(g->parent[look_for(&t, NODE_FUNCTION, "e", 0)], thread);
    assert_int_equal(g->parent[look_for(&t, NODE_FUNCTION, "other", 0)],
                     look_for(&t, NODE_THREAD, "thread 12", 0));
    trace_free(&t);
    rocpd_file_remove(&f);
}

enum { RANDOM = 200 };
struct span {
    unsigned start, end;
};

/* The span that covers i and starts last; if several do, the last of them before i. */
static unsigned innermost(const struct span *list, unsigned i)
{
    unsigned best = RANDOM;
    for (unsigned k = 0; k < RANDOM; k++) {
        const struct span *o = &list[k], *b = &list[best < RANDOM ? best : k];
        bool equal = o->start == list[i].start && o->end == list[i].end;
        if (k == i || o->start > list[i].start || o->end < list[i].end || (equal && k > i))
            continue;
        if (best == RANDOM || o->start > b->start || (o->start == b->start && o->end <= b->end))
            best = k;
    }
    return best;
}

/* Random calls, many of them overlapping or equal, in random order, compared with the rule. */
TEST(random_calls_nest_by_the_rule)
{
    uint64_t random = 7;
    for (int round = 0; round < 5; round++) {
        struct rocpd_file f;
        struct trace t;
        struct span list[RANDOM];
        uint32_t node[RANDOM];
        rocpd_file_open(&f, "random");
        rocpd_file_tables(&f, "_a", "g1");
        rocpd_file_names(&f);
        for (unsigned k = 0; k < RANDOM; k++) {
            unsigned i = (k * 77 + (unsigned)round) % RANDOM; /* each once */
            char sql[256];
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            list[i].start = 1 + (unsigned)(random >> 33) % 100;
            list[i].end = list[i].start + 1 + (unsigned)(random >> 45) % 60;
            snprintf(sql, sizeof sql,
                     "INSERT INTO [rocpd_string@](id, string) VALUES (%u, 'r%u');"
                     "INSERT INTO [rocpd_region@](id, start, [end], name_id) VALUES"
                     " (%u, %u, %u, %u)",
                     100 + i, i, 1 + i, list[i].start, list[i].end, 100 + i);
            rocpd_file_sql(&f, sql);
        }
        rocpd_file_close(&f);
        look_open(&t, f.path);
        for (unsigned i = 0; i < RANDOM; i++) {
            char name[16];
            snprintf(name, sizeof name, "r%u", i);
            node[i] = look_for(&t, NODE_FUNCTION, name, 0);
        }
        for (unsigned i = 0; i < RANDOM; i++) {
            unsigned parent = innermost(list, i);
            assert_int_equal(t.calls->parent[node[i]],
                             parent == RANDOM ? look_for(&t, NODE_THREAD, "thread 11", 0)
                                              : node[parent]);
        }
        trace_free(&t);
        rocpd_file_remove(&f);
    }
}

/* Of two nested calls with one correlation id, the inner one launched; correlation ids are per
 * process. */
TEST(launches_are_linked)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "launches");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(
        &f, "INSERT INTO [rocpd_event@](id, stack_id) VALUES (1, 70), (2, 70), (3, 71), (4, 70),"
            " (5, 71), (6, 72), (7, 0), (8, 0);"
            "INSERT INTO [rocpd_string@](id, string) VALUES (31, 'outer');"
            "INSERT INTO [rocpd_region@](start, [end], name_id, event_id, pid) VALUES"
            " (0, 100, 31, 1, 10), (10, 50, 1, 2, 10), (60, 70, 3, 3, 10), (10, 50, 1, 2, 20),"
            " (80, 81, 31, 7, 10), (82, 83, 31, NULL, 10);"
            "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, start, [end], event_id) VALUES"
            " (1, 110, 120, 4), (2, 120, 130, 6), (3, 130, 140, 8), (4, 150, 160, NULL);"
            "INSERT INTO [rocpd_memory_copy@](start, [end], event_id) VALUES (90, 95, 5)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    uint32_t launch = look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 0);
    if (t.calls->parent[t.calls->parent[launch]] == GRAPH_NONE)
        launch = look_for(&t, NODE_FUNCTION, "hipLaunchKernel", 1);
    uint32_t copied = look_for(&t, NODE_FUNCTION, "hipMemcpy", 0);
    assert_string_equal(graph_name(t.calls, t.calls->parent[launch]), "outer");
    assert_true(look_edge(&t, launch, look_for(&t, NODE_KERNEL, "axpy(float*)", 0), EDGE_LAUNCHES));
    assert_true(look_edge(&t, copied, look_for(&t, NODE_TRANSFER, "H2D", 0), EDGE_LAUNCHES));
    /* no call launched 72; 0 and NULL mean no correlation */
    assert_int_equal(edges_of(t.calls, EDGE_LAUNCHES), 2);
    assert_int_equal(look_count(&t, NODE_KERNEL), 4); /* rows without an event count too */
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(rows_without_times_are_dropped)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "times");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_kernel_dispatch@](start, [end]) VALUES"
                       " (10, 9), (NULL, 20), (10, NULL), (0, 0), (-5, 10), ('soon', 20),"
                       " (x'00', 20), (9223372036854775807, 9223372036854775807), (1.5, 20),"
                       " (100.0, 200.0);"
                       "INSERT INTO [rocpd_region@](start, [end]) VALUES (10, 9), (10, 10);"
                       "INSERT INTO [rocpd_memory_copy@](start, [end]) VALUES (NULL, NULL);"
                       "INSERT INTO [rocpd_sample@](track_id, timestamp) VALUES (1, 5)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.dropped, 10);
    assert_int_equal(t.spans, 3);
    assert_int_equal(look_count(&t, NODE_KERNEL), 2);
    assert_int_equal(look_count(&t, NODE_FUNCTION), 1);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* A row without a process belongs to the first process in the file. */
TEST(rows_without_a_process_are_the_firsts)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "processes");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_info_process@](id, nid, pid, command) VALUES"
                       " (20, 1, 20, '/opt/second');"
                       "INSERT INTO [rocpd_kernel_dispatch@](pid, dispatch_id, start, [end])"
                       " VALUES (NULL, 1, 10, 20), (20, 2, 30, 40), (30, 3, 50, 60)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    static const char *const programs[] = {"app", "second", "pid 30"};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t kernel = look_for(&t, NODE_KERNEL, "axpy(float*)", i);
        uint32_t program = t.calls->parent[t.calls->parent[kernel]];
        assert_string_equal(graph_name(t.calls, program),
                            programs[look_dispatch(&t, kernel)->id - 1]);
    }
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* The direction of a copy follows from its name, else from the types of its agents. */
TEST(directions)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "directions");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO [rocpd_string@](id, string) VALUES"
                       " (41, 'MEMORY_COPY_DEVICE_TO_HOST'), (42, 'MEMORY_COPY_DEVICE_TO_DEVICE');"
                       "INSERT INTO [rocpd_memory_copy@](start, [end], name_id, src_agent_id,"
                       " dst_agent_id, size) VALUES (1, 2, 41, 4, 0, 1), (3, 4, 42, 4, 4, 2),"
                       " (5, 6, 999, 4, 0, 3), (7, 8, 999, 0, 4, 4), (9, 10, NULL, NULL, NULL, -5),"
                       " (11, 12, 2, 4, 0, 6)"); /* called H2D, whatever its agents are */
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "D2H", 0))->transfer.bytes, 1);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "D2D", 0))->transfer.bytes, 2);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "D2H", 1))->transfer.bytes, 3);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "H2D", 0))->transfer.bytes, 4);
    assert_int_equal(look_detail(&t, look_for(&t, NODE_TRANSFER, "H2D", 1))->transfer.bytes, 6);
    uint32_t unknown = look_for(&t, NODE_TRANSFER, "D2D", 1);
    assert_true(look_detail(&t, unknown)->transfer.bytes == GRAPH_UNKNOWN); /* of -5 bytes */
    assert_int_equal(look_detail(&t, unknown)->transfer.from, GRAPH_NONE);
    const struct graph_detail *d = look_detail(&t, look_for(&t, NODE_TRANSFER, "D2H", 0));
    assert_string_equal(graph_text(t.calls, d->transfer.from), "GPU 4");
    assert_string_equal(graph_text(t.calls, d->transfer.to), "CPU 0");
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* 10^5 dispatches with counters of several instances, in two orders. */
TEST(many_rows_in_any_order)
{
    static const char fill[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
        " INSERT INTO [rocpd_kernel_dispatch@](id, dispatch_id, start, [end], queue_id, kernel_id,"
        " event_id) SELECT (i * 7919) % 100003, i, i * 100, i * 100 + 50 + i % 7, i % 4, 1 + i % 2,"
        " i FROM n;"
        "INSERT INTO [rocpd_info_pmc@](id, name) VALUES (1, 'SQ_WAVES'), (2, 'GRBM_COUNT');"
        "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) SELECT event_id, 1, dispatch_id"
        " FROM [rocpd_kernel_dispatch@] UNION ALL SELECT event_id, 1, 1 FROM"
        " [rocpd_kernel_dispatch@] UNION ALL SELECT event_id, 2, 5 FROM [rocpd_kernel_dispatch@];";
    struct rocpd_file f;
    struct trace t;
    double sum = 0;
    rocpd_file_open(&f, "many");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "BEGIN");
    rocpd_file_sql(&f, fill);
    rocpd_file_sql(&f, "COMMIT");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.spans, 100000);
    assert_int_equal(t.ndispatches, 100000);
    assert_int_equal(t.ncounters, 200000);
    for (uint32_t i = 0; i < t.ndispatches; i++) {
        const struct trace_dispatch dispatch = trace_dispatch_at(&t, i), *d = &dispatch;
        assert_int_equal(t.calls->start[d->node], d->id * 100);
        assert_int_equal(t.calls->duration[d->node], 50 + d->id % 7);
        assert_true(t.counters[2 * i].node == d->node && t.counters[2 * i + 1].node == d->node);
        sum += t.counters[2 * i].value + t.counters[2 * i + 1].value;
        assert_true(t.counters[2 * i].value == (double)d->id + 1);
    }
    assert_true(sum == 100000.0 * 100001 / 2 + 100000 + 500000);
    trace_free(&t);
    rocpd_file_remove(&f);
}
