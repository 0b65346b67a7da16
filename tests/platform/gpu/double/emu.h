// The test double of libhsakmt.so.1, and of the few functions of libdrm_amdgpu that the HSA runtime
// calls: what its parts share. Node 0 is the host's memory, node 1 an emulated GPU; others may
// follow. docs/EMULATED_GPU.md says what is modelled.
#pragma once

#include "gcn/gcn.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#if __has_include(<hsakmt/hsakmt.h>) // ROCm 6 and later
#include <hsakmt/hsakmt.h>
#define EMU_HAS_VMEM 1
#else
#include <hsakmt.h>
#define EMU_HAS_VMEM 0
#endif

#define EXPORT __attribute__((visibility("default")))

enum { EMU_HOST_NODE, EMU_FIRST_GPU, EMU_MOST_GPUS = 8, EMU_PAGE = 4096, EMU_CU_COUNT = 8 };
#define EMU_SHARED_APERTURE  0x1000000000000ull
#define EMU_PRIVATE_APERTURE 0x2000000000000ull

// The process's own addresses come as numbers from the runtime.
static inline void *host_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

// --- settings.c: what the environment asks for. Read once, by hsaKmtOpenKFD().
enum emu_address { EMU_ADDRESS_OK, EMU_ADDRESS_REFUSE, EMU_ADDRESS_RELOCATE };
struct emu_nth { // the n-th of something, counted from 1; 0: none
    uint64_t n;
    bool and_later; // and all after it
};
struct emu_settings {
    enum gcn_arch arch;         // ROOFTOP_EMU_ISA
    uint64_t vram_size;         // ROOFTOP_EMU_VRAM_MIB: of each GPU
    uint64_t gpus;              // ROOFTOP_EMU_GPUS
    struct emu_nth fail_alloc;  // ROOFTOP_EMU_FAIL_ALLOC: of device memory
    struct emu_nth fail_handle; // _HANDLE: of memory without an address
    struct emu_nth fail_map;    // _MAP: of it taken by an address
    struct emu_nth fail_access; // _ACCESS: given to the GPU
    struct emu_nth fail_queue;  // _QUEUE: of compute queues
    struct emu_nth fail_code;   // _CODE: of device memory that code is to run from
    struct emu_nth hang_copy;   // ROOFTOP_EMU_HANG_COPY: of the copy engines; never completes
    enum emu_address address;   // ROOFTOP_EMU_ADDRESS
    struct emu_nth address_nth; // ROOFTOP_EMU_ADDRESS_NTH: which of the reservations
    uint64_t hang;              // ROOFTOP_EMU_HANG: the n-th dispatch never completes
    uint64_t page_fault;        // ROOFTOP_EMU_PAGE_FAULT: the n-th dispatch faults
    uint64_t illegal;    // ROOFTOP_EMU_ILLEGAL: the n-th dispatch meets an illegal instruction
    uint64_t queue_dies; // ROOFTOP_EMU_QUEUE_DIES: with the n-th dispatch
    uint64_t uncounted;  // ROOFTOP_EMU_UNCOUNTED: the n-th kernel seems to touch no memory
    bool varies;         // ROOFTOP_EMU_VARIES: the order of waves, and what LDS holds at first
    bool races;          // every dispatch is looked at; told in the log
    bool no_vmem;        // ROOFTOP_EMU_NO_VMEM
    const char *log;     // ROOFTOP_EMU_LOG: a file that lines are added to
    const char *leaks;   // ROOFTOP_EMU_LEAKS: the same, see leaks.c
};
bool emu_settings_read(void); // false, and a line on stderr, where one makes no sense
const struct emu_settings *emu_settings(void);
static inline bool emu_is_gpu(uint32_t node)
{
    return node >= EMU_FIRST_GPU && node - EMU_FIRST_GPU < emu_settings()->gpus;
}
// Counts; returns whether this one shall fail.
bool emu_is_nth(const struct emu_nth *which, _Atomic uint64_t *counter);
void emu_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

// --- clock: CLOCK_BOOTTIME in ns; the GPU's counter, gpu_clock(), runs with 100 MHz
uint64_t emu_now(void);

// --- memory.c: what is allocated
enum emu_kind { EMU_ALLOCATED, EMU_USER, EMU_RESERVED, EMU_HANDLE };
struct emu_block; // a piece of VRAM
struct emu_object {
    enum emu_kind kind;
    uint64_t address, size;
    HSAuint32 node;
    HsaMemFlags flags;
    struct emu_block *block; // NULL: host memory
    void *user_data;
    HSAuint32 node_count; // GPUs that it is mapped to
    HSAuint32 nodes[EMU_MOST_GPUS];
};
// Fills *copy with the object that address lies in.
bool emu_object_at(uint64_t address, struct emu_object *copy);

// --- vram.c
#define EMU_VRAM_FILE_SIZE (1ull << 44) // offsets are not used twice; what is freed is given back
bool emu_memory_open(void);
int emu_vram_fd(void);
uint64_t emu_vram_free(uint32_t node);
struct emu_block {
    uint64_t offset, size; // in the file that VRAM is
    uint32_t node;
    unsigned references;
};
// Blocks stay until their last reference goes. NULL: there is not as much left.
struct emu_block *emu_block_new(uint64_t size, uint32_t node);
// The block that begins at an offset of VRAM,
// referenced; NULL: none.
struct emu_block *emu_block_hold(uint64_t offset);
void emu_block_release(struct emu_block *block); // NULL is fine
// Makes room for one more row. False: no memory.
bool emu_reserve(void **rows, size_t *capacity, size_t count, size_t size);

// --- pages.c
// The GPUs' page tables: size bytes at address are those at host, which stays the caller's.
// Replaces what began there. gpus: a bit for each node.
#define EMU_ALL_GPUS UINT32_MAX
bool emu_map(uint64_t address, uint64_t size, void *host, int protection, uint32_t gpus);
// Returns the host pointer that was mapped at exactly this address, NULL: none.
void *emu_unmap(uint64_t address, uint32_t gpus);
// This thread is a queue's, of that node.
void emu_run_on(uint32_t node);
uint32_t emu_running_on(void);

// --- events.c
void emu_event_set(uint32_t id);
void emu_memory_fault(uint64_t address, bool write); // to every event for memory faults

// --- queue.c
struct emu_queue {
    bool used, sdma;
    uint32_t node;
    atomic_bool stop;
    pthread_t thread;
    uint8_t *ring;
    uint64_t size; // bytes
    _Atomic uint64_t *doorbell;
    _Atomic uint64_t *read_pointer;
    _Atomic int64_t *error; // the value of a signal; NULL: none
    uint64_t own_pointers[2];
    uint64_t read; // packets, or bytes with SDMA
    void *scratch; // private memory of its waves
    size_t scratch_size;
    // while it waits
    pthread_cond_t wake;
    bool (*ready)(const struct emu_queue *queue, const void *what);
    const void *what;
    bool woken;
};
// Waits without using the CPU until ready says so. False: the queue is being destroyed.
bool emu_wait(struct emu_queue *queue, bool (*ready)(const struct emu_queue *, const void *),
              const void *what);
void emu_wait_for_end(struct emu_queue *queue);
void emu_queue_error(struct emu_queue *queue, int code); // code: HSA_QUEUE_ERROR in fault.c
void *emu_aql_run(void *queue);                          // aql.c: a queue's thread
void *emu_sdma_run(void *queue);                         // sdma.c

// --- fault.c: what goes wrong with a dispatch, asked for or not
enum emu_trouble { EMU_FINE, EMU_HANGS, EMU_FAULTS, EMU_ILLEGAL, EMU_QUEUE_DIES, EMU_UNCOUNTED };
enum emu_trouble emu_trouble_of_next_dispatch(uint64_t kernel_object);
bool emu_allocation_fails(bool handle, bool code);
void emu_report(struct emu_queue *queue, enum gcn_status status, const struct gcn_fault *fault);
void emu_queue_dies(struct emu_queue *queue);

// --- leaks.c: what is left when the program ends. Each function adds lines and returns their
// number.
unsigned emu_memory_left(FILE *to); // memory.c
unsigned emu_views_left(FILE *to);  // vmem.c
unsigned emu_queues_left(FILE *to); // queue.c
