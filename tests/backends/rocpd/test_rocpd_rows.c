/* What the reader makes of a file is what queries of this test say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/arena.h"
#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

static const char rows[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO"
    " [rocpd_event@](id, stack_id) SELECT i, 1 + i / 2 FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO"
    " [rocpd_region@](start, [end], name_id, event_id) SELECT i * 100, i * 100 + 60, 1, 2 * i FROM"
    " n;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO"
    " [rocpd_kernel_dispatch@](dispatch_id, start, [end], queue_id, kernel_id, event_id,"
    " grid_size_x) SELECT i, i * 100 + 30, i * 100 + 90 + i % 7, i % 4, 1 + i % 2, 2 * i + 1,"
    " 64 * (i % 5) FROM n;"
    "INSERT INTO [rocpd_memory_copy@](start, [end], event_id) VALUES (6, 8, 4), (-5, 3, 5);";

static void fill(struct rocpd_file *f, const char *name, const char *first, const char *after)
{
    rocpd_file_open(f, name);
    if (first)
        rocpd_file_sql(f, first);
    rocpd_file_tables(f, "_a", "g1");
    rocpd_file_names(f);
    rocpd_file_sql(f, rows);
    if (after)
        rocpd_file_sql(f, after);
    rocpd_file_close(f);
}

/* --- results of SQL --- */

struct row {
    int64_t start, duration, id;
};

static int by_row(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->duration != y->duration)
        return x->duration < y->duration ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* The rows of a query with up to three columns. The caller frees them. */
static struct row *query(const char *path, const char *sql, size_t *n)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    struct row *rows_of = NULL;
    *n = 0;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW) {
        rows_of = xrealloc(rows_of, *n + 1, sizeof *rows_of);
        rows_of[(*n)++] = (struct row){sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
                                       sqlite3_column_int64(st, 2)};
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    return rows_of;
}

/* The nodes of a kind, as rows; kernels with the number of their dispatch. */
static struct row *rows_of_kind(const struct trace *t, enum node_kind kind, size_t *n)
{
    struct row *list = calloc(t->calls->nnodes + 1u, sizeof *list);
    assert_non_null(list);
    *n = 0;
    for (uint32_t v = 0; v < t->calls->nnodes; v++)
        if (t->calls->kind[v] == kind)
            list[(*n)++] = (struct row){(int64_t)t->calls->start[v], (int64_t)t->calls->duration[v],
                                        kind == NODE_KERNEL ? (int64_t)look_dispatch(t, v)->id : 0};
    qsort(list, *n, sizeof *list, by_row);
    return list;
}

static void kind_is(const char *name, const char *path, const struct trace *t, enum node_kind kind,
                    const char *sql)
{
    size_t n, m;
    struct row *is = rows_of_kind(t, kind, &n), *want = query(path, sql, &m);
    if (m)
        qsort(want, m, sizeof *want, by_row);
    if (n != m)
        fail_msg("%s: %zu rows, SQL says %zu", name, n, m);
    for (size_t i = 0; i < n; i++)
        if (by_row(&is[i], &want[i]) != 0)
            fail_msg("%s: %lld+%lld of %lld, SQL says %lld+%lld of %lld", name,
                     (long long)is[i].start, (long long)is[i].duration, (long long)is[i].id,
                     (long long)want[i].start, (long long)want[i].duration, (long long)want[i].id);
    free(is);
    free(want);
}

/* Every dispatch and region has SQL's times, and there are as many launches as regions and
 * dispatches with a common correlation. */
static void is_what_sql_says(const char *name, const char *path)
{
    struct trace t;
    size_t n, launches = 0;
    look_open(&t, path);
    kind_is(name, path, &t, NODE_KERNEL,
            "SELECT start, [end] - start, dispatch_id FROM rocpd_kernel_dispatch_a");
    kind_is(name, path, &t, NODE_FUNCTION, "SELECT start, [end] - start, 0 FROM rocpd_region_a");
    free(query(path,
               "SELECT r.id FROM rocpd_kernel_dispatch_a k JOIN rocpd_event_a e ON e.id = "
               "k.event_id AND e.guid = k.guid"
               " JOIN rocpd_event_a f ON f.stack_id = e.stack_id AND f.guid = e.guid"
               " JOIN rocpd_region_a r ON r.event_id = f.id AND r.guid = f.guid",
               &n));
    for (uint32_t e = 0; e < t.calls->nedges; e++)
        launches += t.calls->edge_kind[e] == EDGE_LAUNCHES &&
                    t.calls->kind[t.calls->edge_to[e]] == NODE_KERNEL;
    if (launches != n)
        fail_msg("%s: %zu launches, SQL says %zu", name, launches, n);
    trace_free(&t);
}

/* --- files --- */

static void same(const char *name, const char *first, const char *after)
{
    struct rocpd_file f;
    fill(&f, name, first, after);
    is_what_sql_says(name, f.path);
    rocpd_file_remove(&f);
}

TEST(plain)
{
    same("plain", NULL, NULL);
    same("pages-of-512", "PRAGMA page_size = 512", NULL);
    same("pages-of-64k", "PRAGMA page_size = 65536", NULL);
    same("reserved", NULL, "DELETE FROM [rocpd_kernel_dispatch@] WHERE id % 3 = 0; VACUUM");
}

TEST(not_so_plain)
{
    same("utf16", "PRAGMA encoding = 'UTF-16'", NULL);
    same("short rows", NULL,
         "ALTER TABLE [rocpd_kernel_dispatch@] ADD COLUMN track_id INTEGER;"
         "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, start, [end], track_id) VALUES(9000,"
         " 900000, 900100, NULL)");
    same("long rows", "PRAGMA page_size = 512",
         "UPDATE [rocpd_kernel_dispatch@] SET guid = 'g1' || replace(hex(zeroblob(2000)), '0', 'x')"
         " WHERE id = 700");
    same("other types", NULL,
         "UPDATE [rocpd_kernel_dispatch@] SET start = start + 0.0 WHERE id = 5;"
         "UPDATE [rocpd_kernel_dispatch@] SET event_id = 7.5 WHERE id = 7;"
         "UPDATE [rocpd_kernel_dispatch@] SET event_id = NULL WHERE id = 8;"
         "UPDATE [rocpd_event@] SET stack_id = NULL WHERE id = 33");
    same("many headers", NULL,
         "UPDATE [rocpd_kernel_dispatch@] SET grid_size_x = (1 << id % 31) - 1, grid_size_y ="
         " 1 << 3 * (id % 7), dispatch_id = id << id % 53, queue_id = id % 3, stream_id = CASE"
         " id % 4 WHEN 0 THEN NULL ELSE id % 4 * 100 - 200 END, start = start + (id << id % 40),"
         " [end] = [end] + (id << id % 40)");
    same("negative ids", NULL, "UPDATE [rocpd_kernel_dispatch@] SET id = -id WHERE id % 2 = 1");
}

/* Events that are far apart, of several runs, or missing. */
TEST(events)
{
    same("far", NULL, "UPDATE [rocpd_event@] SET id = id + 4611686018427387904 WHERE id = 3000");
    same("runs", NULL, "UPDATE [rocpd_event@] SET guid = 'g2' WHERE id % 5 = 0");
    same("gone", NULL, "DELETE FROM [rocpd_event@] WHERE id % 5 = 0");
    same("none", NULL, "DELETE FROM [rocpd_event@]");
}
