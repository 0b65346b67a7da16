/* What the files of engine/code share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/code/code_object.h"
#include "gpu/code_elf.h"

/* Clang's offload bundles: files that hold code for several targets. Source: LLVM's "Clang Offload
 * Bundler", Bundled Binary File Layout. */
bool code_bundle_is(const void *bytes, size_t n);
/* Finds the code object for isa, without a copy. If several run on isa, takes the one with the most
 * specific features. isa NULL takes the only one for a GPU. -EINVAL with ERROR_INPUT: the bundle is
 * damaged, or no object or several fit; err then lists their names. */
int code_bundle_find(const void *bytes, size_t n, const char *name, const char *isa,
                     const uint8_t **elf, size_t *elf_size, struct error *err);

/* The symbols of a code object by name, for facts that its metadata lacks. */
struct code_index {
    const struct code_elf *elf; /* borrowed */
    struct code_symbol *rows;   /* sorted by name, each name once; a global symbol is preferred */
    size_t n;
};

/* false if the symbols cannot be read; e->bad says why. */
bool code_index_read(struct code_index *x, struct code_elf *e);
void code_index_free(struct code_index *x);
/* Fills k's descriptor and the size of its code from k's symbol. */
void code_index_kernel(const struct code_index *x, struct code_kernel *k);
/* Fills c's variables. */
int code_index_variables(const struct code_index *x, struct code_object *c, struct error *err);

/*
 * Compressed offload bundles ("CCOB"): what clang --offload-compress writes. A header, then a
 * bundle packed by zlib or zstd. Source: LLVM, llvm/Object/OffloadBundle.h; header versions 1 to 3.
 */
bool code_packed_is(const void *bytes, size_t n);
/* Unpacks the bundle, of at most CODE_OBJECT_BYTES_MAX bytes, into *out, which the caller frees
 * (NULL on failure). Bytes behind the end that the header gives are ignored. -errno with
 * ERROR_INPUT: an unknown version or method, wrong sizes, damaged bytes or a wrong checksum. */
int code_packed_unpack(const void *bytes, size_t n, const char *name, uint8_t **out, size_t *size,
                       struct error *err);
