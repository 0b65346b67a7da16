/*
 * make_profile rocpd|rocpd-calls DISPATCHES FILE, make_profile kineto MEGABYTES FILE: makes
 * profiles for measurements, always the same ones. rocpd: what --kernel-trace writes; rocpd-calls:
 * also the host calls that launched. 50 kernels in two shapes each, on 4 queues of one GPU, each
 * with 2 streams.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/rocpd_sql.h"

enum { KERNELS = 50, QUEUES = 4, STREAMS = 2, SYNC_EVERY = 1000, SHAPES = 2 };

static uint64_t state = 1;

/* Knuth's MMIX generator. */
static uint32_t next(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % limit;
}

static void must(sqlite3 *db, int code)
{
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
        return;
    fprintf(stderr, "make_profile: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run(sqlite3 *db, const char *template)
{
    static const char guid[] = "0000b1a5-0000-7000-8000-000000000001";
    char *with_suffix = rocpd_sql_put(template, '@', "_0000b1a5", '"');
    char *sql = rocpd_sql_put(with_suffix, '%', guid, '\'');
    must(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
    free(with_suffix);
    free(sql);
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    must(db, sqlite3_prepare_v2(db, sql, -1, &s, NULL));
    return s;
}

static void insert(sqlite3 *db, sqlite3_stmt *s, const int64_t *values, int n)
{
    for (int i = 0; i < n; i++)
        sqlite3_bind_int64(s, i + 1, values[i]);
    must(db, sqlite3_step(s));
    sqlite3_reset(s);
}

struct rows {
    sqlite3 *db;
    sqlite3_stmt *event, *region, *dispatch;
    int64_t events;
};

static int64_t add_event(struct rows *r, int64_t stack)
{
    r->events++;
    insert(r->db, r->event, (int64_t[]){r->events, stack}, 2);
    return r->events;
}

static void fill(struct rows *r, int64_t n, bool calls)
{
    int64_t host = 1000000000, busy[QUEUES] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t queue = i % QUEUES, stack = calls ? i + 1 : 0, call = host;
        host += 2000 + next(3000);
        if (calls)
            insert(r->db, r->region, (int64_t[]){call, host - 500, 1, add_event(r, stack)}, 4);
        int64_t start = host + 1000 > busy[queue] ? host + 1000 : busy[queue] + 200;
        int64_t end = busy[queue] = start + 3000 + next(20000);
        int64_t kernel = 1 + next(KERNELS), groups = 1 + kernel % 16 + 8 * next(SHAPES);
        insert(r->db, r->dispatch,
               (int64_t[]){kernel, i + 1, queue + 1, queue * STREAMS + next(STREAMS) + 1, start,
                           end, 64 * groups, add_event(r, stack)},
               8);
        if (i % SYNC_EVERY == SYNC_EVERY - 1) {
            call = host;
            for (int q = 0; q < QUEUES; q++)
                host = busy[q] > host ? busy[q] : host;
            host += 1500;
            if (calls)
                insert(r->db, r->region, (int64_t[]){call, host, 2, add_event(r, stack + n)}, 4);
        }
    }
}

static int make_rocpd(int64_t n, bool calls, const char *path)
{
    struct rows r = {0};
    char sql[256];
    unlink(path);
    must(NULL, sqlite3_open(path, &r.db));
    run(r.db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
    run(r.db, rocpd_sql_schema);
    run(r.db, rocpd_sql_names);
    run(r.db, "DELETE FROM \"rocpd_info_kernel_symbol@\"; DELETE FROM \"rocpd_string@\";"
              "INSERT INTO \"rocpd_string@\"(id, string) VALUES(1, 'hipLaunchKernel'),"
              " (2, 'hipDeviceSynchronize')");
    for (int k = 1; k <= KERNELS; k++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_info_kernel_symbol@\"(id, display_name, group_segment_size,"
                 " private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count)"
                 " VALUES(%d, 'void layer_%d<float, %d>(float*, int)', %d, 0, 32, %d, 0)",
                 k, k, 64 * (k % 4 + 1), k % 3 * 4096, 16 + k % 8 * 8);
        run(r.db, sql);
    }
    r.event = prepare(r.db, "INSERT INTO rocpd_event_0000b1a5(id, category_id, stack_id,"
                            " parent_stack_id, correlation_id) VALUES(?1, 1, ?2, 0, 0)");
    r.region = prepare(r.db, "INSERT INTO rocpd_region_0000b1a5(start, \"end\", name_id, event_id)"
                             " VALUES(?1, ?2, ?3, ?4)");
    r.dispatch = prepare(
        r.db, "INSERT INTO rocpd_kernel_dispatch_0000b1a5(kernel_id, dispatch_id, queue_id,"
              " stream_id, start, \"end\", grid_size_x, event_id) VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
              " 64 * ?7, ?8)");
    fill(&r, n, calls);
    sqlite3_finalize(r.event);
    sqlite3_finalize(r.region);
    sqlite3_finalize(r.dispatch);
    run(r.db, "COMMIT");
    must(r.db, sqlite3_close(r.db));
    return 0;
}

/* Writes an operator, the launching call in it, and the kernel that was launched. */
static void write_events(FILE *f, int64_t i, int64_t *host, int64_t *gpu)
{
    int64_t began = *host, launch = began + 4000 + next(4000), stream = 7 + i % 3;
    *host = launch + 6000 + next(2000);
    int64_t start = launch + 9000 > *gpu ? launch + 9000 : *gpu + 800, took = 2000 + next(15000);
    *gpu = start + took;
    fprintf(f,
            ",\n  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::op_%u\", \"pid\": "
            "4242, \"tid\": 4242,\n    \"ts\": %" PRId64 ".%03d, \"dur\": %" PRId64
            ".%03d,\n    \"args\": {\n      \"External id\": %" PRId64
            ", \"Record function id\": 0, \"Ev Idx\": %" PRId64 "\n    }\n  }",
            next(200), began / 1000, (int)(began % 1000), (*host - began) / 1000,
            (int)((*host - began) % 1000), i, i);
    fprintf(f,
            ",\n  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
            "\"cudaLaunchKernel\", \"pid\": 4242, \"tid\": 4242,\n    \"ts\": %" PRId64
            ".%03d, \"dur\": 4.250,\n    \"args\": {\n      \"External id\": %" PRId64
            ", \"cbid\": 211, \"correlation\": %" PRId64 "\n    }\n  }",
            launch / 1000, (int)(launch % 1000), i, i);
    fprintf(f,
            ",\n  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
            "at::native::elementwise_kernel<%u, 4, at::native::gpu_kernel_impl<float> >(int, "
            "float*)\", \"pid\": 0, \"tid\": %" PRId64 ",\n    \"ts\": %" PRId64
            ".%03d, \"dur\": %" PRId64 ".%03d,\n    \"args\": {\n      \"External id\": %" PRId64
            ",\n      \"queued\": 0, \"device\": 0, \"context\": 1,\n      \"stream\": %" PRId64
            ", \"correlation\": %" PRId64
            ",\n      \"registers per thread\": 32,\n      \"shared memory\": 0,\n      \"blocks "
            "per SM\": 9.481481,\n      \"warps per SM\": 37.925926,\n      \"grid\": [%u, 1, "
            "1],\n      \"block\": [128, 1, 1],\n      \"est. achieved occupancy %%\": 53\n    }\n "
            " }",
            next(50), stream, start / 1000, (int)(start % 1000), took / 1000, (int)(took % 1000), i,
            stream, i, 1 + next(64));
}

static int make_kineto(int64_t megabytes, const char *path)
{
    FILE *f = fopen(path, "w");
    int64_t host = 1000000, gpu = 0;
    if (!f)
        return 1;
    fprintf(f, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
               "\"NVIDIA A100\", \"numSms\": 108, \"computeMajor\": 8, \"computeMinor\": 0}\n  ],\n"
               "  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n  {\"ph\": \"M\", \"name\": "
               "\"process_name\", \"pid\": 4242, \"tid\": 0, \"args\": {\"name\": \"python\"}}");
    for (int64_t i = 1; ftell(f) < megabytes * 1000000; i++)
        write_events(f, i, &host, &gpu);
    fprintf(f, "\n  ]\n}\n");
    return fclose(f) != 0;
}

int main(int argc, char **argv)
{
    int64_t n = argc == 4 ? strtoll(argv[2], NULL, 10) : 0;
    if (n > 0 && strcmp(argv[1], "kineto") == 0)
        return make_kineto(n, argv[3]);
    if (n > 0 && strncmp(argv[1], "rocpd", 5) == 0)
        return make_rocpd(n, strcmp(argv[1], "rocpd-calls") == 0, argv[3]);
    fprintf(stderr, "make_profile rocpd|rocpd-calls DISPATCHES FILE | kineto MEGABYTES FILE\n");
    return 2;
}
