/*
 * The source files that the line tables of an ELF file name, unit by unit, and the unit that some
 * code is from. Of GPUs' code objects as of programs. Nothing of it is trusted: lists are bounded.
 */
#ifndef ROOFTOP_SYMBOLS_SOURCE_SOURCE_FILES_H
#define ROOFTOP_SYMBOLS_SOURCE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct source_unit {
    const char *name;      /* of the unit's main file, absolute where its folder is known */
    const char *directory; /* where it was compiled; "" unknown */
    const char *producer;  /* the compiler, perhaps with its options; "" unknown */
    const char **files;    /* all that it has lines of, absolute where known */
    size_t nfiles;
};

struct source_files {
    struct arena arena;
    struct source_unit *units;
    size_t n;
    const struct source_unit *own; /* the one that has the address; NULL: none tells so */
};

/* Of the n bytes of an ELF file; address: as linked. No units where there is no debug
 * information. */
void source_files_read(struct source_files *out, const void *elf, size_t n, uint64_t address);
void source_files_free(struct source_files *f);

#endif
