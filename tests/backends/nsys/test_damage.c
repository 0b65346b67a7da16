/* Files that are damaged, in use, or of another program. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/edges.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/test.h"

static const struct reader_ops *reader(const char *path)
{
    struct error err = ERROR_INIT;
    return trace_reader(path, &err);
}

static const char *only(const char *sql)
{
    const char *path = nsys_path("only.sqlite");
    remove(path);
    nsys_sql(path, sql);
    return path;
}

TEST_WITH(other_databases_are_not_taken_for_ours, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    /* files of nvprof, rocprofv3, and of unknown programs */
    assert_null(reader(only("CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);"
                            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT);")));
    assert_null(reader(only("CREATE TABLE rocpd_string_0 (id INTEGER, string TEXT)")));
    assert_null(reader(only("CREATE TABLE StringIds (id INTEGER, value TEXT)")));
    assert_null(trace_reader(only("CREATE TABLE t (a)"), &err));
    assert_non_null(strstr(err.help, "Nsight Systems"));
    assert_string_equal(reader(only("CREATE TABLE StringIds (id INTEGER, value TEXT);"
                                    "CREATE TABLE OSRT_API (start INT)"))
                            ->name,
                        "nsys");
}

/* A view may compute for ever, and the profiler writes none. */
TEST_WITH(views_are_not_read, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *path =
        only("CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE TABLE OSRT_API (start, end);"
             "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION"
             " ALL SELECT start + 1 FROM n) SELECT start, start AS end FROM n");
    assert_int_equal(trace_open(&t, &path, 1, &err), 0);
    assert_int_equal(t.spans, 0);
    trace_free(&t);
}

/* The schema says "table", but the statement makes a view or a virtual table. */
TEST_WITH(a_schema_that_lies_is_refused, nsys_set_up, nsys_tear_down)
{
    static const char *const lies[] = {
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL"
        " SELECT start + 1 FROM n) SELECT start, start AS end FROM n",
        "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts4(start, end)"};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct error err = ERROR_INIT;
        struct trace t = {0};
        char sql[512];
        const char *path =
            only("CREATE TABLE StringIds (id INTEGER, value TEXT); CREATE TABLE NVTX_EVENTS (a);"
                 "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);");
        snprintf(sql, sizeof sql,
                 "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql='%s' WHERE"
                 " name='CUPTI_ACTIVITY_KIND_KERNEL'",
                 lies[i]);
        nsys_sql(path, sql);
        assert_int_not_equal(trace_open(&t, &path, 1, &err), 0);
        trace_free(&t);
    }
}

TEST_WITH(an_export_without_spans_says_so, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    const char *path = only("CREATE TABLE StringIds (id INTEGER, value TEXT);"
                            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (a);");
    assert_true(trace_open(&t, &path, 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.what, "only.sqlite"));
    assert_non_null(strstr(err.help, "--trace=cuda,nvtx"));
    trace_free(&t);
}

/* --- values --- */

TEST_WITH(times_that_are_none_are_dropped, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = only(
        NSYS_STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, shortName);"
                     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
                     " (5, 9, 16777216, 2), (9, 5, 16777216, 2), (NULL, 9, 16777216, 2),"
                     " (5, NULL, 16777216, 2), ('5', '9', 16777216, 2), (5.5, 9, 16777216, 2),"
                     " (-5, 9, 16777216, 2), (0, 0, 16777216, 2), (x'05', 9, 16777216, 2),"
                     " (5, 5, 16777216, 2), (0, 9223372036854775807, 16777216, 2);");
    nsys_read(&t, path);
    assert_int_equal(t.spans, 3);
    assert_int_equal(t.dropped, 8);
    trace_free(&t);
}

TEST_WITH(values_of_other_types_are_unknown, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("types.sqlite");
    nsys_sql(path, NSYS_NEW,
             "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 'many', registersPerThread = -1,"
             " staticSharedMemory = 4294967295, dynamicSharedMemory = 4294967294, deviceId = 1.5,"
             " correlationId = 4294967296, blockX = NULL OR 99999999999;"
             "UPDATE TARGET_INFO_GPU SET smCount = -1, clockRate = 'fast', computeMajor = NULL,"
             " id = 'first';"
             "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = -1, copyKind = 77, srcKind = 77;"
             "UPDATE StringIds SET value = x'00' WHERE id = 8;"
             "UPDATE PROCESSES SET name = 5;"
             "UPDATE ENUM_CUDA_MEM_KIND SET label = NULL;"
             "UPDATE NVTX_EVENTS SET domainId = 'NCCL';");
    nsys_read(&t, path);
    const struct graph *g = t.calls;
    assert_int_equal(t.spans, 16);
    assert_int_equal(edges_of(g, EDGE_LAUNCHES), 2); /* edges to the copy and to the graph */
    const struct trace_dispatch dispatch = trace_dispatch_at(&t, 0), *k = &dispatch;
    const struct graph_detail *d = &g->details[g->detail[k->node]];
    assert_int_equal(d->kernel.grid[0], 0);
    assert_int_equal(d->kernel.block[0], 1);
    assert_int_equal(d->kernel.shared_bytes, UINT32_MAX - 1);
    assert_int_equal(k->vgprs, TRACE_UNKNOWN);
    assert_int_equal(k->agent, TRACE_UNKNOWN);
    uint32_t copy = nsys_node(&t, "memcpy");
    assert_true(g->details[g->detail[copy]].transfer.bytes == GRAPH_UNKNOWN);
    nsys_node(&t, "unnamed range");
    nsys_node(&t, "AllReduce");
    trace_free(&t);
}

TEST_WITH(names_are_cut_where_no_name_is_so_long, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    const char *path = nsys_path("long.sqlite");
    nsys_sql(path, NSYS_NEW,
             "UPDATE StringIds SET value = replace(hex(zeroblob(50000)), '00', 'x') WHERE id = 1;");
    nsys_read(&t, path);
    size_t length = strlen(graph_name(t.calls, trace_dispatch_at(&t, 0).node));
    assert_true(length > 10000 && length < 20000);
    trace_free(&t);
}

/* --- files --- */

static char *contents(const char *path, size_t *size)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    char *bytes = malloc((size_t)st.st_size);
    *size = fread(bytes, 1, (size_t)st.st_size, f);
    fclose(f);
    return bytes;
}

static void put(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void same(const char *path, const char *bytes, size_t size)
{
    size_t now;
    char *after = contents(path, &now);
    assert_int_equal(now, size);
    assert_memory_equal(after, bytes, size);
    free(after);
}

/* Rows that are only in the write-ahead log are read; neither file is changed. */
TEST_WITH(rows_in_a_wal_are_read, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    size_t size, log_size;
    sqlite3 *writer;
    char log[160], path[128];
    snprintf(path, sizeof path, "%s", nsys_path("wal.sqlite"));
    snprintf(log, sizeof log, "%s-wal", path);
    nsys_sql(path, NSYS_NEW);
    assert_int_equal(sqlite3_open(path, &writer), SQLITE_OK);
    assert_int_equal(sqlite3_exec(writer,
                                  "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;"
                                  "DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    char *bytes = contents(path, &size), *log_bytes = contents(log, &log_size);
    const char *file = path;
    assert_int_equal(trace_open(&t, &file, 1, &err), 0);
    assert_int_equal(t.spans, 15);
    trace_free(&t);
    same(path, bytes, size);
    same(log, log_bytes, log_size);
    free(bytes);
    free(log_bytes);
    sqlite3_close(writer);
}

/* A file that was copied together with its log, but without the log's index, from a host where the
 * writer still runs or crashed: it is read whole, and no file is created beside it. */
TEST_WITH(a_log_alone_is_read_and_left_alone, nsys_set_up, nsys_tear_down)
{
    size_t size;
    sqlite3 *writer;
    struct trace t;
    char name[2][128];
    for (int i = 0; i < 2; i++)
        snprintf(name[i], sizeof name[i], "%s", nsys_path(i ? "wal.sqlite-wal" : "wal.sqlite"));
    nsys_sql(name[0], NSYS_NEW);
    assert_int_equal(sqlite3_open(name[0], &writer), SQLITE_OK);
    sqlite3_exec(writer, "PRAGMA journal_mode=WAL; DELETE FROM OSRT_API;", NULL, NULL, NULL);
    char *bytes = contents(name[0], &size);
    put(nsys_path("copy.sqlite"), bytes, size);
    free(bytes);
    bytes = contents(name[1], &size);
    put(nsys_path("copy.sqlite-wal"), bytes, size);
    free(bytes);
    sqlite3_close(writer);
    nsys_read(&t, nsys_path("copy.sqlite"));
    assert_int_equal(t.spans, 15);
    trace_free(&t);
}

/* A file in WAL mode that was closed properly has no log; no file is created beside it. */
TEST_WITH(a_file_in_wal_mode_is_left_alone, nsys_set_up, nsys_tear_down)
{
    struct trace t;
    sqlite3 *writer;
    const char *path = nsys_path("wal.sqlite");
    nsys_sql(path, NSYS_NEW);
    assert_int_equal(sqlite3_open(path, &writer), SQLITE_OK);
    sqlite3_exec(writer, "PRAGMA journal_mode=WAL; DELETE FROM OSRT_API;", NULL, NULL, NULL);
    sqlite3_close(writer);
    assert_int_equal(access(nsys_path("wal.sqlite-wal"), F_OK), -1);
    path = nsys_path("wal.sqlite");
    nsys_read(&t, path);
    assert_int_equal(t.spans, 15);
    trace_free(&t);
    if (geteuid() == 0) { /* root ignores permissions, so the test changes to another user */
        assert_int_equal(chown(nsys_path(""), 65534, 65534), 0);
        assert_int_equal(chown(nsys_path("wal.sqlite"), 65534, 65534), 0);
        assert_int_equal(seteuid(65534), 0);
    }
    path = nsys_path("wal.sqlite");
    assert_int_equal(chmod(path, 0400), 0);
    assert_int_equal(chmod(nsys_path(""), 0500), 0);
    assert_int_equal(open(nsys_path("new"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600), -1);
    path = nsys_path("wal.sqlite");
    nsys_read(&t, path);
    assert_int_equal(t.spans, 15);
    trace_free(&t);
    assert_int_equal(chmod(nsys_path(""), 0700), 0);
    if (getuid() == 0)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(access(nsys_path("wal.sqlite-wal"), F_OK), -1);
    assert_int_equal(access(nsys_path("wal.sqlite-shm"), F_OK), -1);
}

TEST_WITH(names_of_files_may_hold_anything, nsys_set_up, nsys_tear_down)
{
    static const char *const names[] = {"a?b#c%41.sqlite", "file:x?mode=memory",
                                        "a b;c&d=1.sqlite"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct trace t;
        const char *path = nsys_path(names[i]);
        nsys_sql(path, NSYS_NEW);
        nsys_read(&t, path);
        assert_int_equal(t.spans, 16);
        trace_free(&t);
    }
}

/* A file cut off anywhere gives an error that says where, or fewer rows; it never crashes, and
 * nothing is written. */
TEST_WITH(truncated_files_say_where, nsys_set_up, nsys_tear_down)
{
    size_t size, failures = 0;
    const char *path = nsys_path("cut.sqlite");
    nsys_sql(path, NSYS_NEW);
    char *bytes = contents(path, &size);
    for (size_t keep = 0; keep < size; keep += 1 + size / 97) {
        struct error err = ERROR_INIT;
        struct trace t = {0};
        put(path, bytes, keep);
        unsigned long long before = nsys_digest();
        if (trace_open(&t, &path, 1, &err) != 0) {
            failures++;
            assert_non_null(strstr(err.what, "cut.sqlite"));
            assert_true(strlen(err.why) > 0);
        }
        assert_true(nsys_digest() == before);
        trace_free(&t);
    }
    free(bytes);
    assert_true(failures > 50);
}

TEST_WITH(a_damaged_page_is_told_by_table_and_row, nsys_set_up, nsys_tear_down)
{
    struct error err = ERROR_INIT;
    struct trace t = {0};
    size_t size;
    const char *path = nsys_path("page.sqlite");
    nsys_sql(path, NSYS_NEW,
             "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
             " INSERT INTO StringIds SELECT i, 'a string of some length ' || i FROM n;");
    char *bytes = contents(path, &size);
    memset(bytes + size - 3 * 4096, 0xee, 4096);
    put(path, bytes, size);
    free(bytes);
    assert_true(trace_open(&t, &path, 1, &err) < 0);
    assert_non_null(strstr(err.what, "page.sqlite: table StringIds, row "));
    assert_non_null(strstr(err.help, "nsys export"));
    trace_free(&t);
}
