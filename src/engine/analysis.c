#include "engine/analysis.h"

#include "engine/trace_bricks.h"

int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err)
{
    int rc = trace_open(&a->trace, paths, n, err);
    if (rc == 0)
        rc = critical_path_find(a->trace.calls, &a->path, err);
    if (rc == 0)
        kernels_make(&a->kernels, &a->trace, &a->path, NULL);
    if (rc == 0)
        trace_bricks(&a->bricks, &a->memory, &a->trace, &a->path, paths[0]);
    return rc;
}

void analysis_close(struct analysis *a)
{
    graph_unref(a->bricks.tree);
    kernels_free(&a->kernels);
    arena_free(&a->memory);
    critical_path_free(&a->path);
    trace_free(&a->trace);
}
