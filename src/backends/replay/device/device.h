/*
 * The GPU of a replay: runtime, agent, pools, abilities. Only in a process of its own
 * (backends/hsa/runtime.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "backends/hsa/runtime.h"
#include "backends/replay/device/failure.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"

enum { REPLAY_ISAS = 8 };

struct replay_device {
    struct hsa_runtime r;
    bool initialised;
    hsa_agent_t gpu, cpu;
    int index, gpus; /* of this GPU; number of GPUs */
    char name[64], product[64], version[32];
    char isas[REPLAY_ISAS][128];
    size_t nisas;
    hsa_amd_memory_pool_t vram, kernarg;
    uint64_t free_bytes; /* free device memory, or all of it where has_free is false; 0: unknown */
    bool has_free;
    uint64_t hz; /* of time stamps */
    /* set by the runtime's threads: */
    _Atomic bool faulted;
    _Atomic uint64_t fault_address;
    _Atomic uint32_t fault_reason; /* HSA_AMD_MEMORY_FAULT_ bits */
    _Atomic int queue_status;      /* from the queue's error callback; 0: none */
};

/*
 * Opens a GPU. index: from 0. needs_vmem: virtual memory is needed. Returns 0, or an error that
 * says what is missing and which release has it (REPLAY_RUNTIME); nothing stays open then.
 */
int replay_device_open(struct replay_device *d, int index, bool needs_vmem,
                       struct replay_failure *f);
void replay_device_close(struct replay_device *d);

/*
 * Checks that code for an instruction set runs on this GPU, else REPLAY_ISA. what: for the message.
 */
int replay_device_runs(const struct replay_device *d, const char *isa, const char *what,
                       struct replay_failure *f);

/* Fills f for a call that failed. Returns -1. */
int replay_device_failed(const struct replay_device *d, hsa_status_t status, enum replay_kind kind,
                         const char *what, struct replay_failure *f);

/* Returns REPLAY_OK if there was no error; else fills f, except the region of a fault. */
enum replay_kind replay_device_trouble(struct replay_device *d, struct replay_failure *f);

/*
 * Computes the address ranges that a replay needs: the captured regions, rounded to pages and to
 * the blocks of device memory; regions in one block are joined. Ranges are sorted and do not
 * overlap.
 */

enum {
    REPLAY_PAGE = 4096,
    REPLAY_BLOCK = 2 << 20, /* the runtime's pools allocate parts of such blocks */
};

struct replay_range {
    uint64_t base, size; /* bytes, whole pages */
    bool host;           /* host memory that the GPU may access */
    size_t first, n;     /* the capture's regions in it */
};

struct replay_plan {
    struct replay_range *ranges;
    size_t n;
    uint64_t device_bytes, host_bytes; /* sums over the ranges */
};

/*
 * Makes the plan. Returns 0, or ERROR_INPUT: memory of the device and of the host in one page, or
 * addresses that no process can have. Free it with replay_plan_free.
 */
int replay_plan_make(struct replay_plan *out, const struct capture *c, struct error *err);
void replay_plan_free(struct replay_plan *p);

/*
 * Holds the planned ranges before the HSA runtime is initialised, so that it puts nothing there.
 * Ranges of the host stay held: they become the memory. Ranges of the device are released one by
 * one, immediately before the runtime reserves them.
 */

struct replay_hold {
    const struct replay_plan *plan;
    bool *held; /* for each range */
};

/*
 * Holds all ranges. Returns 0, or -1 with REPLAY_RELOCATED, which names what is in the way; then
 * nothing is held. With failed, it returns 0, holds the ranges that it can, and writes for each
 * range why it could not be held, or "".
 */
enum { REPLAY_WHY_BYTES = 192 };
int replay_hold(struct replay_hold *h, const struct replay_plan *plan,
                char (*failed)[REPLAY_WHY_BYTES], struct replay_failure *f);
void replay_hold_release(struct replay_hold *h, size_t range);
void replay_hold_free(struct replay_hold *h); /* releases all ranges that are still held */

/*
 * A code object loaded on the GPU, and in it, by name, the kernel that was captured: from the
 * captured object or from another build. Sizes follow from the capture and the build: dynamic LDS
 * is what the captured launch had in addition to its kernel's own LDS; private memory is the larger
 * of both. Arguments are those captured, hidden arguments belong to this process. Module variables
 * get their captured contents at their new addresses.
 */

struct replay_code {
    struct replay_device *d;
    const struct capture *c;
    const char *path; /* borrowed; NULL: the captured code object */
    struct code_object *object;
    const struct code_kernel *kernel;
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    bool has_reader, has_executable;
    uint64_t kernel_object;
    uint32_t group_size, private_size, kernarg_size; /* for the dispatch */
    void *kernarg;                                   /* memory that the GPU can read */
    struct replay_variable *variables;
    size_t nvariables;
};

/* Reads the file and checks that it is for this GPU and has the kernel. Does not use the GPU. */
int replay_code_open(struct replay_code *k, struct replay_device *d, const struct capture *c,
                     const char *path, struct replay_failure *f);
/*
 * Loads it. Call it after the captured memory was mapped, so that the loader takes other addresses.
 */
int replay_code_load(struct replay_code *k, const struct code_object *captured,
                     struct replay_notes *notes, struct replay_failure *f);
/* Prepares its arguments for launches on this queue. */
int replay_code_bind(struct replay_code *k, const struct code_object *captured, hsa_queue_t *queue,
                     struct replay_notes *notes, struct replay_failure *f);
/* Restores the captured module variables. */
int replay_code_restore(struct replay_code *k, struct replay_failure *f);
void replay_code_free(struct replay_code *k);
