#include "backends/counters/perf_impl.h"

/* Three clock ticks of /proc: a smaller difference may come from different reading times. */
#define TELLING_S 0.03

static double cpu_seconds(const struct snapshot *out)
{
    double s = 0;
    for (size_t i = 0; i < out->nprocs; i++)
        s += out->procs[i].watched ? out->procs[i].cpu_seconds : 0;
    return s;
}

/* Adds up how long the counters of the tasks were enabled; false if none is open. */
static bool sum_enabled_ns(const struct tally *y, uint64_t *ns)
{
    bool any = false;
    *ns = 0;
    for (size_t g = 0; g < y->plan->ngroups; g++) {
        const struct plan_group *pg = &y->plan->groups[g];
        for (size_t m = pg->first; pg->domain != PLAN_UNCORE && m < pg->first + pg->n; m++) {
            any |= y->sum[m].places > 0;
            *ns += y->sum[m].enabled;
        }
    }
    return any;
}

bool stopped_look(struct stopped *s, const struct tally *y, const struct snapshot *out, bool all)
{
    uint64_t on;
    double cpu = cpu_seconds(out);
    if (!all || !sum_enabled_ns(y, &on)) {
        *s = (struct stopped){0};
    } else if (on > 0 || !s->known || cpu < s->cpu_s) { /* less CPU time: a process has ended */
        *s = (struct stopped){.cpu_s = cpu, .known = true, .now = on == 0 && s->now};
    } else if (cpu - s->cpu_s >= TELLING_S) {
        s->now = true;
    }
    return s->now;
}
