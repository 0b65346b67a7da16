/* Conclusions about an export whose device is busy, whatever threads of the host do at the same
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernels/kernels.h"
#include "engine/path/path_shares.h"
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/test.h"

enum { KERNELS = 400, TEXT = 400 << 10 };
#define WAITS_THREAD "281491753927700"

struct found {
    struct trace t;
    struct critical_path p;
    struct path_shares s;
    struct kernels k;
};

static void find(struct found *f, const char *tables, const char *rows)
{
    const char *path = nsys_path("busy.sqlite");
    remove(path);
    nsys_sql(path, NSYS_STRINGS, tables, rows);
    nsys_read(&f->t, path);
    assert_int_equal(critical_path_find(f->t.calls, &f->p, NULL), 0);
    path_shares_find(&f->t, &f->p, &f->s);
    kernels_make(&f->k, &f->t, &f->p, NULL);
}

static void drop(struct found *f)
{
    kernels_free(&f->k);
    path_shares_free(&f->s);
    critical_path_free(&f->p);
    trace_free(&f->t);
}

static const char tables[] =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    " demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER,"
    " gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
    " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER,"
    " gridId INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"
    " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
    "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
    " correlationId INTEGER, nameId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
    " globalTid INTEGER);";

/* Writes a launch of 5 us every 100 us, and a kernel of `length` that begins `later` after it. */
static char *launches(char *at, uint32_t length, uint32_t later, bool correlated)
{
    for (uint32_t i = 1; i <= KERNELS; i++)
        at += sprintf(at,
                      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%u, %u, 0, " NSYS_T1
                      ", %u, 4, 0);"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%u, %u, 0, 1, 7, %u, " NSYS_P1
                      ", 1, 2, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, %u);",
                      i * 100000, i * 100000 + 5000, i, i * 100000 + later,
                      i * 100000 + later + length, correlated ? i : 9999, i);
    return at;
}

/* The device works 99 % of the time: a range over everything and a polling thread do not change
 * the conclusion, with or without correlation ids. */
TEST(a_busy_device_is_what_counts)
{
    char *rows = test_malloc(TEXT);
    for (int correlated = 0; correlated < 2; correlated++)
        for (int beside = 0; beside < 3; beside++) {
            struct found f;
            char *at = launches(rows, 99000, 10000, correlated);
            if (beside == 1)
                sprintf(at, "INSERT INTO NVTX_EVENTS VALUES (90000, 40300000, 59, 'all', " NSYS_T1
                            ");");
            if (beside == 2)
                sprintf(at, "INSERT INTO OSRT_API VALUES (1000, 20000000, 27, " WAITS_THREAD
                            ", 0, 7), (20100000, 40300000, 27, " WAITS_THREAD ", 0, 7);");
            find(&f, tables, rows);
            double path = (double)f.p.length;
            assert_true((double)f.s.all.ns[PATH_COMPUTE] > 0.95 * path);
            /* where launches come as fast as kernels end, neither side alone saves anything */
            assert_int_equal(f.k.total.label.label, correlated ? LABEL_MIXED : LABEL_DEVICE);
            assert_int_equal(f.k.total.label.also, 0);
            drop(&f);
        }
    test_free(rows);
}

/* Kernels take a tenth of the time: the host is late, although the file does not say what it
 * did. */
TEST(a_late_host_is_told)
{
    struct found f;
    char *rows = test_malloc(TEXT);
    launches(rows, 10000, 10000, true);
    find(&f, tables, rows);
    double path = (double)f.p.length;
    assert_true((double)f.s.all.ns[PATH_UNKNOWN] > 0.9 * path);
    assert_int_equal(f.k.total.label.label, LABEL_HOST);
    for (uint32_t i = 0; i < f.s.nnames; i++)
        if (f.s.names[i].part == PATH_UNKNOWN)
            assert_string_equal(graph_text(f.t.calls, f.s.names[i].name), "thread 1001");
    drop(&f);
    test_free(rows);
}

/* The device works half of the time, and the host's calls leave no gap: they are the critical
 * path. */
TEST(recorded_calls_of_the_host_count_in_full)
{
    struct found f;
    char *rows = test_malloc(TEXT), *at = rows;
    for (uint32_t i = 1; i <= KERNELS; i++)
        at += sprintf(
            at,
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%u, %u, 0, " NSYS_T1 ", %u, 4, 0);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%u, %u, 0, 1, 7, %u, " NSYS_P1
            ", 1, 2, 32, 4096, 1, 1, 256, 1, 1, 0, 0, 0, %u);",
            i * 100000, i * 100000 + 100000, i, i * 100000 + 5000, i * 100000 + 55000, i, i);
    find(&f, tables, rows);
    assert_true(f.s.all.ns[PATH_HOST] > 39000000);
    assert_int_equal(f.k.total.label.label, LABEL_HOST);
    drop(&f);
    test_free(rows);
}

TEST_MAIN(nsys_set_up, nsys_tear_down)
