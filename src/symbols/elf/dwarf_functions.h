/* Descriptions of functions in debug information, by the offset of the entry; each is read once. */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_FUNCTIONS_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_FUNCTIONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/names.h"

struct dwarf_function {
    Dwarf *dwarf;
    uint32_t entry;               /* offset in its .debug_info */
    const char *name, *decl_file; /* NULL: unknown */
    int decl_line;                /* 0: unknown */
    bool plain; /* the name is not the linker's, so without namespace and parameters */
};

struct dwarf_functions {
    struct symbol_names *names; /* borrowed */
    struct dwarf_function *list;
    size_t n, cap;
    struct hash_table by_entry;
};

/* The function at entry, or the one it is an instance of. Valid until the next call. */
const struct dwarf_function *dwarf_function_at(struct dwarf_functions *t, Dwarf *dwarf,
                                               uint32_t entry);
size_t dwarf_functions_memory(const struct dwarf_functions *t);
void dwarf_functions_free(struct dwarf_functions *t);

#endif
