#include "support/gpu.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool gpu_is_real(void)
{
    return getenv("ROOFTOP_GPU_HARDWARE") != NULL;
}

const char *hsa_text(hsa_status_t status)
{
    static _Thread_local char text[256];
    const char *words = NULL;
    if (hsa_status_string(status, &words) != HSA_STATUS_SUCCESS || !words)
        words = "unknown status";
    snprintf(text, sizeof text, "%#x %s", status, words);
    return text;
}

static hsa_status_t take_agent(hsa_agent_t agent, void *data)
{
    struct gpu *gpu = data;
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU && !gpu->agent.handle)
        gpu->agent = agent;
    if (type == HSA_DEVICE_TYPE_CPU && !gpu->cpu.handle)
        gpu->cpu = agent;
    return HSA_STATUS_SUCCESS;
}

static bool is_global(hsa_amd_memory_pool_t pool, uint32_t *flags)
{
    hsa_amd_segment_t segment;
    *flags = 0;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return false;
    HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, flags));
    return true;
}

static hsa_status_t take_device_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct gpu *gpu = data;
    uint32_t flags;
    if (is_global(pool, &flags) && flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED)
        gpu->vram = pool;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_host_pool(hsa_amd_memory_pool_t pool, void *data)
{
    struct gpu *gpu = data;
    uint32_t flags;
    if (!is_global(pool, &flags))
        return HSA_STATUS_SUCCESS;
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        gpu->kernarg = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        gpu->host = pool;
    return HSA_STATUS_SUCCESS;
}

static void on_queue_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    struct gpu *gpu = data;
    (void)queue;
    gpu->queue_error = (int)status;
}

static hsa_status_t on_event(const hsa_amd_event_t *event, void *data)
{
    struct gpu *gpu = data;
    if (event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        gpu->fault_address = event->memory_fault.virtual_address;
    return HSA_STATUS_SUCCESS;
}

void gpu_find(struct gpu *gpu)
{
    *gpu = (struct gpu){.unhandled = gpu->unhandled};
    HSA(hsa_init());
    HSA(hsa_iterate_agents(take_agent, gpu));
    if (!gpu->agent.handle)
        gpu_fail(__FILE__, __LINE__, "the runtime has no GPU agent");
    HSA(hsa_agent_get_info(gpu->agent, HSA_AGENT_INFO_NAME, gpu->isa));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu->agent, take_device_pool, gpu));
    HSA(hsa_amd_agent_iterate_memory_pools(gpu->cpu, take_host_pool, gpu));
    if (!gpu->vram.handle || !gpu->kernarg.handle || !gpu->host.handle)
        gpu_fail(__FILE__, __LINE__, "a memory pool is missing");
}

void gpu_open(struct gpu *gpu)
{
    gpu_find(gpu);
    if (!gpu->unhandled)
        HSA(hsa_amd_register_system_event_handler(on_event, gpu));
    HSA(hsa_queue_create(gpu->agent, 128, HSA_QUEUE_TYPE_MULTI, on_queue_error, gpu, UINT32_MAX,
                         UINT32_MAX, &gpu->queue));
    HSA(hsa_amd_profiling_set_profiler_enabled(gpu->queue, 1));
    HSA(hsa_signal_create(1, 0, NULL, &gpu->done));
    HSA(hsa_amd_memory_pool_allocate(gpu->kernarg, 4096, 0, &gpu->arguments));
    HSA(hsa_amd_agents_allow_access(1, &gpu->agent, NULL, gpu->arguments));
}

void gpu_close(struct gpu *gpu)
{
    HSA(hsa_amd_memory_pool_free(gpu->arguments));
    HSA(hsa_signal_destroy(gpu->done));
    HSA(hsa_queue_destroy(gpu->queue));
    HSA(hsa_shut_down());
}

void *gpu_allocate(const struct gpu *gpu, size_t size)
{
    void *memory = NULL;
    HSA(hsa_amd_memory_pool_allocate(gpu->vram, size, 0, &memory));
    return memory;
}

void *gpu_upload(const struct gpu *gpu, const void *data, size_t size)
{
    void *memory = gpu_allocate(gpu, size);
    HSA(hsa_memory_copy(memory, data, size));
    return memory;
}

void gpu_download(void *to, const void *device, size_t size)
{
    HSA(hsa_memory_copy(to, device, size));
}

void gpu_free(void *device)
{
    HSA(hsa_amd_memory_pool_free(device));
}

static void *read_file(const char *path, size_t *size)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        gpu_fail(__FILE__, __LINE__, "cannot open %s", path);
    void *bytes = malloc((size_t)status.st_size);
    if (!bytes || read(fd, bytes, (size_t)status.st_size) != status.st_size)
        gpu_fail(__FILE__, __LINE__, "cannot read %s", path);
    close(fd);
    *size = (size_t)status.st_size;
    return bytes;
}

void gpu_code_path(const struct gpu *gpu, char *path, size_t size, const char *name, int level)
{
    const char *folder = getenv("ROOFTOP_GPU_KERNELS");
    snprintf(path, size, "%s/%s.%s.O%d.hsaco", folder ? folder : ".", name, gpu->isa, level);
}

void gpu_load_reader(const struct gpu *gpu, struct module *module, hsa_code_object_reader_t reader)
{
    HSA(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &module->executable));
    HSA(hsa_executable_load_agent_code_object(module->executable, gpu->agent, reader, NULL, NULL));
    HSA(hsa_executable_freeze(module->executable, NULL));
    HSA(hsa_code_object_reader_destroy(reader));
}

void gpu_load(const struct gpu *gpu, struct module *module, const char *name, int level)
{
    char path[1024];
    size_t size;
    hsa_code_object_reader_t reader;
    gpu_code_path(gpu, path, sizeof path, name, level);
    module->bytes = read_file(path, &size);
    HSA(hsa_code_object_reader_create_from_memory(module->bytes, size, &reader));
    gpu_load_reader(gpu, module, reader);
}

void gpu_unload(struct module *module)
{
    HSA(hsa_executable_destroy(module->executable));
    free(module->bytes);
}

static hsa_executable_symbol_t find_symbol(const struct gpu *gpu, const struct module *module,
                                           const char *name)
{
    hsa_executable_symbol_t symbol;
    const hsa_status_t status =
        hsa_executable_get_symbol_by_name(module->executable, name, &gpu->agent, &symbol);
    if (status != HSA_STATUS_SUCCESS)
        gpu_fail(__FILE__, __LINE__, "symbol %s: %s", name, hsa_text(status));
    return symbol;
}

struct kernel gpu_kernel(const struct gpu *gpu, const struct module *module, const char *name)
{
    char symbol_name[256];
    struct kernel kernel;
    snprintf(symbol_name, sizeof symbol_name, "%s.kd", name);
    const hsa_executable_symbol_t symbol = find_symbol(gpu, module, symbol_name);
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                       &kernel.object));
    HSA(hsa_executable_symbol_get_info(
        symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.arguments_size));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                                       &kernel.group_size));
    HSA(hsa_executable_symbol_get_info(
        symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_size));
    return kernel;
}

void *gpu_variable(const struct gpu *gpu, const struct module *module, const char *name)
{
    void *address;
    HSA(hsa_executable_symbol_get_info(find_symbol(gpu, module, name),
                                       HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    return address;
}

void argument(struct arguments *a, const void *value, size_t size)
{
    a->size = (a->size + size - 1) / size * size;
    if (a->size + size > sizeof a->bytes)
        gpu_fail(__FILE__, __LINE__, "too many arguments");
    memcpy(a->bytes + a->size, value, size);
    a->size += size;
}

void gpu_put_arguments(void *to, const struct arguments *a, struct extent3 grid,
                       struct extent3 group)
{
    const uint32_t grids[3] = {grid.x, grid.y, grid.z}, groups[3] = {group.x, group.y, group.z};
    uint8_t *at = to;
    memset(at, 0, ARGUMENTS_SIZE);
    memcpy(at, a->bytes, a->size);
    at += (a->size + 7) / 8 * 8;
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t count = grids[k] / groups[k];
        const uint16_t size = (uint16_t)groups[k], rest = (uint16_t)(grids[k] % groups[k]);
        memcpy(at + 4 * k, &count, 4);
        memcpy(at + 12 + 2 * k, &size, 2);
        memcpy(at + 18 + 2 * k, &rest, 2);
    }
}

bool gpu_wait(const struct gpu *gpu, double seconds)
{
    uint64_t hz;
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hz));
    return hsa_signal_wait_scacquire(gpu->done, HSA_SIGNAL_CONDITION_LT, 1,
                                     (uint64_t)(seconds * (double)hz), HSA_WAIT_STATE_BLOCKED) < 1;
}

hsa_kernel_dispatch_packet_t gpu_packet(const struct kernel *kernel, void *arguments,
                                        struct extent3 grid, struct extent3 group,
                                        uint32_t dynamic_lds, hsa_signal_t done)
{
    return (hsa_kernel_dispatch_packet_t){
        .header = HSA_PACKET_TYPE_KERNEL_DISPATCH |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
        .setup = 3,
        .workgroup_size_x = (uint16_t)group.x,
        .workgroup_size_y = (uint16_t)group.y,
        .workgroup_size_z = (uint16_t)group.z,
        .grid_size_x = grid.x,
        .grid_size_y = grid.y,
        .grid_size_z = grid.z,
        .private_segment_size = kernel->private_size,
        .group_segment_size = kernel->group_size + dynamic_lds,
        .kernel_object = kernel->object,
        .kernarg_address = arguments,
        .completion_signal = done,
    };
}

void gpu_write(const hsa_queue_t *queue, uint64_t index, const void *packet)
{
    uint8_t *at = (uint8_t *)queue->base_address + 64 * (index % queue->size);
    uint32_t first;
    memcpy(&first, packet, sizeof first);
    memcpy(at + 4, (const uint8_t *)packet + 4, 60);
    __atomic_store_n((uint32_t *)at, first, __ATOMIC_RELEASE);
}

void gpu_submit(hsa_queue_t *queue, const void *packet)
{
    const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    gpu_write(queue, index, packet);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

bool gpu_run(struct gpu *gpu, const struct kernel *kernel, const struct arguments *a,
             struct extent3 grid, struct extent3 group, uint32_t dynamic_lds, double wait)
{
    gpu_put_arguments(gpu->arguments, a, grid, group);
    hsa_signal_store_relaxed(gpu->done, 1);
    const hsa_kernel_dispatch_packet_t packet =
        gpu_packet(kernel, gpu->arguments, grid, group, dynamic_lds, gpu->done);
    gpu_submit(gpu->queue, &packet);
    return wait <= 0 || gpu_wait(gpu, wait);
}
