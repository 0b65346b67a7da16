/* Texts of debug information, however it is damaged. */
#ifndef ROOFTOP_SYMBOLS_ELF_DWARF_TEXT_H
#define ROOFTOP_SYMBOLS_ELF_DWARF_TEXT_H

#include <elfutils/libdw.h>

/* The text of an attribute of an entry, or of what the entry refers to; NULL: there is none, or it
 * has no end. libdw does not look for the end of one that stands in the entry itself. */
const char *dwarf_text(Dwarf_Die *die, unsigned attribute);

#endif
