#include "symbols/elf/dwarf_functions.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/arena.h"

static struct dwarf_function *function_slot(const struct dwarf_functions *t, Dwarf *dwarf,
                                            uint32_t entry)
{
    uint64_t key = (uint64_t)(uintptr_t)dwarf << 20 ^ entry;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (t->cap - 1);
    while (t->slots[at].dwarf && (t->slots[at].entry != entry || t->slots[at].dwarf != dwarf))
        at = (at + 1) & (t->cap - 1);
    return &t->slots[at];
}

static void grow_functions(struct dwarf_functions *t)
{
    struct dwarf_function *old = t->slots;
    size_t cap = t->cap;
    t->cap = cap ? cap * 2 : 1024;
    t->slots = xcalloc(t->cap, sizeof *t->slots);
    for (size_t i = 0; i < cap; i++) {
        if (old[i].dwarf)
            *function_slot(t, old[i].dwarf, old[i].entry) = old[i];
    }
    free(old);
}

static const char *raw_name(Dwarf_Die *die, bool *plain)
{
    Dwarf_Attribute a;
    const char *name = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
        name = dwarf_formstring(&a);
    *plain = !name;
    return name ? name : dwarf_diename(die);
}

/* Like dwarf_decl_file, which ends the process where a unit's table of files is damaged. */
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
    if (t->n * 2 >= t->cap)
        grow_functions(t);
    struct dwarf_function *f = function_slot(t, dwarf, entry);
    if (f->dwarf)
        return f;
    *f = (struct dwarf_function){.dwarf = dwarf, .entry = entry};
    t->n++;
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
    return t->cap * sizeof *t->slots;
}

void dwarf_functions_free(struct dwarf_functions *t)
{
    free(t->slots);
    t->slots = NULL;
    t->n = t->cap = 0;
}
