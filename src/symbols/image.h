/*
 * What is read of one file: its symbols, and its debug information where there is any. Can be
 * forgotten and read again.
 */
#ifndef ROOFTOP_SYMBOLS_IMAGE_H
#define ROOFTOP_SYMBOLS_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/debug_file.h"
#include "symbols/elf/dwarf_info.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/elf/names.h"
#include "symbols/elf/strings.h"
#include "symbols/symbols.h"

struct image {
    int fd; /* -1: from memory */
    Elf *elf;
    struct strings *strings; /* borrowed */
    bool read;               /* what follows is filled */
    struct elf_symbols table;
    struct debug_file debug, packed;
    struct symbol_names names;
    struct dwarf_info *dwarf; /* NULL none */
    size_t bytes;             /* held for tables */
};

/* From an open file, whose descriptor becomes the image's, or from memory, which must outlive it.
 * NULL, with the descriptor closed, where it is not an ELF file. */
struct image *image_open(int fd, struct strings *strings);
struct image *image_open_memory(void *data, size_t size, struct strings *strings);
void image_close(struct image *image);

/* As symbol_file_resolve. path: where debug files are searched beside; NULL = nowhere. */
size_t image_resolve(struct image *image, const char *path, uint64_t address,
                     struct symbol_frame *out, size_t max);

#endif
