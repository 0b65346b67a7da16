/*
 * What was read from one file: its symbols and, where there is any, its debug information. It can
 * be dropped and read again.
 */
#ifndef ROOFTOP_SYMBOLS_IMAGE_H
#define ROOFTOP_SYMBOLS_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "symbols/elf/debug_file.h"
#include "symbols/elf/dwarf_info.h"
#include "symbols/elf/elf_symbols.h"
#include "symbols/elf/names.h"
#include "symbols/symbols.h"

struct image {
    int fd; /* -1: read from memory */
    Elf *elf;
    struct strings *strings; /* borrowed */
    bool read;               /* the fields below are filled */
    struct elf_symbols table;
    struct debug_file debug, packed;
    struct symbol_names names;
    struct dwarf_info *dwarf; /* NULL: none */
    size_t bytes;             /* memory that the tables use */
};

/*
 * Opens an image from a file, whose descriptor the image then owns, or from memory, which must
 * outlive it. NULL where it is not an ELF file; the descriptor is then closed.
 */
struct image *image_open(int fd, struct strings *strings);
struct image *image_open_memory(void *data, size_t size, struct strings *strings);
void image_close(struct image *image);

/* Like symbol_file_resolve. path: debug files are searched next to it; NULL: not searched. */
size_t image_resolve(struct image *image, const char *path, uint64_t address,
                     struct symbol_frame *out, size_t max);

#endif
