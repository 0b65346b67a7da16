/* The functions that the program calls in place of the runtime's. Each calls the runtime's own. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "capture/calls.h"
#include "capture/gate.h"
#include "capture/capture_impl.h"

enum { SMALLEST_INTERCEPTED = 4 }; /* packets; the runtime needs three itself */

/* --- queues --- */

static void queue_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
    struct gate_queue *q = data;
    atomic_store(&q->error_status, (int)status);
    atomic_store(&q->failed, true);
    if (q->error)
        q->error(status, queue, q->error_data);
}

static void drop_signals(const struct gate_queue *q)
{
    const hsa_signal_t all[] = {q->idle, q->hold, q->nudge_signal};
    for (int i = 0; i < 3; i++)
        if (all[i].handle)
            hsa.signal_destroy(all[i]);
}

static bool make_queue_signals(struct gate_queue *q)
{
    hsa_signal_t *all[] = {&q->idle, &q->hold, &q->nudge_signal};
    bool made = true;
    for (int i = 0; i < 3; i++) {
        *all[i] = (hsa_signal_t){0};
        made = made && hsa.signal_create(1, 0, NULL, all[i]) == HSA_STATUS_SUCCESS;
    }
    if (!made)
        drop_signals(q);
    return made;
}

/* Creates an intercepted queue; NULL: it could not be intercepted. */
static struct gate_queue *create_intercepted(hsa_agent_t agent, uint32_t size,
                                             hsa_queue_type32_t type, call_queue_error error,
                                             void *data, uint32_t private_size, uint32_t group_size,
                                             hsa_queue_t **out)
{
    struct gate_queue *q = size >= SMALLEST_INTERCEPTED ? gate_queue_new() : NULL;
    if (!q)
        return NULL;
    q->agent = agent;
    q->error = error;
    q->error_data = data;
    q->several = type == HSA_QUEUE_TYPE_MULTI;
    q->profiled = false;
    if (make_queue_signals(q)) {
        if (hsa.intercept_create(agent, size, type, queue_error, q, private_size, group_size,
                                 out) == HSA_STATUS_SUCCESS) {
            q->hsa = *out;
            q->id = (*out)->id;
            gate_queue_ready(q);
            if (hsa.intercept_register(*out, intercept_packets, q) == HSA_STATUS_SUCCESS)
                return q;
            gate_queue_gone(q);
            hsa.queue_destroy(*out);
        }
        drop_signals(q);
    }
    q->hsa = NULL;
    return NULL;
}

static hsa_status_t hook_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                      call_queue_error error, void *data, uint32_t private_size,
                                      uint32_t group_size, hsa_queue_t **out)
{
    hsa_device_type_t device = HSA_DEVICE_TYPE_CPU;
    hsa.agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &device);
    const bool wanted = device == HSA_DEVICE_TYPE_GPU && out;
    if (wanted &&
        create_intercepted(agent, size, type, error, data, private_size, group_size, out)) {
        atomic_fetch_add(&tool.control->queues, 1);
        return HSA_STATUS_SUCCESS;
    }
    const hsa_status_t status =
        hsa.queue_create(agent, size, type, error, data, private_size, group_size, out);
    if (wanted && status == HSA_STATUS_SUCCESS) {
        atomic_fetch_add(&tool.control->queues, 1);
        atomic_fetch_add(&tool.control->plain_queues, 1);
        atomic_fetch_add(&tool.plain_queues, 1);
        tool_say("a queue could not be intercepted: its dispatches are not seen");
    }
    return status;
}

static hsa_status_t hook_queue_destroy(hsa_queue_t *queue)
{
    gate_hook_enter();
    struct gate_queue *q = gate_queue_of(queue);
    if (q)
        gate_queue_gone(q);
    const hsa_status_t status = hsa.queue_destroy(queue);
    if (q) {
        drop_signals(q);
        q->hsa = NULL; /* the record is free for another queue */
    }
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_set_profiler_enabled(hsa_queue_t *queue, int enable)
{
    const hsa_status_t status = hsa.set_profiler_enabled(queue, enable);
    struct gate_queue *q = gate_queue_of(queue);
    if (q && status == HSA_STATUS_SUCCESS)
        q->profiled = enable;
    return status;
}

/* --- faults --- */

enum { HANDLERS = 16 };

/*
 * The program's handlers, in order of registration; each is registered with its own entry as data.
 */
static struct handler {
    hsa_amd_system_event_callback_t call;
    void *data;
} handlers[HANDLERS];
static _Atomic unsigned nhandlers;

/* Runs before the program's own handler of system events. The runtime has room for only one
 * handler, and for a dispatch that faults it may call no other callback: the dispatch never
 * completes, and the queue's callback may not be called. */
static hsa_status_t system_event(const hsa_amd_event_t *event, void *data)
{
    const struct handler *own = data;
    if (event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        gate_fault(event->memory_fault.agent.handle, event->memory_fault.virtual_address);
    return own->call(event, own->data);
}

static hsa_status_t hook_register_system_event(hsa_amd_system_event_callback_t call, void *data)
{
    const unsigned i = call ? atomic_fetch_add(&nhandlers, 1) : HANDLERS;
    if (i >= HANDLERS) /* the table is full: the runtime calls the handler directly */
        return hsa.register_system_event(call, data);
    handlers[i] = (struct handler){call, data};
    return hsa.register_system_event(system_event, &handlers[i]);
}

/* --- code objects --- */

static void keep_failed(const char *what)
{
    char line[160];
    snprintf(line, sizeof line, "a code object %s: its kernels cannot be captured", what);
    tool_say(line);
}

static hsa_status_t hook_reader_from_file(hsa_file_t file, hsa_code_object_reader_t *reader)
{
    const hsa_status_t status = hsa.reader_from_file(file, reader);
    if (status == HSA_STATUS_SUCCESS && !objects_reader_file(reader->handle, file))
        keep_failed("could not be read from its file");
    return status;
}

static hsa_status_t hook_reader_from_memory(const void *code, size_t size,
                                            hsa_code_object_reader_t *reader)
{
    const hsa_status_t status = hsa.reader_from_memory(code, size, reader);
    if (status == HSA_STATUS_SUCCESS && !objects_reader_memory(reader->handle, code, size))
        keep_failed("could not be kept: there is no memory left");
    return status;
}

static hsa_status_t hook_reader_destroy(hsa_code_object_reader_t reader)
{
    objects_reader_gone(reader.handle);
    return hsa.reader_destroy(reader);
}

/* The program may not ask for the loaded code object; we need it. */
static hsa_status_t hook_load_agent(hsa_executable_t executable, hsa_agent_t agent,
                                    hsa_code_object_reader_t reader, const char *options,
                                    hsa_loaded_code_object_t *out)
{
    hsa_loaded_code_object_t loaded = {0};
    const hsa_status_t status = hsa.load_agent(executable, agent, reader, options, &loaded);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    if (out)
        *out = loaded;
    if (!objects_loaded(executable.handle, reader.handle, loaded.handle))
        keep_failed("was loaded that was not seen before");
    return status;
}

static hsa_status_t hook_load_program(hsa_executable_t executable, hsa_code_object_reader_t reader,
                                      const char *options, hsa_loaded_code_object_t *out)
{
    hsa_loaded_code_object_t loaded = {0};
    const hsa_status_t status = hsa.load_program(executable, reader, options, &loaded);
    if (status != HSA_STATUS_SUCCESS)
        return status;
    if (out)
        *out = loaded;
    if (!objects_loaded(executable.handle, reader.handle, loaded.handle))
        keep_failed("was loaded that was not seen before");
    return status;
}

/* A capture reads the executable's code and variables, so destroying waits at the gate. */
static hsa_status_t hook_executable_destroy(hsa_executable_t executable)
{
    gate_hook_enter();
    seen_executable_gone(executable.handle);
    objects_executable_gone(executable.handle);
    const hsa_status_t status = hsa.executable_destroy(executable);
    gate_hook_leave();
    return status;
}

/* --- memory --- */

static hsa_status_t hook_pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                       void **memory)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.pool_allocate(pool, size, flags, memory);
    if (status == HSA_STATUS_SUCCESS)
        track_allocated(pool.handle, *memory, size);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_memory_lock(void *own, size_t size, hsa_agent_t *agents, int n,
                                     void **seen)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.memory_lock(own, size, agents, n, seen);
    if (status == HSA_STATUS_SUCCESS)
        track_locked(own, *seen, size);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_memory_lock_to_pool(void *own, size_t size, hsa_agent_t *agents, int n,
                                             hsa_amd_memory_pool_t pool, uint32_t flags,
                                             void **seen)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.memory_lock_to_pool(own, size, agents, n, pool, flags, seen);
    if (status == HSA_STATUS_SUCCESS)
        track_locked(own, *seen, size);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_memory_unlock(void *own)
{
    gate_hook_enter();
    track_unlocked(own);
    const hsa_status_t status = hsa.memory_unlock(own);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_memory_allocate(hsa_region_t region, size_t size, void **memory)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.memory_allocate(region, size, memory);
    if (status == HSA_STATUS_SUCCESS)
        track_allocated(region.handle, *memory, size); /* regions are pools under another name */
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_pool_free(void *memory)
{
    gate_hook_enter();
    track_freed(memory);
    const hsa_status_t status = hsa.pool_free(memory);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_memory_free(void *memory)
{
    gate_hook_enter();
    track_freed(memory);
    const hsa_status_t status = hsa.memory_free(memory);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_vmem_reserve(void **va, size_t size, uint64_t address, uint64_t flags)
{
    const hsa_status_t status = hsa.vmem_reserve(va, size, address, flags);
    if (status == HSA_STATUS_SUCCESS)
        track_reserved(*va, size);
    return status;
}

static hsa_status_t hook_vmem_reserve_align(void **va, size_t size, uint64_t address,
                                            uint64_t alignment, uint64_t flags)
{
    const hsa_status_t status = hsa.vmem_reserve_align(va, size, address, alignment, flags);
    if (status == HSA_STATUS_SUCCESS)
        track_reserved(*va, size);
    return status;
}

static hsa_status_t hook_vmem_free(void *va, size_t size)
{
    gate_hook_enter();
    track_unreserved(va);
    const hsa_status_t status = hsa.vmem_free(va, size);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_vmem_create(hsa_amd_memory_pool_t pool, size_t size, int type,
                                     uint64_t flags, struct call_vmem_handle *out)
{
    const hsa_status_t status = hsa.vmem_create(pool, size, type, flags, out);
    if (status == HSA_STATUS_SUCCESS)
        track_created(out->handle, pool.handle, size);
    return status;
}

static hsa_status_t hook_vmem_release(struct call_vmem_handle handle)
{
    const hsa_status_t status = hsa.vmem_release(handle);
    if (status == HSA_STATUS_SUCCESS)
        track_released(handle.handle);
    return status;
}

static hsa_status_t hook_vmem_map(void *va, size_t size, size_t offset,
                                  struct call_vmem_handle handle, uint64_t flags)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.vmem_map(va, size, offset, handle, flags);
    if (status == HSA_STATUS_SUCCESS)
        track_mapped(va, size, handle.handle);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_vmem_unmap(void *va, size_t size)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.vmem_unmap(va, size);
    if (status == HSA_STATUS_SUCCESS)
        track_unmapped(va, size);
    gate_hook_leave();
    return status;
}

static hsa_status_t hook_vmem_set_access(void *va, size_t size,
                                         const struct call_vmem_access *access, size_t n)
{
    gate_hook_enter();
    const hsa_status_t status = hsa.vmem_set_access(va, size, access, n);
    if (status == HSA_STATUS_SUCCESS)
        track_access(va, size, access, n);
    gate_hook_leave();
    return status;
}

#define HOOK(name)                                                                                 \
    {                                                                                              \
        CALL_##name, (call_any)(hook_##name)                                                       \
    }
static const struct {
    enum call which;
    call_any ours;
} table[] = {
    HOOK(queue_create),
    HOOK(queue_destroy),
    HOOK(set_profiler_enabled),
    HOOK(reader_from_file),
    HOOK(reader_from_memory),
    HOOK(reader_destroy),
    HOOK(load_agent),
    HOOK(load_program),
    HOOK(executable_destroy),
    HOOK(pool_allocate),
    HOOK(pool_free),
    HOOK(memory_allocate),
    HOOK(memory_lock),
    HOOK(memory_lock_to_pool),
    HOOK(memory_unlock),
    HOOK(memory_free),
    HOOK(vmem_reserve),
    HOOK(vmem_reserve_align),
    HOOK(vmem_free),
    HOOK(vmem_create),
    HOOK(vmem_release),
    HOOK(vmem_map),
    HOOK(vmem_unmap),
    HOOK(vmem_set_access),
    HOOK(register_system_event),
};

void hooks_install(const void *root)
{
    atomic_store(&nhandlers, 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        call_any *entry = calls_entry(root, table[i].which);
        if (entry && *entry)
            *entry = table[i].ours;
    }
}
