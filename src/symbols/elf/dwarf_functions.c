#include "symbols/elf/elf_impl.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/list.h"
#include "symbols/elf/dwarf_text.h"

static const char *raw_name(Dwarf_Die *die, bool *plain)
{
    const char *name = dwarf_text(die, DW_AT_linkage_name);
    name = name ? name : dwarf_text(die, DW_AT_MIPS_linkage_name);
    *plain = !name;
    return name ? name : dwarf_text(die, DW_AT_name);
}

/* Like dwarf_decl_file, which however ends the process if a unit's table of files is damaged. */
static const char *decl_file(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Word number;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t n = 0;
    if (!dwarf_attr_integrate(die, DW_AT_decl_file, &a) || dwarf_formudata(&a, &number) != 0 ||
        !dwarf_cu_die(a.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n)
        return NULL;
    return dwarf_filesrc(files, number, NULL, NULL);
}

const struct dwarf_function *dwarf_function_at(struct dwarf_functions *t, Dwarf *dwarf,
                                               uint32_t entry)
{
    Dwarf_Die die;
    uint64_t hash = hash_number(entry, (uintptr_t)dwarf);
    HASH_EACH (&t->by_entry, hash, i)
        if (t->list[i].entry == entry && t->list[i].dwarf == dwarf)
            return &t->list[i];
    hash_table_add(&t->by_entry, hash, t->n);
    LIST_ROOM(t->list, t->n, t->cap);
    struct dwarf_function *f = &t->list[t->n++];
    *f = (struct dwarf_function){.dwarf = dwarf, .entry = entry};
    if (!dwarf_offdie(dwarf, entry, &die))
        return f;
    const char *raw = raw_name(&die, &f->plain), *file = decl_file(&die);
    f->name = raw && *raw ? symbol_names_get(t->names, raw) : NULL;
    f->decl_file = file ? symbol_names_get(t->names, file) : NULL;
    if (dwarf_decl_line(&die, &f->decl_line) != 0)
        f->decl_line = 0;
    return f;
}

size_t dwarf_functions_memory(const struct dwarf_functions *t)
{
    return t->cap * sizeof *t->list + hash_table_memory(&t->by_entry);
}

void dwarf_functions_free(struct dwarf_functions *t)
{
    free(t->list);
    hash_table_free(&t->by_entry);
    t->list = NULL;
    t->n = t->cap = 0;
}
