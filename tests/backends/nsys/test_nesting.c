/* Finds which span contains which, compared with a search over all pairs; large files; giving
 * up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>

#include "support/edges.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/test.h"

static const char ranges[] = "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER,"
                             " eventType INTEGER, text TEXT, globalTid INTEGER);";

static void reads_as(const char *rows, const char *expected)
{
    struct trace t;
    const char *path = nsys_path("ranges.sqlite");
    remove(path);
    nsys_sql(path, NSYS_STRINGS, ranges, rows);
    nsys_read(&t, path);
    char *text = nsys_dump(&t);
    assert_string_equal(text, expected);
    free(text);
    trace_free(&t);
}

#define ROW(start, end, type, text) "(" #start ", " #end ", " #type ", '" text "', 281491753927657)"

TEST_WITH(overlapping_ranges_are_siblings, nsys_set_up, nsys_tear_down)
{
    reads_as("INSERT INTO NVTX_EVENTS VALUES " ROW(0, 10, 59, "a") "," ROW(5, 15, 59, "b") "," ROW(
                 6, 9, 59, "c") ";",
             "/process 1000\nprocess 1000/thread 1001\n"
             "thread 1001/a 0+10\nthread 1001/b 5+10\nb/c 6+3\n");
}

/* Spans of arbitrary times: overlapping ones contain nothing, nested ones are contained. */
TEST_WITH(loose_ranges_hold_what_they_nest, nsys_set_up, nsys_tear_down)
{
    reads_as(
        "INSERT INTO NVTX_EVENTS VALUES " ROW(0, 100, 59, "all") "," ROW(10, 50, 59, "a") "," ROW(
            40, 60, 60, "loose") "," ROW(45, 48, 59,
                                         "b") "," ROW(55, 58, 59,
                                                      "c") "," ROW(70, 90, 60,
                                                                   "step") "," ROW(75, 80, 59,
                                                                                   "d") ";",
        "/process 1000\nprocess 1000/thread 1001\n"
        "thread 1001/all 0+100\nall/a 10+40\nall/loose 40+20\na/b 45+3\nall/c 55+3\n"
        "all/step 70+20\nstep/d 75+5\n");
}

TEST_WITH(ends_that_touch_do_not_nest, nsys_set_up, nsys_tear_down)
{
    reads_as("INSERT INTO NVTX_EVENTS VALUES " ROW(0, 10, 59, "a") "," ROW(10, 10, 59, "b") "," ROW(
                 10, 20, 59, "c") "," ROW(10, 20, 59, "d") ";",
             "/process 1000\nprocess 1000/thread 1001\n"
             "thread 1001/a 0+10\nthread 1001/c 10+10\nc/d 10+10\nd/b 10+0\n");
}

static uint32_t seed;
static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

enum { RANDOM = 400, THREADS = 3 };
struct row {
    uint64_t start, end;
    uint32_t thread;
};

static int sooner(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end == y->end ? 0 : x->end > y->end ? -1 : 1;
}

/* The latest span that begins before i and contains it; -1: the thread itself. */
static int holder(const struct row *r, int i)
{
    for (int k = i - 1; k >= 0 && r[k].thread == r[i].thread; k--)
        if (r[k].end >= r[i].end && r[k].end > r[i].start)
            return k;
    return -1;
}

TEST_WITH(random_ranges_nest_as_a_search_says, nsys_set_up, nsys_tear_down)
{
    for (seed = 1; seed < 20000; seed += 997) {
        struct row r[RANDOM];
        char *sql = calloc(RANDOM, 100);
        size_t n = 0;
        uint32_t first = seed;
        for (int i = 0; i < RANDOM; i++) {
            r[i] = (struct row){1 + draw(500), 0, draw(THREADS)};
            r[i].end = r[i].start + draw(i % 10 ? 20 : 300);
            n += (size_t)sprintf(sql + n, "%s(%llu, %llu, 59, 'r', 16777216 + %u)",
                                 i ? "," : "INSERT INTO NVTX_EVENTS VALUES ",
                                 (unsigned long long)r[i].start, (unsigned long long)r[i].end,
                                 r[i].thread + 1);
        }
        struct trace t;
        const char *path = nsys_path("random.sqlite");
        remove(path);
        nsys_sql(path, NSYS_STRINGS, ranges, sql);
        nsys_read(&t, path);
        qsort(r, RANDOM, sizeof *r, sooner);
        uint32_t node[RANDOM] = {0};
        const struct graph *g = t.calls;
        for (uint32_t i = 0, k = 0; i < g->nnodes; i++)
            if (g->kind[i] == NODE_FUNCTION || g->kind[i] == NODE_RANGE)
                node[k++] = i;
        assert_int_equal(t.spans, RANDOM);
        for (int i = 0; i < RANDOM; i++) {
            int h = holder(r, i);
            uint32_t parent = g->parent[node[i]];
            if (g->start[node[i]] != r[i].start ||
                (h >= 0 ? parent != node[h] : g->kind[parent] != NODE_THREAD))
                fail_msg("seed %u: span %d of %llu to %llu is in the wrong place", first, i,
                         (unsigned long long)r[i].start, (unsigned long long)r[i].end);
        }
        trace_free(&t);
        free(sql);
        seed = first;
    }
}

/* --- many rows --- */

enum { MANY = 100000 };
static const char many[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 20000 + i * 10, 20005 + i * 10, 0,"
    " 281491753927657 + i % 4, i + 100, 4, 0, NULL FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
    " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 30000 + i * 10, 30008 + i * 10, 0, 1, NULL,"
    " 7 + i % 3, i + 100, 281491753926656, 1, 2, 3, 1, 1, 32, 1, 1, 1, 128, 1, 1, 0, 0, 0, 0, i,"
    " 0, NULL, NULL FROM n;";

TEST_WITH(many_kernels_are_linked_one_by_one, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("many.sqlite");
    nsys_sql(path, NSYS_NEW, many);
    nsys_read(&t, path);
    const struct graph *g = t.calls;
    assert_int_equal(t.spans, 16 + 2 * MANY);
    assert_int_equal(t.ndispatches, 2 + MANY);
    assert_int_equal(edges_of(g, EDGE_LAUNCHES), 4 + MANY);
    assert_int_equal(t.dropped, 1);
    for (uint32_t e = 0; e < g->nedges; e++) {
        uint32_t call = g->edge_from[e], work = g->edge_to[e];
        if (g->edge_kind[e] == EDGE_LAUNCHES && g->start[call] >= 20010)
            assert_int_equal(g->start[work] - g->start[call], 10000);
    }
    trace_free(&t);
}

struct patience {
    int looks, at_most;
    uint64_t done, total;
};

static bool watch(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct patience *p = ctx;
    assert_non_null(strstr(path, "many.sqlite"));
    assert_true(done >= p->done && done <= total);
    p->done = done;
    p->total = total;
    return ++p->looks <= p->at_most;
}

TEST_WITH(the_user_may_give_up, nsys_set_up, nsys_tear_down)
{
    const char *path = nsys_path("many.sqlite");
    nsys_sql(path, NSYS_NEW, many);
    for (int looks = 0; looks < 60; looks += 3) {
        struct error err = ERROR_INIT;
        struct patience p = {.at_most = looks};
        struct trace t = {.watch = watch, .watch_ctx = &p};
        assert_int_equal(trace_open(&t, &path, 1, &err), -ECANCELED);
        assert_int_equal(p.looks, looks + 1);
        assert_int_equal(err.code, ECANCELED);
        assert_true(p.total > 2 * MANY && p.total < 2 * MANY + 100);
        trace_free(&t);
    }
}
