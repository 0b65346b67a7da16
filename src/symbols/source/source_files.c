#include "symbols/source/source_files.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

#include "symbols/elf/dwarf_text.h"

enum { UNITS_MAX = 4096, FILES_MAX = 1 << 16 };

static const char *attribute_text(struct source_files *f, Dwarf_Die *die, unsigned attribute)
{
    const char *text = dwarf_text(die, attribute);
    return text ? arena_strdup(&f->arena, text) : "";
}

static const char *make_absolute_path(struct source_files *f, const char *directory,
                                      const char *name)
{
    bool whole = name[0] == '/' || !*directory;
    char *path =
        whole ? arena_strdup(&f->arena, name) : arena_printf(&f->arena, "%s/%s", directory, name);
    char *to = path;
    for (const char *at = path; (*to = *at); at++) { /* clang names a folder "." */
        if (strncmp(at, "/./", 3) == 0)
            at++;
        else
            to++;
    }
    return path;
}

static void add_unit_files(struct source_files *f, struct source_unit *u, Dwarf_Die *die)
{
    Dwarf_Files *files = NULL;
    size_t n = 0;
    if (dwarf_getsrcfiles(die, &files, &n) != 0)
        return;
    n = n < FILES_MAX ? n : FILES_MAX;
    u->files = arena_alloc(&f->arena, (n + 1) * sizeof *u->files);
    for (size_t i = 0; i < n; i++) {
        const char *name = dwarf_filesrc(files, i, NULL, NULL);
        if (name && *name && strcmp(name, "???") != 0)
            u->files[u->nfiles++] = make_absolute_path(f, u->directory, name);
    }
}

static void add_unit(struct source_files *f, Dwarf_Die *die, uint64_t address, size_t *own)
{
    struct source_unit *u = &f->units[f->n];
    *u = (struct source_unit){.directory = attribute_text(f, die, DW_AT_comp_dir),
                              .producer = attribute_text(f, die, DW_AT_producer)};
    u->name = make_absolute_path(f, u->directory, attribute_text(f, die, DW_AT_name));
    if (!*u->name)
        return;
    add_unit_files(f, u, die);
    if (*own == UNITS_MAX && dwarf_haspc(die, address) == 1)
        *own = f->n;
    f->n++;
}

static void read_source_units(struct source_files *f, Dwarf *dwarf, uint64_t address)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    size_t own = UNITS_MAX;
    f->units = arena_alloc(&f->arena, UNITS_MAX * sizeof *f->units);
    while (f->n < UNITS_MAX && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0)
        if (dwarf_tag(&die) == DW_TAG_compile_unit)
            add_unit(f, &die, address, &own);
    f->own = own < f->n ? &f->units[own] : NULL;
}

void source_files_read(struct source_files *out, const void *elf, size_t n, uint64_t address)
{
    *out = (struct source_files){.n = 0};
    elf_version(EV_CURRENT);
    char *image; /* only read */
    memcpy(&image, &elf, sizeof image);
    Elf *e = elf_memory(image, n);
    Dwarf *dwarf = e ? dwarf_text_begin(e) : NULL;
    if (dwarf) {
        read_source_units(out, dwarf, address);
        dwarf_end(dwarf);
    }
    if (e)
        elf_end(e);
}

void source_files_free(struct source_files *f)
{
    arena_free(&f->arena);
    *f = (struct source_files){.n = 0};
}
