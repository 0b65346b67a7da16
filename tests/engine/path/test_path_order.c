/*
 * The order of rows in a file does not change the result: random runs of a host and its queues,
 * written in three formats with their rows in different orders. Everything about the path is
 * compared, except the numbers of nodes. (One thread: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/path/path_export.h"
#include "support/played.h"
#include "support/rocpd_file.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { RUNS = 60, ORDERS = 4, ROWS = 4 * PLAYED_CALLS, ROW = 512 };

struct rows {
    char text[ROWS][ROW];
    int n;
};

static uint32_t seed;
static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return n ? (uint32_t)(((uint64_t)(seed >> 8) * n) >> 24) : 0;
}

static void add(struct rows *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct rows *r, const char *fmt, ...)
{
    va_list ap;
    assert_true(r->n < ROWS);
    va_start(ap, fmt);
    vsnprintf(r->text[r->n++], ROW, fmt, ap);
    va_end(ap);
}

static void shuffle(struct rows *r)
{
    char text[ROW];
    for (int i = r->n - 1; i > 0; i--) {
        int k = (int)below((uint32_t)i + 1);
        memcpy(text, r->text[i], ROW);
        memcpy(r->text[i], r->text[k], ROW);
        memcpy(r->text[k], text, ROW);
    }
}

/* What the search that found the path found for each name is what a search of its own finds. */
static void check_best(const struct trace *t, const struct critical_path *p,
                       const struct path_shares *s, const struct what_if_best *best, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct what_if_change change = {.by = WHAT_IF_NAME, .node = GRAPH_NONE, .speed = 2};
        struct what_if alone;
        snprintf(change.text, sizeof change.text, "%s",
                 graph_text(t->calls, s->names[best[i].row].name));
        assert_int_equal(what_if_find(t->calls, p, &change, 1, &alone, NULL), 0);
        assert_int_equal(best[i].length, alone.after);
        what_if_free(&alone);
    }
}

/* The result as text, one line each, without numbers of nodes. */
static char *told(const char *const *paths, size_t n)
{
    struct trace t = {0};
    struct error err = ERROR_INIT;
    struct critical_path p;
    struct path_shares s;
    struct what_if_best best[WHAT_IF_BEST];
    uint32_t nbest = WHAT_IF_BEST;
    char *text = NULL;
    size_t size = 0;
    if (trace_open(&t, paths, n, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(what_if_path(&t, &p, &s, best, &nbest, NULL), 0);
    check_best(&t, &p, &s, best, nbest);
    FILE *f = open_memstream(&text, &size);
    path_export_text(f, &(struct path_document){
                            .trace = &t, .path = &p, .shares = &s, .best = best, .nbest = nbest});
    for (uint32_t i = 0; i < p.nsteps; i++)
        fprintf(f, "%llu %llu %s %d %d\n", (unsigned long long)p.steps[i].start,
                (unsigned long long)p.steps[i].length, graph_name(t.calls, p.steps[i].node),
                p.steps[i].latency, p.steps[i].inferred);
    fclose(f);
    path_shares_free(&s);
    critical_path_free(&p);
    trace_free(&t);
    return text;
}

static void same(const char *format, uint32_t run, char *a, char *b)
{
    for (const char *p = a, *q = b; *p || *q;) {
        size_t n = strcspn(p, "\n"), m = strcspn(q, "\n");
        if (n != m || memcmp(p, q, n) != 0)
            fail_msg("%s, run %u:\n  was  %.*s\n  now  %.*s", format, run, (int)n, p, (int)m, q);
        p += n + (p[n] != 0);
        q += m + (q[m] != 0);
    }
    free(b);
}

static const char *call_name(const struct played *r, uint32_t i)
{
    return r->sync[i] ? "hipDeviceSynchronize" : "hipLaunchKernel";
}

/* --- Kineto --- */

static void kineto_rows(const struct played *r, struct rows *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        add(out,
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":10,\"tid\":10,\"ts\":%"
            "llu,"
            "\"dur\":%llu,\"args\":{\"correlation\":%u}}",
            call_name(r, i), (unsigned long long)r->start[i],
            (unsigned long long)(r->end[i] - r->start[i]), i + 1);
        if (!r->sync[i])
            add(out,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%u\",\"pid\":0,\"tid\":%u,\"ts\":%"
                "llu,"
                "\"dur\":%llu,\"args\":{\"device\":0,\"stream\":%u,\"correlation\":%u}}",
                i % 3, r->queue[i], (unsigned long long)r->kernel_start[i],
                (unsigned long long)r->kernel[i], r->queue[i], i + 1);
    }
}

static char *kineto_told(const struct rows *rows)
{
    char path[64], *text = calloc(1, ROWS * ROW);
    const char *list[] = {path};
    strcpy(text, "[");
    for (int i = 0; i < rows->n; i++) {
        strcat(text, i ? ",\n" : "");
        strcat(text, rows->text[i]);
    }
    strcat(text, "]");
    trace_text_file(path, text, strlen(text), false);
    free(text);
    text = told(list, 1);
    unlink(path);
    return text;
}

TEST(rows_of_kineto)
{
    struct rows *rows = calloc(1, sizeof *rows);
    for (uint32_t run = 1; run <= RUNS; run++) {
        struct played r;
        played_make(&r, run);
        seed = run;
        kineto_rows(&r, rows);
        char *first = kineto_told(rows);
        for (int i = 0; i < ORDERS; i++) {
            shuffle(rows);
            same("Kineto", run, first, kineto_told(rows));
        }
        free(first);
    }
    free(rows);
}

/* --- CSV of rocprofv3 --- */

static char folder[64];

static void write_rows(const char *name, const char *head, const struct rows *rows, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", head);
    for (int i = 0; i < rows->n; i++)
        fprintf(f, "%s\n", rows->text[i]);
    fclose(f);
}

static char *csv_told(const struct rows *calls, const struct rows *kernels)
{
    char a[128], b[128];
    const char *list[] = {a, b};
    write_rows("10_hip_api_trace.csv",
               "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\","
               "\"Start_Timestamp\",\"End_Timestamp\"",
               calls, a);
    write_rows("10_kernel_trace.csv",
               "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\","
               "\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\","
               "\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\","
               "\"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\","
               "\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"",
               kernels, b);
    char *text = told(list, kernels->n ? 2 : 1);
    unlink(a);
    unlink(b);
    return text;
}

TEST(rows_of_csv)
{
    struct rows *calls = calloc(1, sizeof *calls), *kernels = calloc(1, sizeof *kernels);
    strcpy(folder, "/tmp/rooftop-order-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (uint32_t run = 1; run <= RUNS; run++) {
        struct played r;
        played_make(&r, run);
        seed = run;
        calls->n = kernels->n = 0;
        for (uint32_t i = 0; i < r.n; i++) {
            add(calls, "\"HIP_RUNTIME_API\",\"%s\",10,10,%u,%llu,%llu", call_name(&r, i), i + 1,
                (unsigned long long)r.start[i] + 1, (unsigned long long)r.end[i] + 1);
            if (!r.sync[i])
                add(kernels,
                    "\"KERNEL_DISPATCH\",\"Agent 4\",%u,0,10,%u,%u,\"k%u\",%u,%llu,%llu,0,0,8,0,16,"
                    "64,1,1,640,1,1",
                    r.queue[i] + 1, i + 1, i % 3, i % 3, i + 1,
                    (unsigned long long)r.kernel_start[i] + 1,
                    (unsigned long long)r.kernel_end[i] + 1);
        }
        char *first = csv_told(calls, kernels);
        for (int i = 0; i < ORDERS; i++) {
            shuffle(calls);
            shuffle(kernels);
            same("CSV", run, first, csv_told(calls, kernels));
        }
        free(first);
    }
    rmdir(folder);
    free(calls);
    free(kernels);
}

/* --- rocpd --- */

static char *rocpd_told(const struct rows *rows)
{
    struct rocpd_file f;
    rocpd_file_open(&f, "order.db");
    rocpd_file_tables(&f, "_o", "o");
    rocpd_file_names(&f);
    rocpd_file_sql(&f, "INSERT INTO rocpd_string@ (id, guid, string) VALUES (90, 'o', "
                       "'hipDeviceSynchronize')");
    for (int i = 0; i < rows->n; i++)
        rocpd_file_sql(&f, rows->text[i]);
    const char *list[] = {f.path};
    rocpd_file_close(&f);
    char *text = told(list, 1);
    rocpd_file_remove(&f);
    return text;
}

/* Rows keep their ids, as in a file whose writer flushed its buffers in another order. */
TEST(rows_of_rocpd)
{
    struct rows *rows = calloc(1, sizeof *rows);
    for (uint32_t run = 1; run <= RUNS / 4; run++) {
        struct played r;
        played_make(&r, run);
        seed = run;
        rows->n = 0;
        for (uint32_t i = 0; i < r.n; i++) {
            add(rows, "INSERT INTO rocpd_event@ (id, guid, stack_id) VALUES (%u, 'o', %u)", 100 + i,
                i + 1);
            add(rows,
                "INSERT INTO rocpd_region@ (id, guid, nid, pid, tid, start, end, name_id, "
                "event_id) "
                "VALUES (%u, 'o', 1, 10, 11, %llu, %llu, %d, %u)",
                i + 1, (unsigned long long)r.start[i] + 1, (unsigned long long)r.end[i] + 1,
                r.sync[i] ? 90 : 1, 100 + i);
            if (r.sync[i])
                continue;
            add(rows, "INSERT INTO rocpd_event@ (id, guid, stack_id) VALUES (%u, 'o', %u)", 200 + i,
                i + 1);
            add(rows,
                "INSERT INTO rocpd_kernel_dispatch@ (id, guid, nid, pid, tid, agent_id, kernel_id, "
                "dispatch_id, queue_id, stream_id, start, end, event_id) VALUES (%u, 'o', 1, 10, "
                "11, 4, %u, %u, %u, 1, %llu, %llu, %u)",
                i + 1, 1 + i % 2, i + 1, r.queue[i] + 1, (unsigned long long)r.kernel_start[i] + 1,
                (unsigned long long)r.kernel_end[i] + 1, 200 + i);
        }
        char *first = rocpd_told(rows);
        for (int i = 0; i < ORDERS; i++) {
            shuffle(rows);
            same("rocpd", run, first, rocpd_told(rows));
        }
        free(first);
    }
    free(rows);
}
