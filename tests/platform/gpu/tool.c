// A tools library (HSA_TOOLS_LIB): every queue that the program creates becomes an intercept queue,
// whose packets are counted on their way. test_tools.c asks for the counts.
#include "api_table.h" // made of the runtime's own header
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void (*writer_t)(const void *packets, uint64_t count);
typedef void (*handler_t)(const void *packets, uint64_t count, uint64_t index, void *data,
                          writer_t writer);
typedef void (*queue_error_t)(hsa_status_t, hsa_queue_t *, void *);
typedef hsa_status_t (*create_t)(hsa_agent_t, uint32_t, hsa_queue_type32_t, queue_error_t, void *,
                                 uint32_t, uint32_t, hsa_queue_t **);
typedef hsa_status_t (*register_t)(hsa_queue_t *, handler_t, void *);

struct version {
    uint32_t major, minor, step, reserved; // minor: bytes of the table
};
struct tables {
    struct version version;
    uint8_t *core, *amd, *finalizer, *image;
};

struct tool_counts {
    int loaded, unloaded, queues;
    uint64_t packets, dispatches;
    uint32_t core_size, amd_size;
};
#define EXPORT __attribute__((visibility("default")))
EXPORT struct tool_counts tool_counts;

static create_t intercept_create;
static register_t intercept_register;

// `into` is a pointer to a function.
static bool take(const uint8_t *table, size_t offset, void *into)
{
    const size_t size = sizeof(create_t);
    struct version version;
    memcpy(&version, table, sizeof version);
    if (version.minor < offset + size)
        return false;
    memcpy(into, table + offset, size);
    return true;
}

static void on_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                       writer_t writer)
{
    const uint8_t *packet = packets;
    (void)index, (void)data;
    for (uint64_t k = 0; k < count; k++)
        tool_counts.dispatches += packet[64 * k] == HSA_PACKET_TYPE_KERNEL_DISPATCH;
    tool_counts.packets += count;
    writer(packets, count);
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 queue_error_t callback, void *data, uint32_t private_size,
                                 uint32_t group_size, hsa_queue_t **queue)
{
    const hsa_status_t status =
        intercept_create(agent, size, type, callback, data, private_size, group_size, queue);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    tool_counts.queues++;
    return intercept_register(*queue, on_packets, NULL);
}

EXPORT bool OnLoad(struct tables *tables, uint64_t version, uint64_t failed,
                   const char *const *names);
EXPORT bool OnLoad(struct tables *tables, uint64_t version, uint64_t failed,
                   const char *const *names)
{
    (void)version, (void)failed, (void)names;
    if (!take(tables->amd, AmdExtTable_hsa_amd_queue_intercept_create, &intercept_create) ||
        !take(tables->amd, AmdExtTable_hsa_amd_queue_intercept_register, &intercept_register))
        return false;
    memcpy(&tool_counts.core_size, tables->core + 4, 4);
    memcpy(&tool_counts.amd_size, tables->amd + 4, 4);
    const create_t replacement = create_queue;
    memcpy(tables->core + CoreApiTable_hsa_queue_create, &replacement, sizeof replacement);
    tool_counts.loaded++;
    return true;
}

EXPORT void OnUnload(void);
EXPORT void OnUnload(void)
{
    tool_counts.unloaded++;
}
