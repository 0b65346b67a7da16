/* The debug information of one file: from an address to functions, inlined ones, and lines. */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_INFO_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_INFO_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/names.h"
#include "symbols/elf/frame.h"

struct dwarf_info;

/* names: borrowed. elf lives longer. NULL where elf has no debug information that can be read. */
struct dwarf_info *dwarf_info_open(Elf *elf, struct symbol_names *names);
void dwarf_info_close(struct dwarf_info *d);

/*
 * As symbol_file_resolve. Where only the line is known, returns 0 with out[0].file and line set.
 * max: 1 at least. The function's address and size are left to dwarf_info_extent. *plain: the
 * function's name is without namespace, class and parameters, as C's are.
 */
size_t dwarf_info_resolve(struct dwarf_info *d, uint64_t address, struct symbol_frame *out,
                          size_t max, bool *plain);
/* The piece of the function that holds the address, from its description. */
void dwarf_info_extent(struct dwarf_info *d, uint64_t address, struct symbol_frame *function);
size_t dwarf_info_memory(const struct dwarf_info *d);

#endif
