/*
 * Reads GPUs, the numbers that each process gives them, and the streams that are the queues of the
 * trace.
 */
#include <inttypes.h>
#include <stdio.h>

#include "backends/nsys/nsys_impl.h"

#include "base/list.h"

/* --- the GPUs of the machines --- */

enum gpu_column { MACHINE, ID, NAME, CUDA_DEVICE, MEMORY, CLOCK, UNITS, MAJOR, MINOR, CHIP };

static uint32_t read_positive_number(const struct sqlite_rows *r, int column, int64_t unit)
{
    int64_t value;
    if (!sqlite_rows_int(r, column, &value) || value <= 0 || value / unit >= TRACE_UNKNOWN)
        return TRACE_UNKNOWN;
    return (uint32_t)(value / unit);
}

static uint32_t intern_gpu_arch(struct nsys *n, const struct sqlite_rows *r)
{
    int64_t major, minor;
    char name[48];
    if (!sqlite_rows_int(r, MAJOR, &major) || !sqlite_rows_int(r, MINOR, &minor) || major <= 0)
        return nsys_name(n, r, CHIP);
    snprintf(name, sizeof name, "sm_%" PRId64 "%" PRId64, major, minor);
    return graph_intern(n->g, name);
}

/* The name for a GPU that the file does not name. */
static uint32_t some_gpu(struct nsys *n)
{
    return graph_intern(n->g, "NVIDIA GPU");
}

static void add_nsys_gpu(struct nsys *n, const struct sqlite_rows *r)
{
    int64_t machine = 0, memory = 0;
    struct nsys_gpu *gpu;
    LIST_ROOM(n->gpus, n->ngpus, n->gpus_cap);
    gpu = &n->gpus[n->ngpus];
    *gpu = (struct nsys_gpu){.id = -1, .cuda_device = -1};
    if (!sqlite_rows_int(r, ID, &gpu->id) || gpu->id < 0 || gpu->id >= TRACE_UNKNOWN)
        return;
    sqlite_rows_int(r, CUDA_DEVICE, &gpu->cuda_device);
    sqlite_rows_int(r, MACHINE, &machine);
    sqlite_rows_int(r, MEMORY, &memory);
    gpu->machine = nsys_machine((uint64_t)machine);
    uint32_t model = nsys_name(n, r, NAME);
    gpu->agent = (struct trace_agent){.name = intern_gpu_arch(n, r),
                                      .model = model != GRAPH_NONE ? model : some_gpu(n),
                                      .host = ids_get(&n->hosts, gpu->machine),
                                      .number = (uint32_t)gpu->id,
                                      .gpu = true,
                                      .units = read_positive_number(r, UNITS, 1),
                                      .clock_mhz = read_positive_number(r, CLOCK, 1000000),
                                      .memory_bytes = memory > 0 ? (uint64_t)memory : 0};
    n->ngpus++;
}

static int read_gpus(struct nsys *n)
{
    static const char *const columns[] = {[MACHINE] = "vmId",       [ID] = "id",
                                          [NAME] = "name",          [CUDA_DEVICE] = "cuDevice",
                                          [MEMORY] = "totalMemory", [CLOCK] = "clockRate",
                                          [UNITS] = "smCount",      [MAJOR] = "computeMajor",
                                          [MINOR] = "computeMinor", [CHIP] = "chipName"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "TARGET_INFO_GPU", columns, CHIP + 1);
    while (rc == 0 && n->ngpus < NSYS_MAX_GPUS && (rc = sqlite_rows_next(&r)) == 1) {
        add_nsys_gpu(n, &r);
        rc = 0;
    }
    sqlite_rows_close(&r);
    return rc;
}

/* Whether CUDA's numbers can identify the GPUs. Users know these numbers, and the profiler's
 * reports show them; its own ids may be in another order. They are usable if each GPU of a machine
 * has a different one. */
static bool numbered_by_cuda(const struct nsys *n, const struct nsys_gpu *gpu)
{
    for (uint32_t i = 0; i < n->ngpus; i++) {
        const struct nsys_gpu *other = &n->gpus[i];
        if (other->machine == gpu->machine &&
            (other->cuda_device < 0 || other->cuda_device >= TRACE_UNKNOWN))
            return false;
        if (other->machine == gpu->machine && other != gpu &&
            other->cuda_device == gpu->cuda_device)
            return false;
    }
    return true;
}

static void number_gpus(struct nsys *n)
{
    bool all = true;
    for (uint32_t i = 0; i < n->ngpus; i++)
        all = all && numbered_by_cuda(n, &n->gpus[i]);
    for (uint32_t i = 0; i < n->ngpus && all; i++)
        n->gpus[i].agent.number = (uint32_t)n->gpus[i].cuda_device;
}

/* Reads the devices of each process, which may see the GPUs in another order
 * (CUDA_VISIBLE_DEVICES). */
static int read_devices(struct nsys *n)
{
    static const char *const columns[] = {"gpuId", "cudaId", "pid"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, "TARGET_INFO_CUDA_DEVICE", columns, 3);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t gpu, device, pid;
        rc = 0;
        if (sqlite_rows_int(&r, 0, &gpu) && sqlite_rows_int(&r, 1, &device) &&
            sqlite_rows_int(&r, 2, &pid) && gpu >= 0 && gpu < TRACE_UNKNOWN)
            ids_add(&n->gpu_of_device, nsys_pair((uint32_t)pid, (uint32_t)device), (uint32_t)gpu);
    }
    sqlite_rows_close(&r);
    return rc;
}

/* Finds processes with several contexts on a device. Green contexts are parts of one context. */
static int read_contexts(struct nsys *n, const char *table)
{
    static const char *const columns[] = {"processId", "deviceId", "isGreenContext"};
    struct sqlite_rows r;
    int rc = sqlite_rows_open(&r, &n->file, table, columns, 3);
    while (rc == 0 && (rc = sqlite_rows_next(&r)) == 1) {
        int64_t pid, device, green = 0;
        rc = 0;
        sqlite_rows_int(&r, 2, &green);
        if (green || !sqlite_rows_int(&r, 0, &pid) || !sqlite_rows_int(&r, 1, &device))
            continue;
        uint64_t key = nsys_pair((uint32_t)pid, (uint32_t)device);
        if (!ids_add(&n->contexts, key, 1))
            ids_add(&n->several, key, 1);
    }
    sqlite_rows_close(&r);
    return rc;
}

int nsys_read_gpus(struct nsys *n)
{
    int rc = read_gpus(n);
    number_gpus(n);
    if (rc == 0)
        rc = read_devices(n);
    if (rc == 0)
        rc = read_contexts(n, "TARGET_INFO_CUDA_CONTEXT_INFO");
    if (rc == 0)
        rc = read_contexts(n, "TARGET_INFO_CUDA_NULL_STREAM"); /* in 2022 */
    return rc;
}

/* --- devices and queues --- */

/* The GPU for a process's device number: from the file, else by CUDA's default numbering, else by
 * the GPU's own id. */
static const struct nsys_gpu *find_gpu_of_device(const struct nsys *n, uint64_t process,
                                                 uint32_t device)
{
    uint32_t id = ids_get(&n->gpu_of_device, nsys_pair(nsys_pid(process), device));
    const uint32_t own = id != IDS_NONE ? id : device;
    const struct nsys_gpu *by_cuda = NULL, *by_id = NULL;
    for (uint32_t i = 0; i < n->ngpus; i++) {
        const struct nsys_gpu *gpu = &n->gpus[i];
        bool here = gpu->machine == nsys_machine(process) || !process || !gpu->machine;
        if (here && gpu->id == own && !by_id)
            by_id = gpu;
        if (here && gpu->cuda_device == device && !by_cuda)
            by_cuda = gpu;
    }
    return id == IDS_NONE && by_cuda ? by_cuda : by_id;
}

static uint32_t find_or_add_device(struct nsys *n, uint32_t process, uint32_t device,
                                   uint32_t context)
{
    bool is_new;
    uint32_t i = ids_number(&n->devices_by_id, nsys_pair(process, device), &is_new);
    if (!is_new)
        return i;
    uint64_t id = n->processes[process].id;
    const struct nsys_gpu *gpu = find_gpu_of_device(n, id, device);
    struct trace_agent unknown = {.name = GRAPH_NONE,
                                  .model = some_gpu(n),
                                  .host = ids_get(&n->hosts, nsys_machine(id)),
                                  .number = device,
                                  .gpu = true,
                                  .units = TRACE_UNKNOWN,
                                  .clock_mhz = TRACE_UNKNOWN};
    LIST_ROOM(n->devices, n->ndevices, n->devices_cap);
    struct nsys_device *d = &n->devices[n->ndevices++];
    *d = (struct nsys_device){
        .agent = TRACE_UNKNOWN, .number = device, .first_context = context, .process = process};
    if (gpu || (device != IDS_NONE && n->ndevices <= NSYS_MAX_GPUS))
        d->agent = trace_add_agent(n->t, gpu ? &gpu->agent : &unknown);
    if (gpu)
        d->number = gpu->agent.number;
    d->several = ids_get(&n->several, nsys_pair(nsys_pid(id), device)) != IDS_NONE;
    return i;
}

static uint32_t queue_name(struct nsys *n, uint32_t gpu, uint32_t context, uint32_t stream)
{
    char name[80] = "GPU";
    size_t used = 3;
    if (gpu != IDS_NONE)
        used += (size_t)snprintf(name + used, sizeof name - used, " %" PRIu32, gpu);
    if (context != IDS_NONE)
        used += (size_t)snprintf(name + used, sizeof name - used, " context %" PRIu32, context);
    if (stream != IDS_NONE)
        snprintf(name + used, sizeof name - used, " stream %" PRIu32, stream);
    return graph_intern(n->g, name);
}

static uint32_t new_queue(struct nsys *n, const struct nsys_device *d, uint32_t context,
                          uint32_t stream)
{
    uint32_t program = nsys_process_node(n, d->process);
    bool tell = d->several || context != d->first_context;
    uint32_t name = queue_name(n, d->number, tell ? context : IDS_NONE, stream);
    uint32_t node = program == GRAPH_NONE ? GRAPH_NONE
                                          : graph_add(n->g, NODE_QUEUE, name, program,
                                                      EDGE_LAUNCHES, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    if (node != GRAPH_NONE)
        graph_detail(n->g, node)->thread.id = stream == IDS_NONE ? -1 : (int64_t)stream;
    return node;
}

struct nsys_lane nsys_queue(struct nsys *n, uint32_t process, uint32_t device, uint32_t context,
                            uint32_t stream)
{
    bool is_new, other;
    const struct nsys_lane *l = &n->last;
    if (l->node != GRAPH_NONE && l->process == process && l->device == device &&
        l->context == context && l->stream == stream)
        return n->last; /* rows of a stream are mostly consecutive */
    uint32_t d = find_or_add_device(n, process, device, context);
    uint32_t c = ids_number(&n->contexts_by_id, nsys_pair(d, context), &other);
    uint32_t q = ids_number(&n->queues_by_id, nsys_pair(c, stream), &is_new);
    if (is_new)
        LIST_ADD(n->queues, n->nqueues, n->queues_cap,
                 new_queue(n, &n->devices[d], context, stream));
    n->last =
        (struct nsys_lane){n->queues[q], n->devices[d].agent, process, device, context, stream};
    return n->last;
}
