/*
 * Facts of the HSA runtime: agents, their instruction sets, memory pools, and whether it can map
 * memory at requested addresses. The runtime is asked once, in a separate process
 * (engine/live/ask.h), because hsa_init() may crash, hang, or take seconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { HSA_AGENTS_MAX = 64, HSA_ISAS_MAX = 8, HSA_POOLS_MAX = 16, HSA_TIMEOUT_MS = 10000 };

struct hsa_pool_facts {
    char segment[16];                  /* "global", "group", "private", "readonly" */
    char flags[64];                    /* "fine-grained, kernarg" */
    uint64_t size, granule, alignment; /* bytes */
    bool allocatable, all_agents;      /* all_agents: all agents can access it */
};

struct hsa_agent_facts {
    bool gpu;
    char name[64];    /* "gfx942", or a CPU's model */
    char product[64]; /* marketing name */
    char vendor[32];
    char pci[16];               /* "0000:c1:00.0"; "" for CPUs */
    char isa[HSA_ISAS_MAX][64]; /* "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" */
    struct hsa_pool_facts pool[HSA_POOLS_MAX];
    uint32_t nisas, npools;
    uint32_t cus, node, queues_max, wave, lds; /* lds: bytes for a work-group */
    uint32_t max_mhz, mem_mhz, mem_width, simds_per_cu;
};

struct hsa_inventory {
    char library[256];     /* path of the runtime */
    uint32_t major, minor; /* gpu/hsa_version.h */
    bool vmem;             /* hsa_amd_vmem_* exist, and the driver supports them */
    char vmem_why[160];    /* why vmem is false */
    bool emulated;         /* an agent is a test double: its marketing name begins with EMULATED */
    uint32_t nagents;
    struct hsa_agent_facts agent[HSA_AGENTS_MAX];
};

/* Asks the runtime; blocks for at most timeout_ms (normally HSA_TIMEOUT_MS). Returns 0 with *out,
 * which the caller frees with free(), or ERROR_UNSUPPORTED: no runtime, hsa_init failed, it
 * crashed, it hangs; or ERROR_INTERNAL: rooftop could not be started again. */
int hsa_inventory_ask(struct hsa_inventory **out, int timeout_ms, struct error *err);
/* Whether the runtime's GPUs can replay: a replay_host_fn. Waits at most HSA_TIMEOUT_MS. */
struct replay_host;
void hsa_replay_host(struct replay_host *out);
/* Runs in that process: source_ops.ask. */
void *hsa_inventory_answer(size_t *n);
/* Packs an answer to send: the inventory, or rc with the reason. Returns *n bytes, which the caller
 * frees. */
void *hsa_inventory_pack(int rc, const struct hsa_inventory *h, const struct error *err, size_t *n);
