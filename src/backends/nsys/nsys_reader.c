/* Reads SQLite exports of Nsight Systems as traces. */
#include <errno.h>
#include <stdlib.h>

#include "backends/nsys/nsys_impl.h"

static const char help[] = "export it again: nsys export --type sqlite REPORT.nsys-rep";

/* The tables that hold spans; one of them is enough to read a file. */
static const char *const events[] = {"CUPTI_ACTIVITY_KIND_KERNEL",
                                     "CUPTI_ACTIVITY_KIND_MEMCPY",
                                     "CUPTI_ACTIVITY_KIND_MEMSET",
                                     "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                     "CUPTI_ACTIVITY_KIND_RUNTIME",
                                     "CUPTI_ACTIVITY_KIND_DRIVER",
                                     "NVTX_EVENTS",
                                     "OSRT_API",
                                     NULL};
/* nvprof's databases also have tables with such names, but none of these. */
static const char *const marks[] = {"StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA", NULL};
static const char *const places[] = {"TARGET_INFO_SYSTEM_ENV", "ANALYSIS_DETAILS", NULL};

static bool has_any_table(struct sqlite_file *f, const char *const *tables)
{
    while (*tables && !sqlite_file_has(f, *tables))
        tables++;
    return *tables;
}

static bool is_nsys(const char *path, const unsigned char *head, size_t size)
{
    struct sqlite_file f = {0};
    bool ours = sqlite_file_is(head, size) && sqlite_file_open(&f, path, NULL, NULL) == 0 &&
                has_any_table(&f, marks) &&
                (has_any_table(&f, events) || has_any_table(&f, places));
    sqlite_file_close(&f);
    return ours;
}

static void free_parts(struct nsys *n)
{
    struct ids *maps[] = {
        &n->strings_by_id,  &n->processes_by_id, &n->threads_by_id, &n->hosts,
        &n->gpu_of_device,  &n->contexts,        &n->several,       &n->devices_by_id,
        &n->contexts_by_id, &n->queues_by_id,    &n->calls};
    void *lists[] = {n->strings, n->processes, n->threads, n->gpus, n->devices, n->queues};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        ids_free(maps[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    trace_shorts_free(&n->shorts);
    arena_free(&n->memory);
    sqlite_file_close(&n->file);
}

/* If not all spans can be kept, reads all lengths first, so that the longest are kept. */
static int find_nsys_cut(struct nsys *n)
{
    static const char *const columns[] = {"start", "end"};
    struct trace_lengths lengths = {.n = 0};
    int rc = 0;
    if (n->t->expected <= trace_file_memory_left(n->t))
        return 0;
    n->file.total += n->t->expected;
    for (const char *const *table = events; rc == 0 && *table; table++) {
        struct sqlite_rows r;
        int64_t start, end;
        rc = sqlite_rows_open(&r, &n->file, *table, columns, 2);
        while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
            rc = 0;
            if (sqlite_rows_int(&r, 0, &start) && sqlite_rows_int(&r, 1, &end) && end >= start)
                trace_lengths_add(&lengths, (uint64_t)(end - start));
        }
        sqlite_rows_close(&r);
    }
    n->cut = trace_cut_for(n->t, &lengths);
    return rc;
}

static int read_nsys(const char *path, struct trace *t, struct error *err)
{
    struct nsys n = {.t = t,
                     .g = t->calls,
                     .shorts.t = t,
                     .file.help = help,
                     .last.node = GRAPH_NONE,
                     .first_host = GRAPH_NONE};
    int rc = sqlite_file_open(&n.file, path, t, err);
    if (rc == 0 && !has_any_table(&n.file, events))
        rc = error_set(err, ERROR_INPUT, ENODATA, "profile with nsys profile --trace=cuda,nvtx",
                       path, "no kernel, copy, CUDA call or NVTX range was recorded in it");
    for (const char *const *table = events; rc == 0 && *table; table++)
        t->expected += sqlite_file_rows(&n.file, *table);
    n.file.total = sqlite_file_rows(&n.file, "StringIds") + t->expected;
    if (rc == 0)
        rc = sqlite_file_progress(&n.file); /* reports the total before the work begins */
    if (rc == 0)
        rc = find_nsys_cut(&n);
    if (rc == 0)
        rc = nsys_read_names(&n);
    if (rc == 0)
        rc = nsys_read_clock(&n);
    if (rc == 0)
        rc = nsys_read_gpus(&n);
    if (rc == 0)
        rc = nsys_read_host(&n);
    if (rc == 0)
        rc = nsys_read_device(&n);
    if (rc == 0)
        trace_shorts_tell(&n.shorts, NULL, NULL);
    free_parts(&n);
    return rc;
}

const struct reader_ops reader_nsys = {
    .name = "nsys",
    .summary = "Nsight Systems exports (.sqlite)",
    .recognise = is_nsys,
    .read = read_nsys,
};
