#include "engine/analysis/analysis.h"

#include <stdlib.h>

#include "base/thread.h"
#include "base/watch.h"
#include "engine/bricks/trace_bricks.h"
#include "engine/roofline/roofline_open.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "engine/trace/trace_window.h"

/* Steps of the search for what one change would save, in nodes times names: about a fifth of the
 * time that reading the file takes. */
enum { BEST_STEPS = 8000000, ALONE = 20000 };

/* The number of names that are searched for: fewer in large profiles, at least one. */
static uint32_t choose_best_names(const struct graph *g)
{
    const uint32_t names = g->nnodes ? BEST_STEPS / g->nnodes : WHAT_IF_BEST;
    if (names > WHAT_IF_BEST)
        return WHAT_IF_BEST;
    return names ? names : 1;
}

static int add_roofline(struct analysis *a, struct error *err)
{
    return roofline_open(&a->bricks.roofline, &a->memory, &a->trace, a->roofs, err);
}

/* Work that does not need the critical path, done on a second thread while the path is searched.
 * Until that thread has ended, only it allocates from a->memory. */
struct kernels_beside {
    struct analysis *a;
    const char *path;
    struct kernels_begun *kernels;
    struct trace_bricks *bricks;
    int rc;
    struct error err; /* filled if rc is not 0 */
    bool started;
    pthread_t thread;
};

static void *run_beside(void *ctx)
{
    struct kernels_beside *b = ctx;
    b->kernels = kernels_begin(&b->a->trace);
    b->bricks = trace_bricks_begin(&b->a->bricks, &b->a->memory, &b->a->trace, b->path);
    if (!watch_given_up())
        device_uses_find(&b->a->uses, &b->a->trace);
    if (!watch_given_up())
        b->rc = add_roofline(b->a, &b->err);
    return NULL;
}

static void start_beside(struct kernels_beside *b)
{
    if (b->a->trace.calls->nnodes > ALONE)
        b->started = thread_start(&b->thread, run_beside, b) == 0;
}

/* Waits for the second thread, then does what needs both. rc: the result of the search for the
 * path. Returns 0, or the first error of either. */
static int finish_beside(struct kernels_beside *b, int rc, struct error *err)
{
    struct analysis *a = b->a;
    if (b->started)
        pthread_join(b->thread, NULL);
    else if (rc == 0)
        run_beside(b);
    if (rc == 0 && b->rc != 0 && err)
        *err = b->err;
    if (rc == 0)
        rc = b->rc;
    if (rc == 0)
        rc = watch_check(b->path, err);
    if (rc == 0)
        kernels_end(&a->kernels, b->kernels, &a->path, NULL);
    else
        kernels_drop(b->kernels);
    if (b->bricks)
        trace_bricks_end(&a->bricks, &a->memory, b->bricks, &a->trace, rc == 0 ? &a->path : NULL);
    return rc == 0 ? watch_check(b->path, err) : rc;
}

static int find_path_and_shares(struct analysis *a, const char *path, struct error *err)
{
    struct kernels_beside b = {.a = a, .path = path, .err = ERROR_INIT};
    int rc = trace_begin(&a->trace, TRACE_PATH, path, err);
    if (rc != 0)
        return rc;
    start_beside(&b);
    a->nbest = choose_best_names(a->trace.calls);
    rc = what_if_path(&a->trace, &a->path, &a->shares, a->best, &a->nbest, err);
    return finish_beside(&b, rc, err);
}

/* Steps are found late, because that takes long. Whether there is anything to show is known now: a
 * view of them that turns out to be empty must not be offered. Seldom in a trace of system calls.
 */
static bool has_likely_steps(const struct analysis *a)
{
    if (a->uses.n || a->trace.syscalls)
        return a->uses.n;
    char *range = steps_guess(&a->trace);
    free(range);
    return range != NULL;
}

static int find_whole_analysis(struct analysis *a, const char *path, struct error *err)
{
    int rc = find_path_and_shares(a, path, err);
    if (rc != 0)
        return rc;
    a->timeline = xcalloc(1, sizeof *a->timeline);
    a->steps = xcalloc(1, sizeof *a->steps);
    a->steps->likely = has_likely_steps(a);
    return 0;
}

int analysis_open(struct analysis *a, const char *const *paths, size_t n, struct error *err)
{
    int rc = trace_open(&a->trace, paths, n, err);
    if (rc == 0 && a->roofs)
        a->roofs = arena_strdup(&a->memory, a->roofs);
    return rc == 0 ? find_whole_analysis(a, paths[0], err) : rc;
}

int analysis_part(struct analysis *a, const struct analysis *whole,
                  const struct window_spans *spans, struct error *err)
{
    const char *path = whole->trace.nfiles ? whole->trace.files[0].path : "the profile";
    int rc = trace_window_take(&a->trace, &whole->trace, spans, err);
    if (whole->roofs)
        a->roofs = arena_strdup(&a->memory, whole->roofs);
    if (rc == 0 && whole->trace.syscalls) /* of all: it has no parts */
        a->trace.syscalls = syscalls_snapshot_ref(whole->trace.syscalls);
    return rc == 0 ? find_whole_analysis(a, path, err) : rc;
}

const struct analysis_steps *analysis_steps(const struct analysis *a, struct error *err)
{
    const struct window all = {.to = UINT64_MAX};
    struct analysis_steps *s = a->steps;
    if (!s || s->found)
        return s;
    char *range = steps_guess(&a->trace);
    int rc = range ? steps_find(&s->steps, &a->trace, &all, err) : 0;
    free(range);
    s->found = rc == 0;
    if (rc == 0)
        return s;
    steps_free(&s->steps);
    return NULL;
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
    if (a->steps)
        steps_free(&a->steps->steps);
    free(a->steps);
    device_uses_free(&a->uses);
    graph_unref(a->bricks.tree);
    kernels_free(&a->kernels);
    arena_free(&a->memory);
    path_shares_free(&a->shares);
    critical_path_free(&a->path);
    trace_free(&a->trace);
}
