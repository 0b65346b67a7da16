#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/common/proc_file.h"
#include "backends/job/rank_impl.h"
#include "base/arena.h"
#include "base/env.h"

static int compare_rank_threads(const void *x, const void *y)
{
    const struct rank_thread *a = x, *b = y;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

/* The second number of schedstat: Documentation/scheduler/sched-stats.rst. */
static bool read_thread_wait(pid_t pid, pid_t tid, uint64_t *ready)
{
    char path[64], text[128];
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    return file_read(path, text, sizeof text) > 0 && sscanf(text, "%*u %" SCNu64, ready) == 1;
}

static size_t add_process_threads(struct rank_thread *list, size_t n, pid_t pid)
{
    char path[4200];
    DIR *dir = opendir(env_path(path, sizeof path, "/proc/%d/task", (int)pid));
    for (struct dirent *e; dir && n < RANK_THREADS_MOST && (e = readdir(dir));) { /* NOLINT: ours */
        struct rank_thread t = {.tid = (pid_t)atoi(e->d_name)};
        if (t.tid > 0 && read_thread_wait(pid, t.tid, &t.ready))
            list[n++] = t;
    }
    if (dir)
        closedir(dir);
    return n;
}

/* What threads had waited that are gone, or whose number another thread has now. */
static uint64_t count_gone(const struct rank_threads *t, const struct rank_thread *now, size_t n)
{
    uint64_t gone = 0;
    for (size_t i = 0, k = 0; i < t->n; i++) {
        while (k < n && now[k].tid < t->list[i].tid)
            k++;
        const bool same = k < n && now[k].tid == t->list[i].tid && now[k].ready >= t->list[i].ready;
        gone += same ? 0 : t->list[i].ready;
    }
    return gone;
}

void rank_threads_see(struct rank_threads *t, const struct snapshot *s)
{
    if (!t->spare)
        t->spare = xcalloc(RANK_THREADS_MOST, sizeof *t->spare);
    struct rank_thread *now = t->spare;
    size_t n = 0;
    for (size_t i = 0; i < s->nprocs; i++)
        if (s->procs[i].watched)
            n = add_process_threads(now, n, s->procs[i].pid);
    if (n)
        qsort(now, n, sizeof *now, compare_rank_threads);
    t->ended += count_gone(t, now, n);
    t->known = t->known || n > 0;
    t->spare = t->list;
    t->list = now;
    t->n = n;
}

void rank_threads_end(struct rank_threads *t, pid_t tid, uint64_t ready)
{
    uint64_t more = ready;
    for (size_t i = 0; i < t->n; i++)
        if (t->list[i].tid == tid)
            more = ready > t->list[i].ready ? ready - t->list[i].ready : 0;
    t->ended += more;
    t->known = t->known || ready > 0;
}

double rank_threads_waited(const struct rank_threads *t)
{
    uint64_t ready = t->ended;
    for (size_t i = 0; i < t->n; i++)
        ready += t->list[i].ready;
    return t->known ? (double)ready / 1e9 : NAN;
}

void rank_threads_free(struct rank_threads *t)
{
    free(t->list);
    free(t->spare);
}
