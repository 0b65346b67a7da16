/*
 * Databases and lists that exceed the memory limit: the longest spans are kept, the others are
 * summed, and no call and no nanosecond of any name is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/trace/trace_short.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/rocpd_file.h"
#include "support/test.h"

enum { NAMES = 200 };

/* --- how many spans may be kept --- */

/* Each file gets its share and what the files before it left; a file whose share is used up keeps
 * a few spans. */
TEST(a_file_has_its_share)
{
    enum { LEAST = 1000, FILES = 4 };
    struct trace t = {.of_files = FILES, .calls = graph_new()};
    memory_set_limit(16 << 20);
    uint64_t all = trace_memory_left(&t), share = all / FILES;
    assert_true(share > 3 * LEAST);
    for (uint32_t used = 0; used < 3 * share; used += 500) {
        while (t.calls->nnodes < used)
            graph_add(t.calls, NODE_FUNCTION, 0, GRAPH_NONE, EDGE_CONTAINS, 0, 0);
        for (t.at_file = 0; t.at_file < FILES; t.at_file++) {
            uint64_t until = share * (t.at_file + 1), room = trace_file_memory_left(&t);
            uint64_t want = until > used + LEAST ? until - used : LEAST;
            if (room != want)
                fail_msg("file %u, %u used: room for %llu", (unsigned)t.at_file, used,
                         (unsigned long long)room);
        }
    }
    memory_set_limit(0);
    t.at_file = 0;
    trace_free(&t);
}

/* --- totals of each name --- */

struct name {
    char text[160];
    enum node_kind kind;
    uint64_t count, total, min, max;
};
struct names {
    struct name list[NAMES];
    size_t n;
};

static struct name *name_of(struct names *all, const char *text, enum node_kind kind)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].kind == kind && strcmp(all->list[i].text, text) == 0)
            return &all->list[i];
    assert_true(all->n < NAMES);
    struct name *new = &all->list[all->n++];
    *new = (struct name){.kind = kind, .min = UINT64_MAX};
    snprintf(new->text, sizeof new->text, "%s", text);
    return new;
}

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int c = strcmp(x->text, y->text);
    return c ? c : (int)x->kind - (int)y->kind;
}

static void sum_up(const struct trace *t, struct names *out)
{
    const struct graph *g = t->sums;
    memset(out, 0, sizeof *out);
    for (uint32_t v = 0; v < g->nnodes; v++) {
        const struct graph_work *w = graph_work_of(g, v);
        if (!w || strcmp(graph_name(g, v), TRACE_FOLDED) == 0)
            continue;
        struct name *n = name_of(out, graph_name(g, v), (enum node_kind)g->kind[v]);
        n->count += w->count;
        n->total += w->total;
        n->min = w->min < n->min ? w->min : n->min;
        n->max = w->max > n->max ? w->max : n->max;
    }
    qsort(out->list, out->n, sizeof *out->list, by_text);
}

static void lanes_of(const struct trace *t, struct names *out)
{
    const struct graph *g = t->sums;
    memset(out, 0, sizeof *out);
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (strcmp(graph_name(g, v), TRACE_FOLDED) == 0)
            name_of(out, graph_name(g, g->parent[v]), (enum node_kind)g->kind[g->parent[v]]);
    qsort(out->list, out->n, sizeof *out->list, by_text);
}

/* --- opening --- */

static void open_all(struct trace *t, const char *const *paths, size_t n, uint64_t limit)
{
    struct error err = ERROR_INIT;
    *t = (struct trace){0};
    memory_set_limit(limit);
    int rc = trace_open(t, paths, n, &err);
    memory_set_limit(0);
    if (rc != 0)
        fail_msg("limit %llu: %s: %s", (unsigned long long)limit, err.what, err.why);
}

static uint32_t find(const struct trace *t, const char *name)
{
    for (uint32_t v = 0; v < t->calls->nnodes; v++)
        if (strcmp(graph_name(t->calls, v), name) == 0)
            return v;
    return GRAPH_NONE;
}

/* One of EVERY kernels is a collective, and shorter than the others. Ranks are compared by their
 * k-th collectives, so none may be missing. */
enum { KERNELS = 15000, EVERY = 75 };
#define COLLECTIVE_NAME "ncclDevKernel_AllReduce_Sum_f32_RING_LL"

static uint32_t count_collectives(const struct trace *t)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < t->calls->nnodes; v++)
        n += strcmp(graph_name(t->calls, v), COLLECTIVE_NAME) == 0;
    return n;
}

/* lanes: those that have short spans, sorted by name. */
static void check(const char *const *paths, size_t n, const char *const *lanes, size_t nlanes)
{
    static const uint64_t limits[] = {6000000, 3000000, 1048576, 400000};
    static struct names all, kept, with_shorts;
    struct trace t;
    open_all(&t, paths, n, UINT64_C(1) << 40);
    sum_up(&t, &all);
    uint64_t spans = t.spans;
    assert_int_equal(t.folded, 0);
    assert_true(spans > 30000);
    trace_free(&t);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        open_all(&t, paths, n, limits[i]);
        sum_up(&t, &kept);
        assert_int_equal(kept.n, all.n);
        for (size_t k = 0; k < all.n; k++) {
            assert_string_equal(kept.list[k].text, all.list[k].text);
            assert_memory_equal(&kept.list[k], &all.list[k], sizeof all.list[k]);
        }
        assert_int_equal(t.spans, spans);
        assert_true(t.folded > 0 && t.folded < spans);
        assert_true(t.calls->nnodes <= trace_memory_left(&t));
        assert_true(t.calls->nnodes > trace_memory_left(&t) / 3);
        assert_int_not_equal(find(&t, "longest"), GRAPH_NONE);
        assert_int_equal(find(&t, "shortest"), GRAPH_NONE);
        assert_int_equal(count_collectives(&t), KERNELS / EVERY);
        assert_true(t.nnotes > 0);
        assert_non_null(strstr(t.notes[t.nnotes - 1], "as sums by name only"));
        lanes_of(&t, &with_shorts);
        assert_int_equal(with_shorts.n, nlanes);
        for (size_t k = 0; k < nlanes; k++)
            assert_string_equal(with_shorts.list[k].text, lanes[k]);
        trace_free(&t);
    }
}

/* --- rocpd --- */

#define COUNT(n) "WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < " #n ") "

static const char *const rocpd_rows[] = {
    COUNT(15000) "INSERT INTO \"rocpd_kernel_dispatch@\"(dispatch_id, kernel_id, queue_id, start,"
                 " \"end\", event_id) SELECT i + 1, 1 + i % 2, 1 + i % 2, 1000 * i + 5, 1000 * i +"
                 " 6 + i * 7919 % 900, 2 * i + 2 FROM c",
    COUNT(15000) "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id, event_id) SELECT 1000 * i,"
                 " 1000 * i + 1 + i * 104729 % 800, 1 + 2 * (i % 2), 2 * i + 1 FROM c",
    COUNT(30003) "INSERT INTO \"rocpd_event@\"(id, stack_id) SELECT i + 1, 1 + i / 2 FROM c",
    COUNT(5000) "INSERT INTO \"rocpd_memory_copy@\"(start, \"end\") SELECT 3000 * i, 3000 * i + 1 +"
                " i * 31 % 2500 FROM c",
    "INSERT INTO \"rocpd_string@\"(id, string) VALUES(70, 'longest'), (71, 'shortest')",
    "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id) VALUES(1, 90000000, 70), (7, 7, 71)",
    "INSERT INTO \"rocpd_info_kernel_symbol@\"(id, kernel_name) VALUES(70, '" COLLECTIVE_NAME "')",
    "UPDATE \"rocpd_kernel_dispatch@\" SET kernel_id = 70, \"end\" = start + 1 WHERE"
    " dispatch_id <= 15000 AND dispatch_id % 75 = 7",
};

static void make_rocpd(struct rocpd_file *f, const char *name)
{
    rocpd_file_open(f, name);
    rocpd_file_tables(f, "_a", "g1");
    rocpd_file_names(f);
    rocpd_file_sql(f, "BEGIN");
    for (size_t i = 0; i < sizeof rocpd_rows / sizeof *rocpd_rows; i++)
        rocpd_file_sql(f, rocpd_rows[i]);
    rocpd_file_sql(f, "COMMIT");
    rocpd_file_close(f);
}

TEST(rocpd_databases)
{
    static const char *const lanes[] = {"GPU 4 copies", "GPU 4 queue 1", "GPU 4 queue 2",
                                        "thread 11"};
    struct rocpd_file f;
    make_rocpd(&f, "short");
    check((const char *const[]){f.path}, 1, lanes, 4);
    rocpd_file_remove(&f);
}

/* Rows that end before they begin, or have negative times, are dropped and do not use up room. */
TEST(rows_without_times_take_no_room)
{
    struct rocpd_file f;
    struct trace t;
    uint32_t nodes[2];
    make_rocpd(&f, "short");
    for (int with = 0; with < 2; with++) {
        if (with) {
            assert_int_equal(sqlite3_open(f.path, &f.db), SQLITE_OK);
            rocpd_file_sql(&f, COUNT(9999) "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id)"
                                           " SELECT 100000 + i, 5, 1 FROM c");
            rocpd_file_sql(&f, COUNT(9999) "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id)"
                                           " SELECT -1 - i, 90000000, 1 FROM c");
            rocpd_file_close(&f);
        }
        open_all(&t, (const char *const[]){f.path}, 1, 3000000);
        assert_int_equal(t.dropped, with ? 20000 : 0);
        assert_true(t.folded > 0);
        nodes[with] = t.calls->nnodes;
        trace_free(&t);
    }
    assert_int_equal(nodes[0], nodes[1]);
    rocpd_file_remove(&f);
}

/* Collectives alone may be too many; the reason is not lost on the way through SQLite. */
TEST(too_many_collectives_are_refused)
{
    struct rocpd_file f;
    struct error err = ERROR_INIT;
    struct trace t = {0};
    make_rocpd(&f, "short");
    assert_int_equal(sqlite3_open(f.path, &f.db), SQLITE_OK);
    rocpd_file_sql(&f, "UPDATE \"rocpd_kernel_dispatch@\" SET kernel_id = 70");
    rocpd_file_close(&f);
    memory_set_limit(400000);
    assert_int_equal(trace_open(&t, (const char *const[]){f.path}, 1, &err), -ENOMEM);
    memory_set_limit(0);
    assert_non_null(strstr(err.why, "its spans take more memory than the limit"));
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* Each of two files gets its share. */
TEST(two_databases)
{
    struct rocpd_file f[2];
    struct trace t;
    make_rocpd(&f[0], "short1");
    make_rocpd(&f[1], "short2");
    open_all(&t, (const char *const[]){f[0].path, f[1].path}, 2, 4000000);
    assert_int_equal(t.spans, 2 * (15001 + 15003 + 5001));
    assert_int_equal(t.nfiles, 2);
    uint32_t first = t.files[0].to - t.files[0].from, second = t.files[1].to - t.files[1].from;
    assert_true(first > trace_memory_left(&t) / 3 && second > trace_memory_left(&t) / 3);
    assert_true(first + second <= trace_memory_left(&t));
    trace_free(&t);
    rocpd_file_remove(&f[0]);
    rocpd_file_remove(&f[1]);
}

/* Before a file is read, it is known how many spans it has and how much memory they take. */
struct told {
    struct trace *t;
    uint64_t spans, bytes, done;
};

static bool first_look(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct told *told = ctx;
    (void)path;
    if (told->spans == 0 && trace_estimate(told->t, done, total, &told->spans, &told->bytes))
        told->done = done;
    return true;
}

TEST(the_cost_is_told_before_it_is_paid)
{
    struct error err = ERROR_INIT;
    struct rocpd_file f;
    struct trace t = {0};
    struct told told = {.t = &t};
    make_rocpd(&f, "short");
    t.watch = first_look;
    t.watch_ctx = &told;
    assert_int_equal(trace_open(&t, (const char *const[]){f.path}, 1, &err), 0);
    assert_int_equal(told.spans, t.spans);
    assert_int_equal(told.done, 0);
    assert_true(told.bytes >= 100 * told.spans);
    trace_free(&t);
    rocpd_file_remove(&f);
}

/* --- Nsight Systems --- */

TEST_WITH(nsys_exports, nsys_set_up, nsys_tear_down)
{
    static const char *const lanes[] = {"GPU 0 stream 7", "thread 1001"};
    const char *path = nsys_path("short.sqlite");
    nsys_sql(
        path, NSYS_NEW, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL",
        "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY", "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET",
        "DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME",
        "DELETE FROM NVTX_EVENTS", "DELETE FROM OSRT_API", "DELETE FROM ThreadNames",
        COUNT(15000) "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid,"
                     " correlationId, nameId, returnValue) SELECT 1000 * i, 1000 * i + 1 + i *"
                     " 7919 % 700, 0, " NSYS_T1 ", i + 1, 4 + i % 2, 0 FROM c",
        COUNT(15000) "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId,"
                     " streamId, correlationId, globalPid, demangledName, shortName,"
                     " registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,"
                     " staticSharedMemory, dynamicSharedMemory, localMemoryPerThread,"
                     " localMemoryTotal, gridId) SELECT 1000 * i + 9, 1000 * i + 10 + i *"
                     " 104729 % 900, 0, 1, 7, i + 1, " NSYS_P1
                     ", 1, 2, 16, 1, 1, 1, 64, 1, 1, 0, 0, 0, 0, i FROM c",
        COUNT(3000) "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId,"
                    " streamId, correlationId, globalPid, bytes, copyKind) SELECT 5000 * i,"
                    " 5000 * i + 3 + i * 31 % 400, 0, 1, 7, 0, " NSYS_P1 ", 64, 1 FROM c",
        "INSERT INTO StringIds VALUES (70, 'longest'), (71, 'shortest'), (72, '" COLLECTIVE_NAME
        "')",
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 72, shortName = 72, end = start + 1"
        " WHERE correlationId <= 15000 AND correlationId % 75 = 7",
        "INSERT INTO NVTX_EVENTS(start, end, eventType, textId, globalTid) VALUES(1, 90000000,"
        " 59, 70, " NSYS_T1 "), (7, 7, 59, 71, " NSYS_T1 ")");
    check(&path, 1, lanes, 2);
}

/* --- lists of rocprofv3 --- */

static FILE *begin_list(const char *path, const char *head)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", head);
    return f;
}

TEST_WITH(lists, nsys_set_up, nsys_tear_down)
{
    static const char *const lanes[] = {"GPU 4 copies", "GPU 4 queue 1", "GPU 4 queue 2",
                                        "thread 11"};
    char paths[3][256];
    snprintf(paths[0], sizeof paths[0], "%s/x_hip_api_trace.csv", nsys_folder());
    snprintf(paths[1], sizeof paths[1], "%s/x_kernel_trace.csv", nsys_folder());
    snprintf(paths[2], sizeof paths[2], "%s/x_memory_copy_trace.csv", nsys_folder());
    FILE *f = begin_list(paths[0], "Domain,Function,Process_Id,Thread_Id,Correlation_Id,"
                                   "Start_Timestamp,End_Timestamp");
    fprintf(f, "HIP_RUNTIME_API,longest,10,11,0,1,90000000\n");
    for (int i = 0; i < 15000; i++)
        fprintf(f, "HIP_RUNTIME_API,hipCall%d,10,11,%d,%d,%d\n", i % 3, i + 1, 1000 * i,
                1000 * i + 1 + i * 7919 % 800);
    fclose(f);
    f = begin_list(paths[1], "Kind,Agent_Id,Queue_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
                             "Dispatch_Id,Thread_Id,Start_Timestamp,End_Timestamp,"
                             "Private_Segment_Size,Group_Segment_Size,Workgroup_Size_X,"
                             "Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
                             "Grid_Size_Z");
    for (int i = 0; i < KERNELS; i++) {
        char name[64] = COLLECTIVE_NAME;
        if (i % EVERY)
            snprintf(name, sizeof name, "k%d", i % 5);
        fprintf(f, "KERNEL_DISPATCH,Agent 4,%d,%d,%s,%d,%d,11,%d,%d,0,0,64,1,1,640,1,1\n",
                1 + i % 2, 1 + i % 5, name, i + 1, i + 1, 1000 * i + 9,
                1000 * i + 10 + (i % EVERY ? i * 3571 % 900 : 0));
    }
    fprintf(f, "KERNEL_DISPATCH,Agent 4,1,9,shortest,0,15001,11,4,5,0,0,64,1,1,640,1,1\n");
    fclose(f);
    f = begin_list(paths[2], "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
                             "Start_Timestamp,End_Timestamp");
    for (int i = 0; i < 5000; i++)
        fprintf(f, "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,Agent 0,Agent 4,0,%d,%d\n", 3000 * i,
                3000 * i + 2 + i * 31 % 500);
    fclose(f);
    check((const char *const[]){paths[0], paths[1], paths[2]}, 3, lanes, 4);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

/* --- which spans count as short --- */

/* As many as necessary are summed, the shortest first; of equally short ones, the first in the
 * file. */
TEST(the_longest_are_kept)
{
    for (uint64_t keep = 0; keep <= 60; keep += 3) {
        struct trace_lengths lengths = {.n = 0};
        uint64_t left = 0, longest_gone = 0, shortest_left = UINT64_MAX;
        for (uint64_t i = 0; i < 50; i++)
            trace_lengths_add(&lengths, i * i * i * 1000);
        struct trace_cut cut = trace_cut_of(&lengths, keep);
        for (uint64_t i = 0; i < 50; i++)
            if (trace_cut_takes(&cut, i * i * i * 1000)) {
                longest_gone = i;
            } else {
                left++;
                shortest_left = i < shortest_left ? i : shortest_left;
            }
        assert_int_equal(left, keep < 50 ? keep : 50);
        if (left > 0 && left < 50) /* lengths in one bucket differ by up to a fifth */
            assert_true((double)(longest_gone * longest_gone * longest_gone) <=
                        1.26 * (double)(shortest_left * shortest_left * shortest_left));
    }
}
