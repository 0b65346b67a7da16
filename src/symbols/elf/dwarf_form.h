/* Reads .debug_info and .debug_abbrev byte by byte, never past their ends. */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_FORM_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwarf_reader {
    const uint8_t *p, *end;
    bool bad; /* something did not fit; all later reads return 0 */
    uint16_t version;
    uint8_t address_size, offset_size;
};

/* Reads n bytes (1 to 8) in this machine's byte order. */
uint64_t dwarf_read(struct dwarf_reader *r, size_t n);
uint64_t dwarf_uleb(struct dwarf_reader *r);

/* How many bytes a form takes in .debug_info; -1 where this depends on the data. */
int dwarf_form_size(const struct dwarf_reader *r, unsigned form);
void dwarf_form_skip(struct dwarf_reader *r, unsigned form);
/*
 * The value of a form that is a number or a reference. Other forms are skipped and *known is false.
 * implicit: the value of DW_FORM_implicit_const.
 */
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

#endif
