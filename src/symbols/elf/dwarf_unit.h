/*
 * The functions of one unit of debug information, and what is inlined into them, as a sorted list
 * of addresses. libdw reads one entry at a time, which is too slow for 10^5 lookups. Here the
 * entries are walked once; every entry that is not a function with code is skipped.
 */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_UNIT_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    uint64_t addr_base; /* of its addresses in .debug_addr, if addr_known */
    uint64_t base;
    struct dwarf_scope *scopes;
    struct dwarf_segment *segments;
    uint32_t nscopes, nsegments;
    /* used by the unit's owner: */
    const char **files; /* names by number, NULL until needed */
    size_t nfiles;
    bool files_tried, lines_read;
};

/* The sections that a walk reads. */
struct dwarf_sections {
    const uint8_t *info, *abbrev, *addr;
    size_t info_size, abbrev_size, addr_size;
    uint64_t code_from, code_to; /* the linker removed functions outside this range */
    /*
     * How many ranges and attributes may still be read in all units together: in a damaged file
     * many entries may share a long list.
     */
    size_t *budget;
};

/* Fills scopes and segments; malformed entries are left out. */
void dwarf_unit_walk(struct dwarf_unit *u, const struct dwarf_sections *s);
/* Returns the innermost scope at an address, or NO_SCOPE. */
uint32_t dwarf_unit_find(const struct dwarf_unit *u, uint64_t address);
size_t dwarf_unit_memory(const struct dwarf_unit *u);
void dwarf_unit_free(struct dwarf_unit *u);

#endif
