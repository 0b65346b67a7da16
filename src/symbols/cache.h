/* The struct symbols that the files of symbols/ share. */
#ifndef ROOFTOP_SYMBOLS_CACHE_H
#define ROOFTOP_SYMBOLS_CACHE_H

#include <sys/stat.h>

#include "base/strings.h"
#include "symbols/symbols.h"

struct kernel_symbols;
struct jit_maps;

struct symbols {
    size_t limit;
    uint64_t clock; /* counts the calls, to find the least recently used file */
    struct strings strings;
    struct symbol_file **files;
    size_t nfiles, cap;
    struct symbol_file *vdso;
    bool vdso_tried;
    struct kernel_symbols *kernel;
    struct jit_maps *jit;
};

struct file_segment {
    uint64_t offset, size, address;
};

struct symbol_file {
    struct symbols *owner;
    char *path;        /* NULL: the vDSO */
    struct stat state; /* when it was first opened */
    struct file_segment *segments;
    size_t nsegments;
    struct image *image; /* NULL: not read yet, or dropped to save memory */
    uint64_t used;       /* owner's clock at its last use */
    uint64_t checked_ns; /* when it was last seen to be unchanged */
    bool gone;           /* it cannot be read any more, or was replaced */
};

#endif
