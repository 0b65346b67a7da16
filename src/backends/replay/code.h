/*
 * A code object made ready on the GPU, and the kernel that was captured found in it by its name:
 * the captured object, or another build. Sizes follow from the capture and from the build: dynamic
 * LDS is what the captured launch had beyond what its kernel declares, private memory the larger of
 * both; arguments are the captured ones, hidden ones belong to this process; module variables get
 * their captured contents at their new addresses.
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_CODE_H
#define ROOFTOP_BACKENDS_REPLAY_CODE_H

#include "backends/replay/device.h"
#include "backends/replay/failure.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"

struct replay_code {
    struct replay_device *d;
    const struct capture *c;
    const char *path; /* borrowed; NULL: the captured one */
    struct code_object *object;
    const struct code_kernel *kernel;
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    bool has_reader, has_executable;
    uint64_t kernel_object;
    uint32_t group_size, private_size, kernarg_size; /* of the dispatch */
    void *kernarg;                                   /* the GPU reads it */
    struct replay_variable *variables;
    size_t nvariables;
};

/* From the file: whether it is for this GPU and has the kernel. Touches no GPU. */
int replay_code_open(struct replay_code *k, struct replay_device *d, const struct capture *c,
                     const char *path, struct replay_failure *f);
/* Loads it. Afterwards captured memory is there, so what the loader takes lies elsewhere. */
int replay_code_load(struct replay_code *k, const struct code_object *captured,
                     struct replay_notes *notes, struct replay_failure *f);
/* Its arguments, for launches on that queue. */
int replay_code_bind(struct replay_code *k, const struct code_object *captured, hsa_queue_t *queue,
                     struct replay_notes *notes, struct replay_failure *f);
/* Module variables as they were captured. */
int replay_code_restore(struct replay_code *k, struct replay_failure *f);
void replay_code_free(struct replay_code *k);

#endif
