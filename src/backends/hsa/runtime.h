/*
 * The HSA runtime, loaded when needed: libhsa-runtime64 is opened with dlopen, so that rooftop
 * starts without it. Its functions are members of a table.
 *
 * hsa_init() may crash, hang, or leave the process in a state in which fork() is not safe: call it
 * only in a child process of its own (base/self.h).
 */
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdbool.h>

#include "base/error.h"

/* Functions of all releases that rooftop supports (ROCm 5.2 to 7.x); a runtime that lacks one is
 * refused. */
#define HSA_RUNTIME_FUNCTIONS(X)                                                                   \
    X(init)                                                                                        \
    X(shut_down)                                                                                   \
    X(status_string)                                                                               \
    X(system_get_info)                                                                             \
    X(iterate_agents)                                                                              \
    X(agent_get_info)                                                                              \
    X(agent_iterate_isas)                                                                          \
    X(isa_get_info_alt)                                                                            \
    X(queue_create)                                                                                \
    X(queue_destroy)                                                                               \
    X(queue_add_write_index_relaxed)                                                               \
    X(queue_add_write_index_screlease)                                                             \
    X(queue_load_read_index_scacquire)                                                             \
    X(queue_load_write_index_relaxed)                                                              \
    X(signal_create)                                                                               \
    X(signal_destroy)                                                                              \
    X(signal_store_relaxed)                                                                        \
    X(signal_store_screlease)                                                                      \
    X(signal_load_scacquire)                                                                       \
    X(signal_wait_scacquire)                                                                       \
    X(memory_copy)                                                                                 \
    X(code_object_reader_create_from_memory)                                                       \
    X(code_object_reader_destroy)                                                                  \
    X(executable_create_alt)                                                                       \
    X(executable_load_agent_code_object)                                                           \
    X(executable_freeze)                                                                           \
    X(executable_destroy)                                                                          \
    X(executable_get_symbol_by_name)                                                               \
    X(executable_iterate_agent_symbols)                                                            \
    X(executable_symbol_get_info)                                                                  \
    X(amd_agent_iterate_memory_pools)                                                              \
    X(amd_memory_pool_get_info)                                                                    \
    X(amd_memory_pool_allocate)                                                                    \
    X(amd_memory_pool_free)                                                                        \
    X(amd_agent_memory_pool_get_info)                                                              \
    X(amd_agents_allow_access)                                                                     \
    X(amd_memory_async_copy)                                                                       \
    X(amd_memory_lock)                                                                             \
    X(amd_memory_unlock)                                                                           \
    X(amd_memory_fill)                                                                             \
    X(amd_pointer_info)                                                                            \
    X(amd_profiling_set_profiler_enabled)                                                          \
    X(amd_profiling_get_dispatch_time)                                                             \
    X(amd_register_system_event_handler)

/* Declarations that the headers before ROCm 6.0 lack; values and layouts from hsa_ext_amd.h of ROCm
 * 6.0. */
struct hsa_vmem_handle {
    uint64_t handle;
};
enum { HSA_VMEM_TYPE_NONE = 0, HSA_VMEM_TYPE_PINNED = 1 };
enum { HSA_VMEM_ACCESS_RO = 1, HSA_VMEM_ACCESS_WO = 2, HSA_VMEM_ACCESS_RW = 3 };
enum { HSA_INFO_VMEM_SUPPORTED = 0x205 }; /* for system_get_info; the result is a bool */
struct hsa_vmem_access {
    uint32_t permissions; /* HSA_VMEM_ACCESS_ */
    hsa_agent_t agent;
};

/* Virtual memory at requested addresses: ROCm 6.0 and later. Either all of them exist or none. */
struct hsa_vmem {
    hsa_status_t (*address_reserve)(void **va, size_t size, uint64_t address, uint64_t flags);
    hsa_status_t (*address_free)(void *va, size_t size);
    hsa_status_t (*handle_create)(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                                  struct hsa_vmem_handle *out);
    hsa_status_t (*handle_release)(struct hsa_vmem_handle handle);
    /* size must be the whole handle */
    hsa_status_t (*map)(void *va, size_t size, size_t offset, struct hsa_vmem_handle handle,
                        uint64_t flags);
    hsa_status_t (*unmap)(void *va, size_t size);
    hsa_status_t (*set_access)(void *va, size_t size, const struct hsa_vmem_access *access,
                               size_t n);
};

struct hsa_runtime {
    void *library;
    char path[256];                           /* path of the library that the loader found */
#define X(name) __typeof__(hsa_##name) *name; /* NOLINT(bugprone-macro-parentheses) */
    HSA_RUNTIME_FUNCTIONS(X)
#undef X
    /* the functions exist; HSA_INFO_VMEM_SUPPORTED tells whether the driver supports them */
    bool has_vmem;
    struct hsa_vmem vmem;
};

/* Opens the library that the loader finds, else the one in /opt/rocm. Initialises nothing. Returns
 * 0 or ERROR_UNSUPPORTED: not installed, needs another C library, too old. */
int hsa_runtime_open(struct hsa_runtime *out, struct error *err);

/* The runtime's own text, "HSA_STATUS_ERROR_OUT_OF_RESOURCES: …", or the number. */
const char *hsa_runtime_status(const struct hsa_runtime *r, hsa_status_t status);
