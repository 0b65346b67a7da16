/* What the parts of symbols/ share of `struct symbols`. */
#ifndef ROOFTOP_SYMBOLS_CACHE_H
#define ROOFTOP_SYMBOLS_CACHE_H

#include <sys/stat.h>

#include "symbols/elf/strings.h"
#include "symbols/symbols.h"

struct kernel_symbols;
struct jit_maps;

struct symbols {
    size_t limit;
    uint64_t clock; /* counts questions */
    struct strings strings;
    struct symbol_file **files;
    size_t nfiles, cap;
    struct symbol_file *vdso;
    bool vdso_tried;
    struct kernel_symbols *kernel;
    struct jit_maps *jit;
};

struct segment {
    uint64_t offset, size, address;
};

struct symbol_file {
    struct symbols *owner;
    char *path;        /* NULL: the vDSO */
    struct stat state; /* when first seen */
    struct segment *segments;
    size_t nsegments;
    struct image *image; /* NULL: not read, or forgotten */
    uint64_t used;       /* owner's clock, when last asked */
    uint64_t checked_ns; /* when it was last seen unchanged */
    bool gone;           /* it cannot be read any more, or is another file now */
};

#endif
