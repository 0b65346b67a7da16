#include "engine/live/snapshot_only.h"

#include <string.h>

#include "engine/live/gpus.h"

static bool is_watched_process(const struct snapshot *s, pid_t pid)
{
    for (size_t i = 0; i < s->nprocs; i++)
        if (s->procs[i].pid == pid)
            return s->procs[i].watched;
    return false;
}

static void keep_threads(struct snapshot *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->nthread_rows; i++)
        if (is_watched_process(s, s->threads[i].pid))
            s->threads[n++] = s->threads[i];
    s->nthread_rows = n;
}

static void keep_processes(struct snapshot *s)
{
    size_t n = 0;
    s->nthreads = s->nrunning = 0;
    for (size_t i = 0; i < s->nprocs; i++) {
        if (!s->procs[i].watched)
            continue;
        s->nthreads += (size_t)(s->procs[i].threads > 0 ? s->procs[i].threads : 0);
        s->nrunning += s->procs[i].state == 'R';
        s->procs[n++] = s->procs[i];
    }
    s->nprocs = n;
}

/* A copy of the list: other holders keep the old one as it was. */
static void keep_gpu_processes(struct snapshot *s)
{
    struct gpus *g = snapshot_alloc(s, sizeof *g);
    *g = *s->gpus;
    g->processes = snapshot_alloc(s, (g->nprocesses + 1) * sizeof *g->processes);
    g->queues = snapshot_alloc(s, (g->nqueues + 1) * sizeof *g->queues);
    g->nprocesses = g->nqueues = 0;
    for (size_t i = 0; i < s->gpus->nprocesses; i++)
        if (is_watched_process(s, s->gpus->processes[i].pid))
            g->processes[g->nprocesses++] = s->gpus->processes[i];
    for (size_t i = 0; i < s->gpus->nqueues; i++)
        if (is_watched_process(s, s->gpus->queues[i].pid))
            g->queues[g->nqueues++] = s->gpus->queues[i];
    s->gpus = g;
}

void snapshot_only_target(struct snapshot *s)
{
    static const char *const why = "only what is watched was asked for";
    if (s->target_kind == TARGET_HOST)
        return;
    if (s->gpus)
        keep_gpu_processes(s);
    keep_threads(s);
    keep_processes(s);
    memset(&s->account, 0, sizeof s->account);
    s->account.processes = value_missing(why, UNIT_PERCENT);
    s->account.ended = value_missing(why, UNIT_PERCENT);
    s->account.rest = value_missing(why, UNIT_PERCENT);
}
