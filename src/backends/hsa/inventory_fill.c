#include "backends/hsa/inventory_fill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/hsa/runtime.h"
#include "gpu/hsa_version.h"

struct asking {
    const struct hsa_runtime *r;
    struct hsa_inventory *into;
    struct hsa_agent_facts *agent; /* the agent whose pools and ISAs are being listed */
};

static void segment_name(uint32_t segment, char out[16])
{
    static const char *const names[] = {"global", "readonly", "private", "group"};
    snprintf(out, 16, "%s", segment < 4 ? names[segment] : "other");
}

static void flag_names(uint32_t flags, char out[64])
{
    bool fine = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
    bool coarse = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
    bool kernarg = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
    bool extended = flags & 8; /* EXTENDED_SCOPE_FINE_GRAINED, ROCm 6.0 */
    const char *grain = coarse ? "coarse-grained" : "";
    if (extended)
        grain = "extended fine-grained";
    else if (fine)
        grain = "fine-grained";
    snprintf(out, 64, "%s%s%s", grain, kernarg && *grain ? ", " : "", kernarg ? "kernarg" : "");
}

static hsa_status_t each_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct asking *a = data;
    if (a->agent->npools == HSA_POOLS_MAX)
        return HSA_STATUS_INFO_BREAK;
    struct hsa_pool_facts *p = &a->agent->pool[a->agent->npools++];
    uint32_t segment = 0, flags = 0;
    size_t size = 0, granule = 0, alignment = 0;
    bool allowed = false, all = false;
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL)
        a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule);
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT,
                                   &alignment);
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
    a->r->amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &all);
    segment_name(segment, p->segment);
    flag_names(flags, p->flags);
    p->size = size;
    p->granule = granule;
    p->alignment = alignment;
    p->allocatable = allowed;
    p->all_agents = all;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t each_isa(hsa_isa_t isa, void *data)
{
    struct asking *a = data;
    uint32_t length = 0;
    char name[256] = "";
    if (a->agent->nisas == HSA_ISAS_MAX)
        return HSA_STATUS_INFO_BREAK;
    a->r->isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
    if (length > 0 && length < sizeof name &&
        a->r->isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name) == HSA_STATUS_SUCCESS)
        snprintf(a->agent->isa[a->agent->nisas++], sizeof a->agent->isa[0], "%.*s", (int)length,
                 name);
    return HSA_STATUS_SUCCESS;
}

static uint32_t agent_number(const struct asking *a, hsa_agent_t agent, int attribute)
{
    uint32_t v = 0;
    return a->r->agent_get_info(agent, (hsa_agent_info_t)attribute, &v) == HSA_STATUS_SUCCESS ? v
                                                                                              : 0;
}

static void gpu_facts(struct asking *a, hsa_agent_t agent)
{
    struct hsa_agent_facts *g = a->agent;
    uint32_t bdf = 0; /* 0 is also a valid location, so a failed call is checked for */
    const bool told = a->r->agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_BDFID,
                                           &bdf) == HSA_STATUS_SUCCESS;
    uint32_t domain = agent_number(a, agent, HSA_AMD_AGENT_INFO_DOMAIN);
    if (told)
        snprintf(g->pci, sizeof g->pci, "%04x:%02x:%02x.%x", domain & 0xffff, bdf >> 8 & 0xff,
                 bdf >> 3 & 0x1f, bdf & 7);
    g->wave = agent_number(a, agent, HSA_AGENT_INFO_WAVEFRONT_SIZE);
    g->mem_mhz = agent_number(a, agent, HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY);
    g->mem_width = agent_number(a, agent, HSA_AMD_AGENT_INFO_MEMORY_WIDTH);
    g->simds_per_cu = agent_number(a, agent, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU);
}

static hsa_status_t each_agent(hsa_agent_t agent, void *data)
{
    struct asking *a = data;
    hsa_device_type_t kind = HSA_DEVICE_TYPE_CPU;
    char text[64] = ""; /* the longest text of the runtime */
    if (a->into->nagents == HSA_AGENTS_MAX)
        return HSA_STATUS_INFO_BREAK;
    struct hsa_agent_facts *g = a->agent = &a->into->agent[a->into->nagents++];
    a->r->agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &kind);
    g->gpu = kind == HSA_DEVICE_TYPE_GPU;
    if (a->r->agent_get_info(agent, HSA_AGENT_INFO_NAME, text) == HSA_STATUS_SUCCESS)
        snprintf(g->name, sizeof g->name, "%.63s", text);
    if (a->r->agent_get_info(agent, HSA_AGENT_INFO_VENDOR_NAME, text) == HSA_STATUS_SUCCESS)
        snprintf(g->vendor, sizeof g->vendor, "%.31s", text);
    if (a->r->agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME, text) ==
        HSA_STATUS_SUCCESS)
        snprintf(g->product, sizeof g->product, "%.63s", text);
    a->into->emulated |= strncmp(g->product, "EMULATED", 8) == 0;
    g->cus = agent_number(a, agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
    g->node = agent_number(a, agent, HSA_AMD_AGENT_INFO_DRIVER_NODE_ID);
    g->queues_max = agent_number(a, agent, HSA_AGENT_INFO_QUEUES_MAX);
    g->max_mhz = agent_number(a, agent, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY);
    if (g->gpu)
        gpu_facts(a, agent);
    a->r->agent_iterate_isas(agent, each_isa, a);
    a->r->amd_agent_iterate_memory_pools(agent, each_pool, a);
    for (uint32_t i = 0; i < g->npools; i++)
        if (strcmp(g->pool[i].segment, "group") == 0)
            g->lds = (uint32_t)g->pool[i].size;
    return HSA_STATUS_SUCCESS;
}

static void ask_vmem(const struct hsa_runtime *r, struct hsa_inventory *into)
{
    bool supported = false;
    if (!r->has_vmem)
        snprintf(into->vmem_why, sizeof into->vmem_why,
                 "this runtime has no hsa_amd_vmem_*: they came with ROCm 6.0");
    else if (r->system_get_info((hsa_system_info_t)HSA_INFO_VMEM_SUPPORTED, &supported) !=
                 HSA_STATUS_SUCCESS ||
             !supported)
        snprintf(into->vmem_why, sizeof into->vmem_why,
                 "the kernel's driver does not support it (Linux 6.0 or later, amdgpu with KFD)");
    into->vmem = r->has_vmem && supported;
}

int hsa_inventory_fill(struct hsa_inventory *into, struct error *err)
{
    struct hsa_runtime r;
    uint16_t major, minor;
    int rc = hsa_runtime_open(&r, err);
    if (rc != 0)
        return rc;
    hsa_status_t status = r.init();
    const char *told = status == HSA_STATUS_SUCCESS ? "" : hsa_runtime_status(&r, status);
    if (status != HSA_STATUS_SUCCESS) /* only the status's name, because the text after the colon
                                         adds nothing */
        return error_set(err, ERROR_UNSUPPORTED, ENODEV,
                         "a GPU with its driver (/dev/kfd), and membership in the group of it "
                         "(render or video)",
                         "hsa_init", "%.*s", (int)strcspn(told, ":"), told);
    struct asking a = {.r = &r, .into = into};
    snprintf(into->library, sizeof into->library, "%s", r.path);
    hsa_version(r.system_get_info, &major, &minor);
    into->major = major;
    into->minor = minor;
    ask_vmem(&r, into);
    status = r.iterate_agents(each_agent, &a);
    if (status != HSA_STATUS_SUCCESS && status != HSA_STATUS_INFO_BREAK)
        return error_set(err, ERROR_UNSUPPORTED, EIO, NULL, "hsa_iterate_agents", "%s",
                         hsa_runtime_status(&r, status));
    return 0; /* the process ends now; shutting down could hang */
}
