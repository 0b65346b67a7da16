#include "engine/analysis.h"

#include <stdlib.h>

#include "engine/trace_bricks.h"

int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err)
{
    int rc = trace_open(&a->trace, paths, n, err);
    if (rc == 0)
        rc = critical_path_find(a->trace.calls, &a->path, err);
    if (rc == 0)
        trace_bricks(&a->bricks, &a->memory, &a->trace, &a->path, paths[0]);
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
    arena_free(&a->memory);
    critical_path_free(&a->path);
    trace_free(&a->trace);
}
