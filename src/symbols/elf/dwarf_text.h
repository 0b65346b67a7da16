/* Texts of debug information, which may be damaged. */
#pragma once

#include <elfutils/libdw.h>

/* Opens the debug information of a file. NULL: it has none, or its sections of texts have no final
 * NUL, which libdw does not check. Free with dwarf_end. */
Dwarf *dwarf_text_begin(Elf *elf);

/* The text of an attribute of an entry, or of the entry that it refers to. NULL: there is none, or
 * it has no NUL in its section, which libdw does not check for each form. */
const char *dwarf_text(Dwarf_Die *die, unsigned attribute);
