#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/hsa/inventory.h"
#include "engine/replay/replay_host.h"

static void add_host_gpu(struct replay_host *out, const struct hsa_agent_facts *a)
{
    if (out->ngpus == REPLAY_HOST_GPUS)
        return;
    struct replay_gpu *g = &out->gpu[out->ngpus++];
    snprintf(g->name, sizeof g->name, "%s", a->product[0] ? a->product : a->name);
    for (uint32_t i = 0; i < a->npools; i++)
        if (strcmp(a->pool[i].segment, "global") == 0 && a->pool[i].size > g->memory)
            g->memory = a->pool[i].size;
    for (uint32_t i = 0; i < a->nisas && g->nisas < REPLAY_GPU_ISAS; i++)
        snprintf(g->isa[g->nisas++], sizeof g->isa[0], "%s", a->isa[i]);
}

void hsa_replay_host(struct replay_host *out)
{
    struct hsa_inventory *h = NULL;
    struct error err = ERROR_INIT;
    *out = (struct replay_host){.known = true};
    if (hsa_inventory_ask(&h, HSA_TIMEOUT_MS, &err) != 0) {
        error_format(&err, out->why, sizeof out->why);
        return;
    }
    for (uint32_t i = 0; i < h->nagents; i++)
        if (h->agent[i].gpu)
            add_host_gpu(out, &h->agent[i]);
    out->emulated = h->emulated;
    if (!h->vmem)
        snprintf(out->why, sizeof out->why, "%s",
                 h->vmem_why[0] ? h->vmem_why
                                : "the runtime cannot map memory at wanted addresses");
    free(h);
}
