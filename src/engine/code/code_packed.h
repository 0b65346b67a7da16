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
 * Unpacks the bundle, of at most CODE_OBJECT_BYTES_MAX bytes, into *out, which the caller frees
 * (NULL on failure). Bytes behind the end that the header gives are ignored. -errno with
 * ERROR_INPUT: an unknown version or method, wrong sizes, damaged bytes or a wrong checksum.
 */
int code_packed_unpack(const void *bytes, size_t n, const char *name, uint8_t **out, size_t *size,
                       struct error *err);

#endif
