/* What the files of symbols/elf share among themselves. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf/names.h"

/* Reads .debug_info and .debug_abbrev byte by byte, never past their ends. */
struct dwarf_reader {
    const uint8_t *p, *end;
    bool bad; /* a read failed; all later reads return 0 */
    uint16_t version;
    uint8_t address_size, offset_size;
};

/* Reads n bytes (1 to 8) in this machine's byte order. */
uint64_t dwarf_read(struct dwarf_reader *r, size_t n);
uint64_t dwarf_uleb(struct dwarf_reader *r);

void dwarf_form_skip(struct dwarf_reader *r, unsigned form);
/* The value of a form that is a number or a reference. Other forms are skipped and *known is false.
 * implicit: the value of DW_FORM_implicit_const. */
uint64_t dwarf_form_value(struct dwarf_reader *r, unsigned form, int64_t implicit, bool *known);

/* Abbreviations: kinds of entries, at index code - 1. */
struct dwarf_attribute {
    uint16_t name, form;
    int64_t implicit;
};
struct dwarf_kind {
    uint16_t tag;
    bool children, used; /* used: this code is defined */
    int32_t fixed;       /* bytes of all attributes; -1: they vary */
    uint32_t first, n;   /* the range in the table of attributes */
};
struct dwarf_kinds {
    struct dwarf_kind *rows;
    size_t n, cap;
    struct dwarf_attribute *attributes;
    size_t nattributes, cap_attributes;
};
/* Reads an abbreviation table at r, which also has the sizes of addresses and offsets. */
void dwarf_kinds_read(struct dwarf_kinds *k, struct dwarf_reader *r);
void dwarf_kinds_free(struct dwarf_kinds *k);

/* Descriptions of functions in debug information, by the offset of the entry; each is read once. */
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

/* The functions of a unit of debug information, and those inlined into them, as a sorted list of
 * addresses. libdw reads one entry at a time, which is too slow for 10^5 lookups. Here the entries
 * are walked once; every entry that is not a function with code is skipped. */
#define NO_SCOPE UINT32_MAX

/* A function, or a part of one that is inlined into another. */
struct dwarf_scope {
    uint32_t entry;  /* its description: offset in .debug_info */
    uint32_t origin; /* the entry it is an instance of, or itself */
    uint32_t parent; /* the scope it is inlined into; NO_SCOPE: not inlined */
    uint32_t call_file, call_line;
};

/* Covers the addresses up to the next segment. */
struct dwarf_segment {
    uint32_t at;    /* address - base */
    uint32_t scope; /* the innermost; NO_SCOPE: none */
};

struct dwarf_unit {
    Dwarf *dwarf;    /* borrowed; holds the entries, perhaps a separate file (.dwo) */
    uint64_t main;   /* offset of the unit's entry in the program's own .debug_info */
    uint64_t header; /* offset in .debug_info, like entry and end */
    uint64_t entry;  /* the unit's own entry */
    uint64_t end;
    uint64_t abbreviations; /* offset in .debug_abbrev */
    uint16_t version;
    uint8_t address_size, offset_size;
    bool walked;
    bool addr_known;
    uint64_t addr_base; /* base of its addresses in .debug_addr, if addr_known */
    uint64_t base;
    struct dwarf_scope *scopes;
    struct dwarf_segment *segments;
    uint32_t nscopes, nsegments;
    /* for the unit's owner: */
    const char **files; /* names by number, NULL until needed */
    size_t nfiles;
    bool files_tried, lines_read;
};

/* The sections that a walk reads. */
struct dwarf_sections {
    const uint8_t *info, *abbrev, *addr;
    size_t info_size, abbrev_size, addr_size;
    uint64_t code_from, code_to; /* the linker removed functions outside this range */
    /* How many ranges and attributes may still be read in all units together: in a damaged file
     * many entries may share a long list. */
    size_t *budget;
};

/* Fills scopes and segments; malformed entries are left out. */
void dwarf_unit_walk(struct dwarf_unit *u, const struct dwarf_sections *s);
/* Returns the innermost scope at an address, or NO_SCOPE. */
uint32_t dwarf_unit_find(const struct dwarf_unit *u, uint64_t address);
size_t dwarf_unit_memory(const struct dwarf_unit *u);
void dwarf_unit_free(struct dwarf_unit *u);
