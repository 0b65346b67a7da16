#include "backends/replay/device/device.h"

#include <stdio.h>
#include <string.h>

#include "gpu/hsa_version.h"
#include "gpu/isa.h"

/* Constants of hsa_ext_amd.h that older headers lack. */
enum { INFO_MEMORY_AVAILABLE = 0xA015 };

struct agent_search {
    struct replay_device *d;
    int wanted;
};

static hsa_status_t take_agent(hsa_agent_t agent, void *ctx)
{
    struct agent_search *s = ctx;
    struct replay_device *d = s->d;
    hsa_device_type_t type;
    if (d->r.agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS)
        return HSA_STATUS_SUCCESS;
    if (type == HSA_DEVICE_TYPE_CPU && !d->cpu.handle)
        d->cpu = agent;
    if (type == HSA_DEVICE_TYPE_GPU && d->gpus++ == s->wanted)
        d->gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static bool is_global(struct replay_device *d, hsa_amd_memory_pool_t pool, uint32_t *flags)
{
    hsa_amd_segment_t segment;
    bool allowed = false;
    *flags = 0;
    return d->r.amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) ==
               HSA_STATUS_SUCCESS &&
           segment == HSA_AMD_SEGMENT_GLOBAL &&
           d->r.amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, flags) ==
               HSA_STATUS_SUCCESS &&
           d->r.amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                         &allowed) == HSA_STATUS_SUCCESS &&
           allowed;
}

static hsa_status_t take_device_pool(hsa_amd_memory_pool_t pool, void *ctx)
{
    struct replay_device *d = ctx;
    uint32_t flags;
    size_t size = 0;
    if (!is_global(d, pool, &flags) || d->vram.handle ||
        !(flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED))
        return HSA_STATUS_SUCCESS;
    d->vram = pool;
    if (d->r.amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size) ==
        HSA_STATUS_SUCCESS)
        d->free_bytes = size;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_host_pool(hsa_amd_memory_pool_t pool, void *ctx)
{
    struct replay_device *d = ctx;
    uint32_t flags;
    if (is_global(d, pool, &flags) && (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) &&
        !d->kernarg.handle)
        d->kernarg = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_isa(hsa_isa_t isa, void *ctx)
{
    struct replay_device *d = ctx;
    uint32_t length = 0;
    if (d->nisas < REPLAY_ISAS &&
        d->r.isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) == HSA_STATUS_SUCCESS &&
        length < sizeof d->isas[0] &&
        d->r.isa_get_info_alt(isa, HSA_ISA_INFO_NAME, d->isas[d->nisas]) == HSA_STATUS_SUCCESS)
        d->nisas++;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t note_memory_fault(const hsa_amd_event_t *event, void *ctx)
{
    struct replay_device *d = ctx;
    if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        return HSA_STATUS_SUCCESS;
    d->fault_address = event->memory_fault.virtual_address;
    d->fault_reason = event->memory_fault.fault_reason_mask;
    d->faulted = true;
    return HSA_STATUS_SUCCESS; /* handled, so the runtime does not abort */
}

static void describe_device(struct replay_device *d)
{
    uint16_t major, minor;
    uint64_t available = 0;
    d->r.agent_get_info(d->gpu, HSA_AGENT_INFO_NAME, d->name);
    if (d->r.agent_get_info(d->gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME,
                            d->product) != HSA_STATUS_SUCCESS)
        d->product[0] = '\0';
    hsa_version(d->r.system_get_info, &major, &minor);
    d->r.system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &d->hz);
    snprintf(d->version, sizeof d->version, "%u.%u", major, minor);
    d->r.agent_iterate_isas(d->gpu, take_isa, d);
    d->r.amd_agent_iterate_memory_pools(d->gpu, take_device_pool, d);
    d->r.amd_agent_iterate_memory_pools(d->cpu, take_host_pool, d);
    if (d->r.agent_get_info(d->gpu, (hsa_agent_info_t)INFO_MEMORY_AVAILABLE, &available) ==
            HSA_STATUS_SUCCESS &&
        available) {
        d->free_bytes = available;
        d->has_free = true;
    }
}

static int find_gpu(struct replay_device *d, int index, struct replay_failure *f)
{
    struct agent_search search = {d, index};
    d->index = index;
    d->r.iterate_agents(take_agent, &search);
    if (d->gpus == 0)
        return replay_fail(f, REPLAY_RUNTIME,
                           "is the driver amdgpu loaded, and may you open /dev/kfd?", "find a GPU",
                           "the HSA runtime knows none");
    if (!d->gpu.handle)
        return replay_fail(f, REPLAY_USAGE, NULL, "--agent", "there is no GPU %d, only 0 to %d",
                           index, d->gpus - 1);
    describe_device(d);
    if (!d->hz)
        return replay_fail(f, REPLAY_RUNTIME, "does rocminfo work? see dmesg", "measure times",
                           "the runtime does not tell how fast its clock ticks");
    if (!d->vram.handle || !d->kernarg.handle)
        return replay_fail(f, REPLAY_RUNTIME, "does rocminfo list its pools? see dmesg",
                           "find the GPU's memory", "the runtime names no pool for %s",
                           !d->vram.handle ? "device memory" : "arguments");
    return 0;
}

/* Checks, after hsa_init, whether runtime and driver together support it. */
static int check_vmem(struct replay_device *d, struct replay_failure *f)
{
    bool supported = false;
    if (d->r.system_get_info((hsa_system_info_t)HSA_INFO_VMEM_SUPPORTED, &supported) ==
            HSA_STATUS_SUCCESS &&
        supported)
        return 0;
    return replay_fail(f, REPLAY_RUNTIME, "use a Linux kernel or amdgpu-dkms of ROCm 6.0 or later",
                       "virtual memory",
                       "the kernel driver does not support it: needed is KFD's interface 1.15");
}

static int start_device(struct replay_device *d, int index, bool needs_vmem,
                        struct replay_failure *f)
{
    if (needs_vmem && !d->r.has_vmem)
        return replay_fail(f, REPLAY_RUNTIME, "install ROCm 6.0 or later", "virtual memory",
                           "%s has no hsa_amd_vmem_address_reserve: it came with ROCm 6.0",
                           d->r.path);
    const hsa_status_t status = d->r.init();
    if (status != HSA_STATUS_SUCCESS)
        return replay_fail(f, REPLAY_RUNTIME,
                           "is there an AMD GPU with the driver amdgpu, and may you open /dev/kfd "
                           "(groups render, video)?",
                           "initialise the HSA runtime", "%s", hsa_runtime_status(&d->r, status));
    d->initialised = true;
    if (find_gpu(d, index, f) != 0 || (needs_vmem && check_vmem(d, f) != 0))
        return -1;
    d->r.amd_register_system_event_handler(note_memory_fault, d);
    return 0;
}

int replay_device_open(struct replay_device *d, int index, bool needs_vmem,
                       struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    *d = (struct replay_device){0};
    if (hsa_runtime_open(&d->r, &err) != 0)
        return replay_fail_as(f, REPLAY_RUNTIME, &err);
    if (start_device(d, index, needs_vmem, f) == 0)
        return 0;
    replay_device_close(d);
    return -1;
}

/* Keeps the library loaded: its threads may still run. */
void replay_device_close(struct replay_device *d)
{
    if (d->initialised)
        d->r.shut_down();
    d->initialised = false;
}

int replay_device_runs(const struct replay_device *d, const char *isa, const char *what,
                       struct replay_failure *f)
{
    char why[160] = "the GPU names no instruction set";
    for (size_t i = 0; i < d->nisas; i++)
        if (isa_runs_on(isa, d->isas[i], why, sizeof why))
            return 0;
    return replay_fail(f, REPLAY_ISA, NULL, what, "is for %s, the GPU is %s: %s", isa,
                       d->nisas ? d->isas[0] : d->name, why);
}

int replay_device_failed(const struct replay_device *d, hsa_status_t status, enum replay_kind kind,
                         const char *what, struct replay_failure *f)
{
    return replay_fail(f, kind, NULL, what, "%s", hsa_runtime_status(&d->r, status));
}

static void tell_fault(struct replay_device *d, struct replay_failure *f)
{
    const uint32_t reason = d->fault_reason;
    f->has_address = true;
    f->address = d->fault_address;
    replay_fail(f, REPLAY_FAULT, NULL, "memory fault of the GPU", "at 0x%llx%s%s",
                (unsigned long long)f->address,
                reason & HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT ? ": nothing is mapped there" : "",
                reason & HSA_AMD_MEMORY_FAULT_READ_ONLY ? ": it may not be written" : "");
}

enum replay_kind replay_device_trouble(struct replay_device *d, struct replay_failure *f)
{
    const int status = d->queue_status;
    if (d->faulted) {
        tell_fault(d, f);
        return REPLAY_FAULT;
    }
    if (!status)
        return REPLAY_OK;
    const bool illegal = status == HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    replay_fail(f, illegal ? REPLAY_ILLEGAL : REPLAY_QUEUE, NULL,
                illegal ? "illegal instruction" : "the queue died", "%s",
                hsa_runtime_status(&d->r, (hsa_status_t)status));
    return f->kind;
}
