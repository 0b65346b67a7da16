#include "engine/live/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

bool target_add_pid(struct target *t, pid_t pid)
{
    enum { STEP = 16 };
    if (t->npids == TARGET_MAX_PIDS)
        return false;
    if (t->npids % STEP == 0)
        t->pids = xrealloc(t->pids, t->npids + STEP, sizeof *t->pids);
    t->pids[t->npids++] = pid;
    return true;
}

void target_copy(struct target *to, const struct target *from)
{
    *to = *from;
    to->pids = NULL;
    to->npids = 0;
    for (size_t i = 0; i < from->npids; i++)
        target_add_pid(to, from->pids[i]);
    if (from->argv) {
        size_t n = 0;
        while (from->argv[n])
            n++;
        to->argv = xcalloc(n + 1, sizeof *to->argv);
        for (size_t i = 0; i < n; i++)
            to->argv[i] = xstrdup(from->argv[i]);
    }
    if (from->cgroup)
        to->cgroup = xstrdup(from->cgroup);
    if (from->event_spec)
        to->event_spec = xstrdup(from->event_spec);
    if (from->ranges)
        to->ranges = xstrdup(from->ranges);
    if (from->brick_counters)
        to->brick_counters = xstrdup(from->brick_counters);
    if (from->usdt)
        to->usdt = xstrdup(from->usdt);
    if (from->cpus) {
        to->cpus = xcalloc(TARGET_MAX_CPUS, sizeof *to->cpus);
        memcpy(to->cpus, from->cpus, TARGET_MAX_CPUS * sizeof *to->cpus);
    }
}

void target_free(struct target *t)
{
    if (t->argv) {
        for (char **a = t->argv; *a; a++)
            free(*a);
        free(t->argv);
    }
    free(t->pids);
    free(t->cgroup);
    free(t->cpus);
    free(t->event_spec);
    free(t->ranges);
    free(t->brick_counters);
    free(t->usdt);
    *t = (struct target){0};
}
