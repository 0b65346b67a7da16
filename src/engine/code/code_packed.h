/*
 * Compressed offload bundles ("CCOB"): what clang --offload-compress writes. A header, then a
 * bundle packed by zlib or zstd. Source: LLVM, llvm/Object/OffloadBundle.h; header versions 1 to 3.
 */
#ifndef ROOFTOP_ENGINE_CODE_CODE_PACKED_H
#define ROOFTOP_ENGINE_CODE_CODE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

bool code_packed_is(const void *bytes, size_t n);
/*
 * The bundle, CODE_OBJECT_BYTES_MAX at most, into *out, which the caller frees (NULL where it
 * fails). What follows the end that the header tells is left alone. -errno with err (ERROR_INPUT):
 * a version or method that is not known, sizes that do not hold, packed bytes that are damaged or
 * not what the header's checksum is of.
 */
int code_packed_unpack(const void *bytes, size_t n, const char *name, uint8_t **out, size_t *size,
                       struct error *err);

#endif
