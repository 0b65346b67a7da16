/*
 * Functions by their symbols: .symtab, .dynsym, the small table in .gnu_debugdata, and the stubs of
 * the procedure linkage table. Sorted by address; what a file claims is checked against its size.
 */
#ifndef ROOFTOP_SYMBOLS_ELF_ELF_SYMBOLS_H
#define ROOFTOP_SYMBOLS_ELF_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/strings.h"

struct elf_symbol {
    uint64_t address;
    uint64_t end; /* one past its last byte; without a size of its own: of its section, at first */
    const char *name; /* as in the file; owned by its Elf, or by strings */
    uint8_t rank;     /* of several at one address the highest is taken */
    bool sized;       /* its end is what the file says, not where the next one begins */
};

struct elf_symbols {
    struct elf_symbol *rows;
    size_t n, cap;
};

/* Adds the functions of a table (SHT_SYMTAB or SHT_DYNSYM) of elf. */
void elf_symbols_add(struct elf_symbols *t, Elf *elf, unsigned type);
/* Adds "name@plt" for the stubs of elf, whose names are made in strings. */
void elf_symbols_add_plt(struct elf_symbols *t, Elf *elf, struct strings *strings);
/* Sorts, and gives an end to those without. */
void elf_symbols_finish(struct elf_symbols *t);
/* The innermost of those that hold the address; NULL none. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *t, uint64_t address);
void elf_symbols_free(struct elf_symbols *t);

#endif
