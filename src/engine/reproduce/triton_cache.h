/*
 * Triton's cache of compiled kernels: a folder for each kernel and its options, with the code
 * object (NAME.hsaco), its assembly (.amdgcn), its intermediate forms (.ttir, .ttgir, .llir,
 * .source) and its options (.json). A captured code object is found by its bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct triton_kernel {
    const char *folder, *name; /* the cached files are FOLDER/NAME.hsaco and so on */
    const char *assembly;      /* path of the .amdgcn file; NULL: it does not exist */
    const char **python; /* absolute paths of the Python files that the intermediate forms name */
    size_t npython;
};

/* Searches $TRITON_CACHE_DIR, else ~/.triton/cache, for the code object. Texts are in the arena.
 * Returns false if it is not there. */
bool triton_cache_find(struct triton_kernel *out, const void *code, size_t n, struct arena *arena);
