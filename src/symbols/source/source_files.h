/*
 * The source files that the line tables of an ELF file name, for each unit, and the unit that holds
 * an address. Works for code objects of GPUs and for programs. The file is not trusted: lists are
 * bounded.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct source_unit {
    const char *name;      /* the unit's main file, absolute if its folder is known */
    const char *directory; /* where it was compiled; "": unknown */
    const char *producer;  /* the compiler, perhaps with its options; "": unknown */
    const char **files;    /* all files that have lines in it, absolute if known */
    size_t nfiles;
};

struct source_files {
    struct arena arena;
    struct source_unit *units;
    size_t n;
    const struct source_unit *own; /* the unit that holds the address; NULL: unknown */
};

/* Reads the n bytes of an ELF file; address: as linked. Without debug information there are no
 * units. Free the result with source_files_free. */
void source_files_read(struct source_files *out, const void *elf, size_t n, uint64_t address);
void source_files_free(struct source_files *f);
