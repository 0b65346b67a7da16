/*
 * The GPUs that a rank uses and their places. The kernel says the NUMA node of each PCI device and
 * of each CPU, and the driver which process uses which GPU, so no library is asked.
 */
#include <math.h>

#include "backends/job/rank_impl.h"
#include "base/print.h"
#include "engine/live/gpus.h"

static bool is_rank_process(const struct snapshot *s, int pid)
{
    for (size_t i = 0; i < s->nprocs; i++)
        if (s->procs[i].watched && s->procs[i].pid == pid)
            return true;
    return false;
}

static bool is_node_known(const struct gpu *g)
{
    return g->numa.validity == VALUE_OK && g->numa.v >= 0 && g->numa.v < RANK_NODES_MOST;
}

void rank_gpus_see(struct rank_summary *out, const struct snapshot *s, uint64_t nodes)
{
    bool used[GPUS_MAX] = {false};
    const struct gpu *far = NULL;
    unsigned n = 0, nfar = 0;
    bool known = false;
    for (size_t i = 0; s->gpus && i < s->gpus->nprocesses; i++) {
        const struct gpu_process *p = &s->gpus->processes[i];
        if (p->gpu >= 0 && p->gpu < GPUS_MAX && is_rank_process(s, p->pid))
            used[p->gpu] = true;
    }
    for (size_t i = 0; s->gpus && i < s->gpus->n && i < GPUS_MAX; i++) {
        const struct gpu *g = &s->gpus->gpu[i];
        n += used[i];
        if (!used[i] || !nodes || !is_node_known(g))
            continue;
        known = true;
        if (nodes >> (unsigned)g->numa.v & 1)
            continue;
        far = far ? far : g;
        nfar++;
    }
    if (n == 0)
        return; /* it has not begun to use one, or it ended before its rank */
    out->gpus_used = n;
    out->gpus_far = known ? nfar : NAN;
    out->far_gpu[0] = '\0';
    if (far)
        print_line(out->far_gpu, sizeof out->far_gpu, "%.24s (node %.0f)",
                   far->pci[0] ? far->pci : far->id, far->numa.v);
}
