/*
 * Triton's cache of compiled kernels: a folder for each kernel and its options, with the code
 * object (NAME.hsaco), its assembly (.amdgcn), its intermediate forms (.ttir, .ttgir, .llir,
 * .source) and its options (.json). A captured code object is found by its bytes.
 */
#ifndef ROOFTOP_ENGINE_REPRODUCE_TRITON_CACHE_H
#define ROOFTOP_ENGINE_REPRODUCE_TRITON_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct triton_kernel {
    const char *folder, *name; /* of its files: FOLDER/NAME.hsaco */
    const char *assembly;      /* the path of its .amdgcn; NULL: not there */
    const char **python;       /* files that its intermediate forms name, absolute */
    size_t npython;
};

/* In $TRITON_CACHE_DIR, else in ~/.triton/cache. Texts in the arena. False: it is not there. */
bool triton_cache_find(struct triton_kernel *out, const void *code, size_t n, struct arena *arena);

#endif
