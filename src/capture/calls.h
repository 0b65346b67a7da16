/*
 * The HSA runtime's functions, which it gives a tools library as tables of pointers that the
 * library may replace. hsa_api_trace.h is C++ only and fits one release. Here each function is
 * declared with its index, and used only if the runtime's table is long enough.
 *
 * A table begins with four 32-bit numbers (major, minor, step, reserved); minor is its size in
 * bytes, and the i-th function is at 16 + 8 i. The core table never changed its order. In ROCm 5.6
 * the table of AMD's extensions got two functions in its middle, with an unchanged major number: up
 * to 424 bytes it has the old layout, from 456 bytes on the new one.
 */
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*call_writer)(const void *packets, uint64_t count);
typedef void (*call_handler)(const void *packets, uint64_t count, uint64_t index, void *data,
                             call_writer writer);
typedef void (*call_queue_error)(hsa_status_t status, hsa_queue_t *queue, void *data);

/* As in hsa_ext_amd.h of ROCm 6.0; older headers do not have them. */
struct call_vmem_handle {
    uint64_t handle;
};
struct call_vmem_access {
    uint32_t permissions; /* 1 read, 2 write, 3 both */
    hsa_agent_t agent;
};
typedef hsa_status_t call_intercept_create(hsa_agent_t agent, uint32_t size,
                                           hsa_queue_type32_t type, call_queue_error error,
                                           void *data, uint32_t private_size, uint32_t group_size,
                                           hsa_queue_t **queue);
typedef hsa_status_t call_intercept_register(hsa_queue_t *queue, call_handler handler, void *data);
typedef hsa_status_t call_vmem_reserve(void **va, size_t size, uint64_t address, uint64_t flags);
typedef hsa_status_t call_vmem_reserve_align(void **va, size_t size, uint64_t address,
                                             uint64_t alignment, uint64_t flags);
typedef hsa_status_t call_vmem_free(void *va, size_t size);
typedef hsa_status_t call_vmem_create(hsa_amd_memory_pool_t pool, size_t size, int type,
                                      uint64_t flags, struct call_vmem_handle *out);
typedef hsa_status_t call_vmem_release(struct call_vmem_handle handle);
typedef hsa_status_t call_vmem_map(void *va, size_t size, size_t offset,
                                   struct call_vmem_handle handle, uint64_t flags);
typedef hsa_status_t call_vmem_unmap(void *va, size_t size);
typedef hsa_status_t call_vmem_set_access(void *va, size_t size,
                                          const struct call_vmem_access *access, size_t n);

/* X(name, type, table, index in the old layout, index in the new layout); -1: does not exist.
 * Indexes: hsa_api_trace.h of ROCm 5.2.3, 5.5.0 (old), 5.6.0, 6.0.0, 6.1.0, 6.2.0 (new), and of the
 * runtime's development branch of August 2025. */
#define CALLS(X)                                                                                   \
    X(system_get_info, __typeof__(hsa_system_get_info), CORE, 2, 2)                                \
    X(iterate_agents, __typeof__(hsa_iterate_agents), CORE, 5, 5)                                  \
    X(agent_get_info, __typeof__(hsa_agent_get_info), CORE, 6, 6)                                  \
    X(queue_create, __typeof__(hsa_queue_create), CORE, 7, 7)                                      \
    X(queue_destroy, __typeof__(hsa_queue_destroy), CORE, 9, 9)                                    \
    X(queue_load_read_index, __typeof__(hsa_queue_load_read_index_scacquire), CORE, 11, 11)        \
    X(queue_load_write_index, __typeof__(hsa_queue_load_write_index_scacquire), CORE, 13, 13)      \
    X(queue_cas_write_index, __typeof__(hsa_queue_cas_write_index_scacq_screl), CORE, 17, 17)      \
    X(region_get_info, __typeof__(hsa_region_get_info), CORE, 28, 28)                              \
    X(memory_allocate, __typeof__(hsa_memory_allocate), CORE, 33, 33)                              \
    X(memory_free, __typeof__(hsa_memory_free), CORE, 34, 34)                                      \
    X(signal_create, __typeof__(hsa_signal_create), CORE, 37, 37)                                  \
    X(signal_destroy, __typeof__(hsa_signal_destroy), CORE, 38, 38)                                \
    X(signal_load, __typeof__(hsa_signal_load_scacquire), CORE, 40, 40)                            \
    X(signal_store, __typeof__(hsa_signal_store_screlease), CORE, 42, 42)                          \
    X(signal_wait, __typeof__(hsa_signal_wait_scacquire), CORE, 44, 44)                            \
    X(signal_subtract, __typeof__(hsa_signal_subtract_screlease), CORE, 67, 67)                    \
    X(executable_destroy, __typeof__(hsa_executable_destroy), CORE, 84, 84)                        \
    X(status_string, __typeof__(hsa_status_string), CORE, 95, 95)                                  \
    X(system_get_major_extension_table, __typeof__(hsa_system_get_major_extension_table), CORE,    \
      98, 98)                                                                                      \
    X(agent_iterate_isas, __typeof__(hsa_agent_iterate_isas), CORE, 108, 108)                      \
    X(isa_get_info_alt, __typeof__(hsa_isa_get_info_alt), CORE, 109, 109)                          \
    X(reader_from_file, __typeof__(hsa_code_object_reader_create_from_file), CORE, 115, 115)       \
    X(reader_from_memory, __typeof__(hsa_code_object_reader_create_from_memory), CORE, 116, 116)   \
    X(reader_destroy, __typeof__(hsa_code_object_reader_destroy), CORE, 117, 117)                  \
    X(load_program, __typeof__(hsa_executable_load_program_code_object), CORE, 119, 119)           \
    X(load_agent, __typeof__(hsa_executable_load_agent_code_object), CORE, 120, 120)               \
    X(set_profiler_enabled, __typeof__(hsa_amd_profiling_set_profiler_enabled), AMD, 2, 2)         \
    X(get_dispatch_time, __typeof__(hsa_amd_profiling_get_dispatch_time), AMD, 4, 4)               \
    X(signal_async_handler, __typeof__(hsa_amd_signal_async_handler), AMD, 7, 7)                   \
    X(pool_get_info, __typeof__(hsa_amd_memory_pool_get_info), AMD, 11, 11)                        \
    X(agent_iterate_pools, __typeof__(hsa_amd_agent_iterate_memory_pools), AMD, 12, 12)            \
    X(pool_allocate, __typeof__(hsa_amd_memory_pool_allocate), AMD, 13, 13)                        \
    X(pool_free, __typeof__(hsa_amd_memory_pool_free), AMD, 14, 14)                                \
    X(async_copy, __typeof__(hsa_amd_memory_async_copy), AMD, 15, 15)                              \
    X(agents_allow_access, __typeof__(hsa_amd_agents_allow_access), AMD, 17, 19)                   \
    X(memory_lock, __typeof__(hsa_amd_memory_lock), AMD, 20, 22)                                   \
    X(memory_unlock, __typeof__(hsa_amd_memory_unlock), AMD, 21, 23)                               \
    X(pointer_info, __typeof__(hsa_amd_pointer_info), AMD, 26, 28)                                 \
    X(register_system_event, __typeof__(hsa_amd_register_system_event_handler), AMD, 34, 36)       \
    X(intercept_create, call_intercept_create, AMD, 35, 37)                                        \
    X(intercept_register, call_intercept_register, AMD, 36, 38)                                    \
    X(memory_lock_to_pool, __typeof__(hsa_amd_memory_lock_to_pool), AMD, 40, 42)                   \
    X(vmem_reserve, call_vmem_reserve, AMD, -1, 55)                                                \
    X(vmem_free, call_vmem_free, AMD, -1, 56)                                                      \
    X(vmem_create, call_vmem_create, AMD, -1, 57)                                                  \
    X(vmem_release, call_vmem_release, AMD, -1, 58)                                                \
    X(vmem_map, call_vmem_map, AMD, -1, 59)                                                        \
    X(vmem_unmap, call_vmem_unmap, AMD, -1, 60)                                                    \
    X(vmem_set_access, call_vmem_set_access, AMD, -1, 61)                                          \
    X(vmem_reserve_align, call_vmem_reserve_align, AMD, -1, 69)

enum call {
#define X(name, type, table, old, new) CALL_##name,
    CALLS(X)
#undef X
        CALL_COUNT
};

/* The runtime's own functions, as they were before any was replaced; NULL: does not exist. */
struct calls {
#define X(name, type, table, old, new) type *name;
    CALLS(X)
#undef X
};
extern struct calls hsa; /* filled by the last calls_take */

typedef void (*call_any)(void);

/* Where a function is in the tables at root; NULL: the table is too short. */
call_any *calls_entry(const void *root, enum call which);
/* Fills `hsa` from the tables at root. False with the reason in why: tables that cannot be used. */
bool calls_take(const void *root, char *why, size_t size);
