/*
 * Functions by their symbols: .symtab, .dynsym, the small table in .gnu_debugdata, and the stubs of
 * the procedure linkage table. Sorted by address. Everything in the file is checked against the
 * file's size.
 */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"

struct elf_symbol {
    uint64_t address;
    /* one past its last byte; for a symbol without a size the end of its section, until
     * elf_symbols_finish */
    uint64_t end;
    const char *name; /* as in the file; owned by its Elf or by strings */
    uint8_t rank;     /* of several symbols at one address, the highest is taken */
    bool sized;       /* end comes from the file, not from the next symbol */
};

struct elf_symbols {
    struct elf_symbol *rows;
    size_t n, cap;
};

/* Adds the functions of a table (SHT_SYMTAB or SHT_DYNSYM) of elf. */
void elf_symbols_add(struct elf_symbols *t, Elf *elf, unsigned type);
/* Adds "name@plt" for the stubs of elf; strings owns these names. */
void elf_symbols_add_plt(struct elf_symbols *t, Elf *elf, struct strings *strings);
/* Sorts the table and gives an end to symbols without a size. */
void elf_symbols_finish(struct elf_symbols *t);
/* The innermost symbol that holds the address; NULL: none. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *t, uint64_t address);
void elf_symbols_free(struct elf_symbols *t);
