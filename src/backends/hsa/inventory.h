/*
 * What the HSA runtime sees: agents, their instruction sets, memory pools, and whether it can map
 * memory at wanted addresses. Asked once, in a process of its own (engine/live/ask.h):
 * hsa_init() may crash, hang, or take seconds.
 */
#ifndef ROOFTOP_BACKENDS_HSA_INVENTORY_H
#define ROOFTOP_BACKENDS_HSA_INVENTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { HSA_AGENTS_MAX = 64, HSA_ISAS_MAX = 8, HSA_POOLS_MAX = 16, HSA_TIMEOUT_MS = 10000 };

struct hsa_pool_facts {
    char segment[16];                  /* "global", "group", "private", "readonly" */
    char flags[64];                    /* "fine-grained, kernarg" */
    uint64_t size, granule, alignment; /* bytes */
    bool allocatable, all_agents;      /* accessible by all */
};

struct hsa_agent_facts {
    bool gpu;
    char name[64];    /* "gfx942", a CPU's model */
    char product[64]; /* marketing name */
    char vendor[32];
    char pci[16];               /* "0000:c1:00.0", "" of CPUs */
    char isa[HSA_ISAS_MAX][64]; /* "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" */
    struct hsa_pool_facts pool[HSA_POOLS_MAX];
    uint32_t nisas, npools;
    uint32_t cus, node, queues_max, wave, lds; /* lds: bytes a work-group */
    uint32_t max_mhz, mem_mhz, mem_width, simds_per_cu;
};

struct hsa_inventory {
    char library[256];     /* path of the runtime */
    uint32_t major, minor; /* gpu/hsa_version.h */
    bool vmem;             /* hsa_amd_vmem_*: there, and supported by the driver */
    char vmem_why[160];    /* why not */
    bool emulated;         /* an agent is a test double: its marketing name begins with EMULATED */
    uint32_t nagents;
    struct hsa_agent_facts agent[HSA_AGENTS_MAX];
};

/*
 * Blocks for at most timeout_ms (HSA_TIMEOUT_MS for all who have no better idea). 0 and *out, to be
 * freed with free(); or ERROR_UNSUPPORTED: no runtime, hsa_init's reason, it crashed, it hangs; or
 * ERROR_INTERNAL: rooftop could not be started again.
 */
int hsa_inventory_ask(struct hsa_inventory **out, int timeout_ms, struct error *err);
/* The other side, in that process: source_ops.ask. */
void *hsa_inventory_answer(size_t *n);
/* An answer as it is sent: what was found, or rc and why not. n bytes, to be freed. */
void *hsa_inventory_pack(int rc, const struct hsa_inventory *h, const struct error *err, size_t *n);

/* Whether a GPU of this host runs code for isa: "gfx90a", or a whole target id. NULL: it does; else
 * why not, for the user. */
const char *hsa_inventory_lacks(const struct hsa_inventory *h, const char *isa, char *buf,
                                unsigned size);

#endif
