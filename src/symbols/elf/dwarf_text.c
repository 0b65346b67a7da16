#include "symbols/elf/dwarf_text.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether a text ends in its section. */
static bool ends_in_section(Elf *elf, const char *text)
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

static bool is_text_section(const char *section)
{
    return section &&
           (strcmp(section, ".debug_str") == 0 || strcmp(section, ".debug_line_str") == 0 ||
            strcmp(section, ".zdebug_str") == 0 || strcmp(section, ".zdebug_line_str") == 0);
}

Dwarf *dwarf_text_begin(Elf *elf)
{
    size_t names;
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL); /* unpacks the sections, too */
    bool right = dwarf && elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); right && s; s = elf_nextscn(elf, s)) {
        GElf_Shdr head;
        const Elf_Data *d = NULL;
        if (gelf_getshdr(s, &head) && is_text_section(elf_strptr(elf, names, head.sh_name)))
            d = elf_getdata(s, NULL);
        if (d && d->d_buf && d->d_size > 0)
            right = ((const char *)d->d_buf)[d->d_size - 1] == '\0';
    }
    if (dwarf && !right)
        dwarf_end(dwarf);
    return right ? dwarf : NULL;
}

const char *dwarf_text(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
    if (!text)
        return NULL;
    const unsigned form = dwarf_whatform(&a);
    Dwarf *in = dwarf_cu_getdwarf(a.cu);
    if (form == DW_FORM_GNU_strp_alt ||
        form == DW_FORM_strp_sup) /* in a file that several files share */
        in = dwarf_getalt(in);
    return in && ends_in_section(dwarf_getelf(in), text) ? text : NULL;
}
