#include "symbols/elf/dwarf_text.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether a text ends in the section that it stands in. */
static bool ends(Elf *elf, const char *text)
{
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        GElf_Shdr head;
        const Elf_Data *d =
            gelf_getshdr(s, &head) && head.sh_type == SHT_PROGBITS ? elf_getdata(s, NULL) : NULL;
        const uintptr_t at = (uintptr_t)text - (d ? (uintptr_t)d->d_buf : 0);
        if (d && d->d_buf && at < d->d_size)
            return memchr(text, 0, d->d_size - at) != NULL;
    }
    return false;
}

const char *dwarf_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
    if (text && dwarf_whatform(&a) == DW_FORM_string &&
        !ends(dwarf_getelf(dwarf_cu_getdwarf(a.cu)), text))
        return NULL;
    return text;
}
