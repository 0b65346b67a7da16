/*
 * Adds facts of the HSA runtime to the GPUs that other backends found: instruction sets, pools, and
 * GPUs that only the runtime knows. The runtime is asked once, on a thread that waits for another
 * process; see inventory.h.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/gpu/worker.h"
#include "backends/hsa/inventory.h"
#include "base/env.h"

enum { NEVER_AGAIN_S = INT_MAX }; /* the answer does not change */

struct asked {
    struct hsa_inventory *inventory;
    struct error err;
    bool done;
};

struct hsa_source {
    struct gpu_worker *worker; /* NULL: there is no runtime to ask, or no thread */
    struct error failure;      /* why the thread could not start */
};

/* Whether to ask. Without the kernel's compute driver the runtime knows nothing, so no process is
 * started, unless the user requests it. */
static bool should_ask(void)
{
    return file_exists("/sys/class/kfd/kfd/topology/nodes") || env_get("ROOFTOP_HSA");
}

static void *begin_hsa(void)
{
    return xcalloc(1, sizeof(struct asked));
}

static void end_hsa(void *state)
{
    struct asked *a = state;
    free(a->inventory);
    free(a);
}

static struct value value_if_told(double v, enum unit unit)
{
    return v > 0 ? value_ok(v, unit) : value_missing("the runtime does not tell it", unit);
}

static void add_agent(struct gpus_build *b, const struct hsa_agent_facts *f)
{
    struct gpu_agent *g = gpus_add_row(b, GPUS_AGENTS, "of GPUs only");
    size_t n = 0;
    char isas[512] = "";
    for (uint32_t i = 0; i < f->nisas && n < sizeof isas; i++)
        n += (size_t)snprintf(isas + n, sizeof isas - n, "%s%s", n ? ", " : "", f->isa[i]);
    if (!g)
        return;
    g->gpu = -1;
    g->kind = f->gpu ? "GPU" : "CPU";
    g->name = gpus_text(b, "%s", f->name);
    g->product = gpus_text(b, "%s", f->product);
    g->isas = gpus_text(b, "%s", isas);
    g->pci = gpus_text(b, "%s", f->pci);
    g->cus = value_if_told(f->cus, UNIT_NONE);
    g->queues_max = value_if_told(f->queues_max, UNIT_NONE);
    g->node = value_ok(f->node, UNIT_NONE);
}

static void add_pools(struct gpus_build *b, const struct hsa_agent_facts *f, int gpu)
{
    for (uint32_t i = 0; i < f->npools; i++) {
        struct gpu_pool *p = gpus_add_row(b, GPUS_POOLS, "not told for pools");
        if (!p)
            return;
        p->gpu = gpu;
        p->kind = "pool";
        p->name = gpus_text(b, "%s", f->pool[i].segment);
        p->flags = gpus_text(b, "%s", f->pool[i].flags);
        p->source = "HSA";
        p->size = value_if_told((double)f->pool[i].size, UNIT_BYTES);
        p->granule = value_if_told((double)f->pool[i].granule, UNIT_BYTES);
        p->count = value_ok(1, UNIT_NONE);
    }
}

/* Adds a GPU that only the runtime knows: in a container, or an emulated one. */
static int add_runtime_gpu(struct gpus_build *b, const struct hsa_agent_facts *f)
{
    int gpu = gpus_add(b, "the HSA runtime tells no telemetry, and sysfs does not have this GPU");
    if (gpu < 0)
        return -1;
    struct gpu *g = &b->g.gpu[gpu];
    g->id = gpus_text(b, "hsa:%u", f->node);
    g->vendor = f->vendor[0] ? gpus_text(b, "%s", f->vendor) : "AMD";
    g->name = gpus_text(b, "%s", f->product[0] ? f->product : f->name);
    g->isa = gpus_text(b, "%s", f->name);
    g->driver = "HSA runtime";
    g->pci = gpus_text(b, "%s", f->pci);
    g->backend = "hsa";
    g->cus = value_if_told(f->cus, UNIT_NONE);
    g->simds = value_if_told((double)f->cus * f->simds_per_cu, UNIT_NONE);
    g->wave = value_if_told(f->wave, UNIT_NONE);
    g->lds = value_if_told(f->lds, UNIT_BYTES);
    g->max_hz = value_if_told(f->max_mhz * 1e6, UNIT_HZ);
    g->max_mem_hz = value_if_told(f->mem_mhz * 1e6, UNIT_HZ);
    g->mem_width = value_if_told(f->mem_width, UNIT_NONE);
    for (uint32_t i = 0; i < f->npools; i++)
        if (strcmp(f->pool[i].segment, "global") == 0 && g->mem_total.validity != VALUE_OK)
            g->mem_total = value_if_told((double)f->pool[i].size, UNIT_BYTES);
    return gpu;
}

static unsigned gather_agents(void *state, struct gpus_build *b, uint64_t now_ns)
{
    struct asked *a = state;
    (void)now_ns;
    if (!a->done)
        hsa_inventory_ask(&a->inventory, HSA_TIMEOUT_MS, &a->err);
    a->done = true;
    const struct hsa_inventory *h = a->inventory;
    if (!h) {
        gpu_source_tell(b, "hsa", GPU_SOURCE_BROKEN, a->err.why, a->err.help);
        return NEVER_AGAIN_S;
    }
    for (uint32_t i = 0; i < h->nagents; i++) {
        size_t had = b->g.n;
        add_agent(b, &h->agent[i]);
        if (!h->agent[i].gpu)
            continue;
        int gpu = add_runtime_gpu(b, &h->agent[i]);
        if (b->g.n > had && b->g.nagents)
            b->g.agents[b->g.nagents - 1].gpu = gpu;
        add_pools(b, &h->agent[i], gpu);
    }
    b->g.emulated = h->emulated;
    b->g.runtime = gpus_text(b, "HSA %u.%u, %s", h->major, h->minor,
                             h->vmem ? "virtual memory" : "no virtual memory");
    gpu_source_tell(b, "hsa", GPU_SOURCE_OK, b->g.runtime,
                    h->vmem ? NULL : gpus_text(b, "%s", h->vmem_why));
    return NEVER_AGAIN_S;
}

static const struct gpu_worker_ops worker_ops = {
    .name = "hsa", .begin = begin_hsa, .gather = gather_agents, .end = end_hsa};

static int hsa_open(struct source **out, struct source_config *config, struct error *err)
{
    (void)config;
    (void)err;
    struct hsa_source *s = xcalloc(1, sizeof *s);
    if (should_ask())
        s->worker = gpu_worker_start(&worker_ops, &s->failure);
    *out = (struct source *)s;
    return 0;
}

static void hsa_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct hsa_source *s = (struct hsa_source *)self;
    struct gpus_build b = {0};
    if (s->worker) {
        gpu_worker_poll(s->worker, out, now_ns);
        return;
    }
    gpus_clear(&b);
    if (s->failure.kind != ERROR_NONE)
        gpu_source_tell(&b, "hsa", GPU_SOURCE_BROKEN, s->failure.why, s->failure.help);
    else
        gpu_source_tell(&b, "hsa", GPU_SOURCE_ABSENT, "not asked: the kernel has no KFD here",
                        "ROOFTOP_HSA=1 asks it all the same");
    gpus_merge(out, &b.g);
    gpus_free(&b);
}

static void hsa_close(struct source *self)
{
    struct hsa_source *s = (struct hsa_source *)self;
    gpu_worker_stop(s->worker);
    free(s);
}

/* Reports what the runtime says, without lines for the agents. */
static void hsa_probe(probe_sink sink, void *ctx)
{
    struct hsa_inventory *h = NULL;
    struct error err = ERROR_INIT;
    char why[320];
    unsigned gpus = 0;
    hsa_inventory_ask(&h, HSA_TIMEOUT_MS, &err);
    for (uint32_t i = 0; h && i < h->nagents; i++)
        gpus += h->agent[i].gpu;
    if (h)
        snprintf(why, sizeof why, "%sHSA %u.%u, %u GPU%s, %s", h->emulated ? "EMULATED: " : "",
                 h->major, h->minor, gpus, gpus == 1 ? "" : "s",
                 h->vmem ? "memory at wanted addresses" : h->vmem_why);
    enum probe_state state = PROBE_NO;
    if (h)
        state = h->vmem && gpus ? PROBE_YES : PROBE_PARTIAL;
    sink(ctx, &(struct probe_finding){.id = "hsa.runtime",
                                      .label = "HSA runtime",
                                      .state = state,
                                      .why = h ? why : err.why,
                                      .enable = !h && err.help[0] ? err.help : NULL});
    free(h);
}

extern const struct source_ops source_hsa;
const struct source_ops source_hsa = {
    .name = "hsa",
    .summary = "agents, instruction sets and memory pools as the HSA runtime sees them",
    .probe = hsa_probe,
    .ask = hsa_inventory_answer,
    .open = hsa_open,
    .poll = hsa_poll,
    .close = hsa_close,
};
