#include "backends/replay_child/host.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/hsa/inventory.h"

static void add_agent(struct replay_host *out, const struct hsa_agent_facts *a)
{
    if (!out->gpu[0])
        snprintf(out->gpu, sizeof out->gpu, "%s", a->product[0] ? a->product : a->name);
    for (uint32_t i = 0; i < a->nisas && out->nisas < REPLAY_HOST_ISAS; i++)
        snprintf(out->isa[out->nisas++], sizeof out->isa[0], "%s", a->isa[i]);
}

void replay_child_host(struct replay_host *out)
{
    struct hsa_inventory *h = NULL;
    struct error err = ERROR_INIT;
    *out = (struct replay_host){.known = true};
    if (hsa_inventory_ask(&h, HSA_TIMEOUT_MS, &err) != 0) {
        snprintf(out->why, sizeof out->why, "%.60s: %.250s", err.what, err.why);
        return;
    }
    for (uint32_t i = 0; i < h->nagents; i++)
        if (h->agent[i].gpu)
            add_agent(out, &h->agent[i]);
    out->emulated = h->emulated;
    if (!h->vmem)
        snprintf(out->why, sizeof out->why, "%s",
                 h->vmem_why[0] ? h->vmem_why
                                : "the runtime cannot map memory at wanted addresses");
    free(h);
}
