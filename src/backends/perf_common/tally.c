#include "backends/perf_common/tally.h"

#include <stdlib.h>

#include "base/arena.h"

void tally_init(struct tally *t, const struct group_plan *plan, int ncpus)
{
    size_t n = plan->nmembers, cells = n * (size_t)(ncpus > 0 ? ncpus : 0);
    *t = (struct tally){.plan = plan, .ncpus = ncpus > 0 ? ncpus : 0};
    t->sum = xcalloc(n, sizeof *t->sum);
    t->err = xcalloc(n, sizeof *t->err);
    t->excluded = xcalloc(n, sizeof *t->excluded);
    t->too_big = xcalloc(plan->ngroups, sizeof *t->too_big);
    if (cells) {
        t->cpu = xcalloc(cells, sizeof *t->cpu);
        t->cpu_err = xcalloc(cells, sizeof *t->cpu_err);
    }
}

void tally_free(struct tally *t)
{
    free(t->sum);
    free(t->err);
    free(t->excluded);
    free(t->too_big);
    free(t->cpu);
    free(t->cpu_err);
    *t = (struct tally){0};
}

static long cell_index(const struct tally *t, size_t member, int cpu)
{
    if (!t->cpu || cpu < 0 || cpu >= t->ncpus)
        return -1;
    return (long)(member * (size_t)t->ncpus + (size_t)cpu);
}

void tally_add(struct tally *t, size_t member, int cpu, const struct count *delta,
               unsigned intervals)
{
    long at = cell_index(t, member, cpu);
    scale_add(&t->sum[member], delta, intervals);
    if (at >= 0)
        scale_add(&t->cpu[at], delta, intervals);
}

void tally_refuse(struct tally *t, size_t member, int cpu, int err)
{
    long at = cell_index(t, member, cpu);
    if (!t->err[member])
        t->err[member] = err;
    if (at >= 0)
        t->cpu_err[at] = err;
}

void tally_pending(struct tally *t, size_t member, int cpu)
{
    long at = cell_index(t, member, cpu);
    t->sum[member].pending++;
    if (at >= 0)
        t->cpu[at].pending++;
}
