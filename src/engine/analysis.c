#include "engine/analysis.h"

#include <stdlib.h>

#include "base/thread.h"
#include "base/watch.h"
#include "engine/roofline_gpu.h"
#include "engine/trace_bricks.h"

enum { BEST_NODES = 300000 /* more would make opening a file wait for it */, ALONE = 20000 };

static int add_roofline(struct analysis *a, struct error *err)
{
    struct roofs_csv csv;
    int rc = a->roofs ? roofs_csv_read(&csv, &a->memory, a->roofs, err) : 0;
    if (rc == 0)
        roofline_gpu_add(&a->bricks.roofline, &a->memory, &a->trace, a->roofs ? &csv : NULL);
    return rc;
}

/* What is found beside the critical path. */
struct beside {
    const struct trace *t;
    struct kernels_begun *kernels;
    bool started;
    pthread_t thread;
};

static void *begin_kernels(void *ctx)
{
    struct beside *b = ctx;
    b->kernels = kernels_begin(b->t);
    return NULL;
}

/* The path, and what the table of kernels needs beside it. */
static int find_path(struct analysis *a, const char *path, struct error *err)
{
    struct beside b = {.t = &a->trace};
    int rc = trace_begin(&a->trace, TRACE_PATH, path, err);
    if (rc != 0)
        return rc;
    if (a->trace.calls->nnodes > ALONE)
        b.started = thread_start(&b.thread, begin_kernels, &b) == 0;
    rc = critical_path_find(a->trace.calls, &a->path, err);
    if (rc == 0)
        path_shares_find(&a->trace, &a->path, &a->shares);
    if (rc == 0 && a->trace.calls->nnodes <= BEST_NODES)
        rc = what_if_best(a->trace.calls, &a->path, &a->shares, 2, a->best, &a->nbest, err);
    if (b.started)
        pthread_join(b.thread, NULL);
    else if (rc == 0)
        begin_kernels(&b);
    rc = rc == 0 ? watch_check(path, err) : rc;
    if (rc == 0)
        kernels_end(&a->kernels, b.kernels, &a->path, NULL);
    else
        kernels_drop(b.kernels);
    return rc;
}

int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err)
{
    int rc = trace_open(&a->trace, paths, n, err);
    if (rc == 0)
        rc = find_path(a, paths[0], err);
    if (rc == 0)
        trace_bricks(&a->bricks, &a->memory, &a->trace, &a->path, paths[0]);
    rc = rc == 0 ? watch_check(paths[0], err) : rc;
    if (rc == 0)
        rc = add_roofline(a, err);
    if (rc == 0)
        a->timeline = xcalloc(1, sizeof *a->timeline);
    return rc;
}

const struct timeline *analysis_timeline(const struct analysis *a)
{
    if (a->timeline && !a->timeline->calls)
        timeline_build(a->timeline, a->trace.calls, &a->path, NULL);
    return a->timeline;
}

void analysis_close(struct analysis *a)
{
    if (a->timeline)
        timeline_free(a->timeline);
    free(a->timeline);
    graph_unref(a->bricks.tree);
    kernels_free(&a->kernels);
    arena_free(&a->memory);
    path_shares_free(&a->shares);
    critical_path_free(&a->path);
    trace_free(&a->trace);
}
