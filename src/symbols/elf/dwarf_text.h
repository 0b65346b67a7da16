/* Texts of debug information, however it is damaged. */
#pragma once

#include <elfutils/libdw.h>

/* Opens the debug information of a file. NULL: it has none, or its sections of texts have no end,
 * which libdw does not look for. Free with dwarf_end. */
Dwarf *dwarf_text_begin(Elf *elf);

/* The text of an attribute of an entry, or of what the entry refers to; NULL: there is none, or it
 * has no end in its section, which libdw does not look for with each form. */
const char *dwarf_text(Dwarf_Die *die, unsigned attribute);
