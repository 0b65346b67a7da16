/*
 * What Kineto counts differently on AMD. Sources: libkineto/src/RoctracerLogger.cpp,
 * RocprofLogger.cpp; ROCm/roctracer issue 98; HIP's hip_ext.h.
 *
 * Devices: kernels and copies have the number of the HSA node, which counts CPUs too, or of the GPU
 * among all GPUs; deviceProperties and "[memory]" have HIP's number, which counts from 0 only GPUs
 * that the program sees.
 *
 * Grids: those of hipExtModuleLaunchKernel are in work-items, those of all other launches in
 * workgroups.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/order.h"

struct numbers {
    uint32_t at[CHROME_MAX_DEVICES], n;
};

static void add_device_number(struct numbers *l, uint32_t number)
{
    for (uint32_t i = l->n; i-- > 0;)
        if (l->at[i] == number)
            return;
    if (l->n < CHROME_MAX_DEVICES)
        l->at[l->n++] = number;
}

static void sort_device_numbers(struct numbers *l)
{
    if (l->n)
        qsort(l->at, l->n, sizeof *l->at, order_uint32);
}

/* Finds the numbers of the devices with work, and HIP's numbers of the devices that allocated
 * memory or, if none did, that have properties. */
static void find_numbers(const struct chrome_store *s, struct numbers *work, struct numbers *hip)
{
    const struct trace *t = s->trace;
    uint32_t file = t->nfiles ? t->nfiles - 1 : 0;
    for (uint32_t i = 0; i < s->work.n; i++)
        if (s->work.at[i].device != TRACE_UNKNOWN)
            add_device_number(work, s->work.at[i].device);
    for (uint32_t i = t->npeaks; i-- > 0 && t->peaks[i].file == file;)
        add_device_number(hip, t->peaks[i].device);
    bool any = hip->n > 0;
    for (uint32_t i = 0; !any && i < s->devices.n; i++)
        add_device_number(hip, (uint32_t)s->devices.at[i].id);
    sort_device_numbers(work);
    sort_device_numbers(hip);
}

void chrome_number_devices(struct chrome_store *s)
{
    struct numbers work = {.n = 0}, hip = {.n = 0};
    for (uint32_t i = 0; i < s->devices.n; i++)
        s->rocm |= chrome_is_amd(s, &s->devices.at[i]);
    if (!s->rocm)
        return;
    find_numbers(s, &work, &hip);
    /* Node 0 is a CPU. If the two numbers of devices differ, nothing tells which is which. */
    if (work.n == 0 || work.n != hip.n || work.at[0] <= hip.at[0])
        return;
    for (uint32_t i = 0; i < work.n; i++)
        if (work.at[i] - hip.at[i] != work.at[0] - hip.at[0])
            return;
    for (uint32_t i = 0; i < work.n && CHROME_GROW(s->renumbered); i++)
        s->renumbered.at[s->renumbered.n++] = (struct chrome_renumbering){work.at[i], hip.at[i]};
}

uint32_t chrome_device_number(const struct chrome_store *s, uint32_t device)
{
    for (uint32_t i = 0; i < s->renumbered.n; i++)
        if (s->renumbered.at[i].from == device)
            return s->renumbered.at[i].to;
    return device;
}

/* --- grids --- */

static bool counts_work_items(const char *call)
{
    return strcmp(call, "hipExtModuleLaunchKernel") == 0 ||
           strcmp(call, "hipHccModuleLaunchKernel") == 0;
}

static void divide_grid_by_block(struct graph *g, uint32_t kernel)
{
    struct graph_detail d = g->details[g->detail[kernel]];
    for (int axis = 0; axis < 3; axis++) {
        uint32_t items = d.kernel.grid[axis], group = d.kernel.block[axis];
        if (group > 0)
            d.kernel.grid[axis] = items / group + (items % group != 0);
    }
    graph_set_kernel(g, kernel, &d);
}

void chrome_divide_grids(struct chrome_store *s, uint32_t first)
{
    struct graph *g = s->trace->calls;
    if (!s->rocm)
        return;
    uint8_t *done = xcalloc(g->nnodes + (size_t)1, 1); /* two arrows may lead to a kernel */
    for (uint32_t i = first; i < g->nedges; i++) {
        uint32_t kernel = g->edge_to[i];
        if (g->edge_kind[i] != EDGE_LAUNCHES || g->kind[kernel] != NODE_KERNEL || done[kernel] ||
            g->detail[kernel] == GRAPH_NONE || !counts_work_items(graph_name(g, g->edge_from[i])))
            continue;
        divide_grid_by_block(g, kernel);
        done[kernel] = 1;
    }
    free(done);
}
