/*
 * Clang's offload bundles: files that hold code for several targets. Source: LLVM's "Clang Offload
 * Bundler", Bundled Binary File Layout.
 */
#ifndef ROOFTOP_ENGINE_CODE_CODE_BUNDLE_H
#define ROOFTOP_ENGINE_CODE_CODE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

bool code_bundle_is(const void *bytes, size_t n);
/*
 * Finds the code object for isa, without a copy. Of several that run on it, takes the one with the
 * most specific features. isa NULL takes the only one for a GPU. -EINVAL with ERROR_INPUT: damaged,
 * none fits, or several do; err then lists their names.
 */
int code_bundle_find(const void *bytes, size_t n, const char *name, const char *isa,
                     const uint8_t **elf, size_t *elf_size, struct error *err);

#endif
