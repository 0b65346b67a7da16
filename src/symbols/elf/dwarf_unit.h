/*
 * The functions of one unit of debug information, and what is inlined into them, as a list of
 * addresses in order. libdw reads one entry at a time, at a cost that 10^5 questions cannot pay:
 * here the entries are walked once, each skipped as a whole unless it is a function with code.
 */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_UNIT_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_SCOPE UINT32_MAX

/* A function, or a piece of one inlined into another. */
struct dwarf_scope {
    uint32_t entry;  /* where it is described: offset into .debug_info */
    uint32_t origin; /* what it is an instance of; itself where it is none */
    uint32_t parent; /* the one it is inlined into; NO_SCOPE for a function of its own */
    uint32_t call_file, call_line;
};

/* From an address on, up to the next one. */
struct dwarf_segment {
    uint32_t at;    /* address - base */
    uint32_t scope; /* innermost; NO_SCOPE none */
};

struct dwarf_unit {
    Dwarf *dwarf;    /* borrowed; of the entries, which may lie in a file of their own (.dwo) */
    uint64_t main;   /* offset of the unit's entry in the program's own .debug_info */
    uint64_t header; /* offset into .debug_info, like those that follow */
    uint64_t entry;  /* of the unit itself */
    uint64_t end;
    uint64_t abbreviations; /* offset into .debug_abbrev */
    uint16_t version;
    uint8_t address_size, offset_size;
    bool walked;
    bool addr_known;
    uint64_t addr_base; /* of its addresses in .debug_addr, where addr_known */
    uint64_t base;
    struct dwarf_scope *scopes;
    struct dwarf_segment *segments;
    uint32_t nscopes, nsegments;
    /* for whoever owns the unit */
    const char **files; /* names by number, NULL until asked */
    size_t nfiles;
    bool files_tried, lines_read;
};

/* Sections that a walk reads. */
struct dwarf_sections {
    const uint8_t *info, *abbrev, *addr;
    size_t info_size, abbrev_size, addr_size;
    uint64_t code_from, code_to; /* functions outside were left out by the linker */
    /* Ranges and attributes that may still be read, of all units together: damaged ones may share
     * a long list. */
    size_t *budget;
};

/* Fills scopes and segments; what is malformed is left out. */
void dwarf_unit_walk(struct dwarf_unit *u, const struct dwarf_sections *s);
/* The innermost scope at an address; NO_SCOPE none. */
uint32_t dwarf_unit_find(const struct dwarf_unit *u, uint64_t address);
size_t dwarf_unit_memory(const struct dwarf_unit *u);
void dwarf_unit_free(struct dwarf_unit *u);

#endif
