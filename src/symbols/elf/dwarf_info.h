/*
 * The debug information of one file: finds functions, inlined functions and lines for an address.
 */
#pragma once

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/frame.h"
#include "symbols/elf/names.h"

struct dwarf_info;

/* names is borrowed; elf must outlive the result. NULL if elf has no readable debug information.
 * Free it with dwarf_info_close. */
struct dwarf_info *dwarf_info_open(Elf *elf, struct symbol_names *names);
void dwarf_info_close(struct dwarf_info *d);

/* Like symbol_file_resolve. If only the line is known, returns 0 and sets out[0].file and line. max
 * is at least 1. It leaves the function's address and size to dwarf_info_extent. *plain: the
 * function's name has no namespace, class and parameters, as in C. */
size_t dwarf_info_resolve(struct dwarf_info *d, uint64_t address, struct symbol_frame *out,
                          size_t max, bool *plain);
/* Sets address and size to the range of the function that holds the address. */
void dwarf_info_extent(struct dwarf_info *d, uint64_t address, struct symbol_frame *function);
size_t dwarf_info_memory(const struct dwarf_info *d);
