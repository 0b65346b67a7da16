/* rocpd databases that are being written, damaged or hostile. Reading never changes them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

static char *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    char *bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void copy_file(const char *from, const char *to)
{
    size_t n;
    char *bytes = read_all(from, &n);
    write_all(to, bytes, n);
    free(bytes);
}

/* Whether there is a file with the path and this ending. */
static bool beside(const char *path, const char *ending)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return access(name, F_OK) == 0;
}

static void a_file(struct rocpd_file *f, const char *name, const char *before)
{
    rocpd_file_open(f, name);
    if (before)
        rocpd_file_sql(f, before);
    rocpd_file_tables(f, "_a", "g1");
    rocpd_file_names(f);
    rocpd_file_sql(f, "INSERT INTO [rocpd_event@](id, stack_id) VALUES (1, 7), (2, 7);"
                      "INSERT INTO [rocpd_region@](start, [end], name_id, event_id) VALUES"
                      " (1, 5, 1, 1);"
                      "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, start, [end], event_id)"
                      " VALUES (1, 10, 20, 2), (2, 20, 30, NULL);"
                      "INSERT INTO [rocpd_info_pmc@](id, name) VALUES (1, 'SQ_WAVES');"
                      "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) VALUES (2, 1, 1)");
}

TEST(files_stay_as_they_are)
{
    struct rocpd_file f;
    struct trace t;
    struct stat before, after;
    size_t n, m;
    a_file(&f, "bytes", NULL);
    rocpd_file_close(&f);
    char *first = read_all(f.path, &n);
    stat(f.path, &before);
    chmod(f.path, 0444);
    look_open(&t, f.path);
    assert_int_equal(t.spans, 3);
    trace_free(&t);
    char *second = read_all(f.path, &m);
    stat(f.path, &after);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_false(beside(f.path, "-wal") || beside(f.path, "-shm") || beside(f.path, "-journal"));
    free(first);
    free(second);
    rocpd_file_remove(&f);
}

/* Rows that are only in the write-ahead log are read: while the database is written, and from a
 * copy. */
TEST(a_log_is_read)
{
    struct rocpd_file f, copy;
    struct trace t;
    char from[160], to[160];
    size_t n, m;
    a_file(&f, "wal", "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
    assert_true(beside(f.path, "-wal"));
    char *first = read_all(f.path, &n);
    look_open(&t, f.path);
    assert_int_equal(t.spans, 3);
    trace_free(&t);
    char *second = read_all(f.path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);

    rocpd_file_open(&copy, "wal-copy");
    rocpd_file_close(&copy);
    copy_file(f.path, copy.path);
    snprintf(from, sizeof from, "%s-wal", f.path);
    snprintf(to, sizeof to, "%s-wal", copy.path);
    copy_file(from, to);
    look_open(&t, copy.path);
    assert_int_equal(t.spans, 3);
    trace_free(&t);
    assert_false(beside(copy.path, "-shm"));
    free(second);
    second = read_all(copy.path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    free(first);
    free(second);
    first = read_all(from, &n);
    second = read_all(to, &m);
    assert_int_equal(n, m);
    assert_memory_equal(first, second, n);
    free(first);
    free(second);
    rocpd_file_remove(&copy);
    rocpd_file_remove(&f);
}

TEST(cut_files_are_refused)
{
    struct rocpd_file f, cut;
    size_t n;
    a_file(&f, "whole", NULL);
    rocpd_file_close(&f);
    char *bytes = read_all(f.path, &n);
    rocpd_file_open(&cut, "cut");
    rocpd_file_close(&cut);
    for (size_t keep = 4096; keep < n; keep += 4096) {
        write_all(cut.path, bytes, keep);
        /* the rest still shows what it was */
        if (memmem(bytes, keep, "rocpd_", 6))
            look_refused(cut.path, cut.path, "malformed", "profile again", NULL);
        else
            look_refused(cut.path, cut.path, "none of the formats", NULL);
        write_all(cut.path, bytes, keep - 100);
        look_refused(cut.path, cut.path, NULL);
    }
    for (size_t keep = 0; keep < 200; keep += 7) {
        write_all(cut.path, bytes, keep);
        look_refused(cut.path, cut.path, NULL);
    }
    free(bytes);
    rocpd_file_remove(&cut);
    rocpd_file_remove(&f);
}

/* Bytes changed at random: the file is refused or read; it never crashes. */
TEST(damaged_files)
{
    struct rocpd_file f, bad;
    size_t n;
    uint32_t random = 1;
    unsigned refused = 0, accepted = 0;
    a_file(&f, "good", NULL);
    rocpd_file_close(&f);
    char *bytes = read_all(f.path, &n), *copy = malloc(n);
    assert_non_null(copy);
    rocpd_file_open(&bad, "bad");
    rocpd_file_close(&bad);
    for (int i = 0; i < 300; i++) {
        struct trace t = {0};
        const char *path = bad.path;
        memcpy(copy, bytes, n);
        for (int k = 0; k < 1 + i % 40; k++) {
            random = random * 1664525 + 1013904223;
            copy[100 + (random >> 4) % (n - 100)] = (char)(random >> 24);
        }
        write_all(bad.path, copy, n);
        if (trace_open(&t, &path, 1, NULL) == 0)
            accepted++;
        else
            refused++;
        trace_free(&t);
    }
    assert_true(refused > 0 && accepted > 0);
    free(bytes);
    free(copy);
    rocpd_file_remove(&bad);
    rocpd_file_remove(&f);
}

TEST(foreign_types)
{
    struct rocpd_file f;
    struct trace t;
    rocpd_file_open(&f, "types");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(
        &f,
        "UPDATE [rocpd_info_agent@] SET extdata = x'00ff', type = 3 WHERE id = 4;"
        "UPDATE [rocpd_info_process@] SET command = x'00';"
        "INSERT INTO [rocpd_info_agent@](id, type, extdata) VALUES (5, 'GPU', '[[[[{'),"
        " (6, 'GPU', '{\"cu_count\": \"many\", \"mem_banks\": 7, \"local_mem_size\": 1e300}');"
        "INSERT INTO [rocpd_kernel_dispatch@](dispatch_id, agent_id, kernel_id, queue_id, start,"
        " [end], grid_size_x, workgroup_size_x, event_id, group_segment_size) VALUES"
        " ('x', 'y', x'01', 2.5, 10, 20, -1, 'z', 1e300, -7),"
        " (1e300, 5, 1, NULL, 20, 30, 99999999999, 1, NULL, 99999999999);"
        "INSERT INTO [rocpd_kernel_dispatch@](guid, start, [end]) VALUES (x'00', 1, 2), (7, 1, 2),"
        " ('', 1, 2);"
        "INSERT INTO [rocpd_info_pmc@](id, name) VALUES (1, x'41'), (2, NULL), (3, 'SQ_WAVES');"
        "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) VALUES ('a', 'b', 'c'),"
        " (NULL, NULL, NULL), (1, 3, x'00');"
        "INSERT INTO [rocpd_string@](id, string) VALUES (50, 50), (51, x'5000'), (52, '');"
        "INSERT INTO [rocpd_region@](start, [end], name_id, tid) VALUES (1, 2, 50, 'main'),"
        " (3, 4, 51, 1), (5, 6, 52, NULL)");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(t.ncounters, 0);
    assert_int_equal(look_count(&t, NODE_KERNEL), 5);
    assert_int_equal(look_count(&t, NODE_FUNCTION), 3);
    look_for(&t, NODE_FUNCTION, "50", 0); /* a TEXT column converts numbers to texts */
    look_for(&t, NODE_FUNCTION, "unknown", 0);
    look_for(&t, NODE_THREAD, "unknown thread", 0);
    look_for(&t, NODE_PROGRAM, "pid 10", 0);
    uint32_t large = look_for(&t, NODE_KERNEL, "axpy(float*)", 0);
    assert_int_equal(look_detail(&t, large)->kernel.grid[0], 0);
    assert_int_equal(look_dispatch(&t, large)->lds_bytes, 256);
    trace_free(&t);
    rocpd_file_remove(&f);
}

TEST(deep_calls_have_a_bound)
{
    struct rocpd_file f;
    struct trace t;
    unsigned deepest = 0;
    rocpd_file_open(&f, "deep");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
                       " 5000) INSERT INTO [rocpd_region@](start, [end], name_id) SELECT i,"
                       " 20000 - i, 1 FROM n");
    rocpd_file_close(&f);
    look_open(&t, f.path);
    assert_int_equal(look_count(&t, NODE_FUNCTION), 5000);
    for (uint32_t i = 0; i < t.calls->nnodes; i++) {
        unsigned depth = 0;
        for (uint32_t p = i; p != GRAPH_NONE; p = t.calls->parent[p])
            depth++;
        deepest = depth > deepest ? depth : deepest;
    }
    assert_in_range(deepest, 256, 1024);
    trace_free(&t);
    rocpd_file_remove(&f);
}

struct patience {
    unsigned looks, at_most;
    uint64_t last, total;
};

static bool watch(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    struct patience *p = ctx;
    assert_non_null(strstr(path, "patience"));
    if (total > 0) { /* otherwise reading was already done */
        assert_true(done >= p->last && done <= total);
        p->last = done;
        p->total = total;
    }
    return ++p->looks < p->at_most;
}

TEST(reading_can_be_given_up)
{
    struct rocpd_file f;
    rocpd_file_open(&f, "patience");
    rocpd_file_tables(&f, "_a", "g1");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
                       " 30000) INSERT INTO [rocpd_kernel_dispatch@](start, [end]) SELECT i, i + 1"
                       " FROM n");
    rocpd_file_close(&f);
    const char *path = f.path;
    struct patience p = {.at_most = UINT32_MAX};
    struct trace t = {.watch = watch, .watch_ctx = &p};
    assert_int_equal(trace_open(&t, &path, 1, NULL), 0);
    assert_int_equal(t.spans, 30000);
    assert_true(p.looks >= 5);
    assert_int_equal(p.total, 30000);
    trace_free(&t);
    for (unsigned at_most = 1; at_most < p.looks; at_most += 1 + p.looks / 8) {
        struct patience less = {.at_most = at_most};
        struct error err = ERROR_INIT;
        t = (struct trace){.watch = watch, .watch_ctx = &less};
        assert_int_equal(trace_open(&t, &path, 1, &err), -ECANCELED);
        assert_int_equal(less.looks, at_most);
        assert_non_null(strstr(err.why, "given up"));
        trace_free(&t);
    }
    rocpd_file_remove(&f);
}
