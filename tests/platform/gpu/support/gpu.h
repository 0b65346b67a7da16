// What the tests of the emulated GPU often do with the HSA runtime: open it, load a code object,
// move data, run a kernel. Nothing here knows of the emulation: the same programs run on hardware.
// A failure ends the test, or the program, with a message through gpu_fail(), which each defines.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu {
    hsa_agent_t cpu, agent;
    hsa_amd_memory_pool_t vram, kernarg, host;
    hsa_queue_t *queue;
    hsa_signal_t done;
    void *arguments;                // ARGUMENTS_SIZE that the GPU reads arguments from
    char isa[64];                   // gfx90a
    bool unhandled;                 // set before gpu_open(): a memory fault ends the program
    _Atomic int queue_error;        // of the queue's callback
    _Atomic uint64_t fault_address; // of the handler for memory faults; 0: none
};

struct module {
    hsa_executable_t executable;
    void *bytes;
};

struct kernel {
    uint64_t object;
    uint32_t arguments_size, group_size, private_size;
};

struct arguments {
    uint8_t bytes[1024];
    size_t size;
};

struct extent3 {
    uint32_t x, y, z;
};

// Whether the GPU is not emulated (docs/HARDWARE.md). Tests that only the emulation can do are then
// skipped with a message.
bool gpu_is_real(void);

const char *hsa_text(hsa_status_t status);
#define HSA(call)                                                                                  \
    do {                                                                                           \
        const hsa_status_t status_ = (call);                                                       \
        if (status_ != HSA_STATUS_SUCCESS)                                                         \
            gpu_fail(__FILE__, __LINE__, "%s: %s", #call, hsa_text(status_));                      \
    } while (0)
void gpu_fail(const char *file, int line, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

// Through hsa_init(), a queue, a signal. Close it with gpu_close(), which shuts the runtime down.
void gpu_open(struct gpu *gpu);
void gpu_close(struct gpu *gpu);
// Only agents and pools: for what fails later.
void gpu_find(struct gpu *gpu);

void *gpu_allocate(const struct gpu *gpu, size_t size); // device memory
void *gpu_upload(const struct gpu *gpu, const void *data,
                 size_t size); // allocated, and copied there
void gpu_download(void *to, const void *device, size_t size);
void gpu_free(void *device);

// The code object NAME, compiled for this GPU with -O level, from the folder ROOFTOP_GPU_KERNELS.
void gpu_load(const struct gpu *gpu, struct module *module, const char *name, int level);
void gpu_unload(struct module *module);
// The parts of gpu_load, for callers that have the code elsewhere. The reader is destroyed.
void gpu_code_path(const struct gpu *gpu, char *path, size_t size, const char *name, int level);
void gpu_load_reader(const struct gpu *gpu, struct module *module, hsa_code_object_reader_t reader);
struct kernel gpu_kernel(const struct gpu *gpu, const struct module *module, const char *name);
void *gpu_variable(const struct gpu *gpu, const struct module *module, const char *name);

// Explicit arguments, one after another as the kernel declares them.
void argument(struct arguments *a, const void *value, size_t size);
#define ARGUMENT(a, type, value) argument(a, &(type){value}, sizeof(type))

// Submits, and with wait seconds > 0 waits. False: it did not complete in that time.
bool gpu_run(struct gpu *gpu, const struct kernel *kernel, const struct arguments *a,
             struct extent3 grid, struct extent3 group, uint32_t dynamic_lds, double wait);
bool gpu_wait(const struct gpu *gpu, double seconds);

// The parts of gpu_run, for callers with several queues or packets. The explicit arguments are
// followed by the first hidden ones of code object version 5: counts, sizes, remainders.
enum { ARGUMENTS_SIZE = 4096 };
void gpu_put_arguments(void *to, const struct arguments *a, struct extent3 grid,
                       struct extent3 group);
hsa_kernel_dispatch_packet_t gpu_packet(const struct kernel *kernel, void *arguments,
                                        struct extent3 grid, struct extent3 group,
                                        uint32_t dynamic_lds, hsa_signal_t done);
// A packet of 64 bytes into its place, the header last; the doorbell is the caller's.
void gpu_write(const hsa_queue_t *queue, uint64_t index, const void *packet);
void gpu_submit(hsa_queue_t *queue, const void *packet); // with the doorbell
