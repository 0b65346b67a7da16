/*
 * A code object loaded on the GPU, and in it, by name, the kernel that was captured: from the
 * captured object or from another build. Sizes follow from the capture and the build: dynamic LDS
 * is what the captured launch had in addition to its kernel's own LDS; private memory is the larger
 * of both. Arguments are those captured, hidden arguments belong to this process. Module variables
 * get their captured contents at their new addresses.
 */
#pragma once

#include "backends/replay/device/device.h"
#include "backends/replay/device/failure.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"

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
