#include "backends/amdgpu/amdgpu_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/gpu/worker.h"
#include "base/arena.h"

#define LOAD_DRIVER "load the driver: sudo modprobe amdgpu (Linux 5.11 or later for gpu_metrics)"

struct amdgpu {
    struct kfd kfd;
    struct amd_before before[AMD_CARDS_MAX];
    struct fdinfo_watch *fdinfo;
};

struct amdgpu *amdgpu_new(void)
{
    struct amdgpu *a = xcalloc(1, sizeof *a);
    a->fdinfo = fdinfo_new();
    return a;
}

void amdgpu_free(struct amdgpu *a)
{
    if (!a)
        return;
    kfd_free(&a->kfd);
    fdinfo_free(a->fdinfo);
    free(a);
}

/* Finds the kept data of this card, or takes the first free entry. */
static struct amd_before *before_of(struct amdgpu *a, const char *pci)
{
    struct amd_before *free_place = &a->before[0];
    for (int i = AMD_CARDS_MAX - 1; i >= 0; i--) {
        if (strcmp(a->before[i].pci, pci) == 0)
            return &a->before[i];
        if (!a->before[i].pci[0])
            free_place = &a->before[i];
    }
    *free_place = (struct amd_before){0};
    snprintf(free_place->pci, sizeof free_place->pci, "%s", pci);
    return free_place;
}

static void name_partition(struct gpus_build *b, int gpu, const char *pci, int part)
{
    struct gpu *g = &b->g.gpu[gpu];
    g->vendor = "AMD";
    g->backend = "amdgpu";
    g->pci = gpus_text(b, "%s", pci);
    g->id = part ? gpus_text(b, "pci:%s/%d", pci, part) : gpus_text(b, "pci:%s", pci);
}

/* Adds a card, and a row for each further partition on which the kernel computes. */
static void add_card(struct amdgpu *a, struct gpus_build *b, const struct amd_card *c,
                     bool used[KFD_NODES_MAX], uint64_t now_ns)
{
    char pci[16];
    int gpu = gpus_add(b, "not told by amdgpu"), part = 0;
    if (gpu < 0)
        return;
    struct amd_before *before = before_of(a, c->pci);
    amd_describe(c, b, gpu, before);
    name_partition(b, gpu, c->pci, 0);
    amd_now(c, b, gpu, before, now_ns);
    for (int i = 0; i < a->kfd.n; i++) {
        const struct kfd_node *n = &a->kfd.nodes[i];
        if (!n->gpu_id || strcmp(kfd_pci(n, pci), c->pci) != 0)
            continue;
        used[i] = true;
        int to = part ? gpus_add(b, "of the whole socket: see partition 0") : gpu;
        if (to < 0)
            return;
        if (part) {
            const struct gpu *first = &b->g.gpu[gpu];
            name_partition(b, to, c->pci, part);
            b->g.gpu[to].name = gpus_text(b, "%s, partition %d", first->name, part);
            b->g.gpu[to].driver = first->driver;
            b->g.gpu[to].mode = first->mode;
        }
        kfd_describe(n, b, to);
        part++;
    }
}

/* In a container the card may be missing from sysfs although KFD is there. */
static void add_lone_node(struct gpus_build *b, const struct kfd_node *n)
{
    char pci[16];
    int gpu = gpus_add(b, "its card is not in /sys/class/drm (a container?)");
    if (gpu < 0)
        return;
    name_partition(b, gpu, kfd_pci(n, pci), 0);
    b->g.gpu[gpu].name = gpus_text(b, "%s", n->name);
    kfd_describe(n, b, gpu);
}

static void tell_gpu_source(struct gpus_build *b, const struct amdgpu *a, int cards)
{
    if (b->g.n == 0)
        gpu_source_tell(b, "amdgpu", GPU_SOURCE_ABSENT,
                        a->kfd.present ? "KFD is there, but no GPU in its topology"
                                       : "no card of amdgpu in /sys/class/drm",
                        LOAD_DRIVER);
    else
        gpu_source_tell(b, "amdgpu", GPU_SOURCE_OK,
                        gpus_text(b, "%d card%s%s", cards, cards == 1 ? "" : "s",
                                  a->kfd.present ? ", KFD" : ""),
                        a->kfd.present ? NULL
                                       : "no /sys/class/kfd: processes and compute units are "
                                         "not told (CONFIG_HSA_AMD)");
}

static int compare_amd_processes(const void *x, const void *y)
{
    const struct gpu_process *p = x, *q = y;
    if (p->gpu != q->gpu)
        return p->gpu < q->gpu ? -1 : 1;
    return p->pid < q->pid ? -1 : p->pid > q->pid;
}

void amdgpu_gather(struct amdgpu *a, struct gpus_build *b, uint64_t now_ns)
{
    struct amd_card cards[AMD_CARDS_MAX];
    bool used[KFD_NODES_MAX] = {false};
    int n = amd_cards(cards);
    kfd_read(&a->kfd);
    for (int i = 0; i < n; i++)
        add_card(a, b, &cards[i], used, now_ns);
    for (int i = 0; i < a->kfd.n; i++)
        if (a->kfd.nodes[i].gpu_id && !used[i])
            add_lone_node(b, &a->kfd.nodes[i]);
    kfd_processes(b);
    if (n > 0)
        fdinfo_gather(a->fdinfo, b, now_ns);
    if (b->g.nprocesses)
        qsort(b->g.processes, b->g.nprocesses, sizeof *b->g.processes, compare_amd_processes);
    for (size_t i = 0; i < b->g.n; i++) {
        double processes = 0;
        for (size_t k = 0; k < b->g.nprocesses; k++)
            processes += b->g.processes[k].gpu == (int)i;
        b->g.now[i].processes = value_ok(processes, UNIT_NONE);
    }
    tell_gpu_source(b, a, n);
}

bool amdgpu_present(void)
{
    struct amd_card cards[AMD_CARDS_MAX];
    return amd_cards(cards) > 0 || file_exists("/sys/class/kfd/kfd/topology/nodes");
}
