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
 * The code object for isa, in place: of those that run on it the one that demands most. NULL takes
 * the only one for a GPU. -EINVAL with err (ERROR_INPUT): damaged, none that fits or several;
 * their names are told.
 */
int code_bundle_find(const void *bytes, size_t n, const char *name, const char *isa,
                     const uint8_t **elf, size_t *elf_size, struct error *err);

#endif
