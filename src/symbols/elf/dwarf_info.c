#include "symbols/elf/dwarf_info.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"
#include "symbols/elf/debug_file.h"
#include "symbols/elf/dwarf_text.h"
#include "symbols/elf/elf_impl.h"

enum {
    UNITS_MAX = 1 << 20,
    PIECES_MAX = 1 << 22, /* pieces of code in all units together */
    LOOK_BACK = 64,
    INLINED_MAX = 256,
    BUDGET = 1 << 27,
    /* approximate memory of libdw: for each row of a line table, each of its files, each unit */
    LINE_BYTES = 64,
    FILE_BYTES = 32,
    UNIT_BYTES = 768,
};

/* A range of a unit's code. */
struct address_piece {
    uint64_t from, to;
    uint32_t unit;
};

struct dwarf_info {
    Dwarf *dwarf;
    struct symbol_names *names;
    struct dwarf_sections sections;
    struct dwarf_unit *units;
    size_t nunits;
    struct address_piece *pieces; /* sorted by address */
    size_t npieces, cap_pieces;
    struct dwarf_functions functions;
    size_t budget; /* see struct dwarf_sections */
    size_t bytes;  /* bytes of the units and of libdw's data */
};

/* --- opening --- */

static void find_dwarf_section(Elf *elf, const char *name, const uint8_t **data, size_t *size)
{
    Elf_Scn *scn = elf_section(elf, name);
    Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;
    *data = d ? d->d_buf : NULL;
    *size = d && d->d_buf ? d->d_size : 0;
}

/* The size of all sections. It grows when libdw opens the file and unpacks sections. */
static size_t count_section_bytes(Elf *elf)
{
    size_t bytes = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        bytes += gelf_getshdr(scn, &h) ? h.sh_size : 0;
    }
    return bytes;
}

static void find_code(Elf *elf, uint64_t *from, uint64_t *to)
{
    *from = UINT64_MAX;
    *to = 0;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_EXECINSTR) ||
            h.sh_addr > UINT64_MAX - h.sh_size)
            continue;
        *from = h.sh_addr < *from ? h.sh_addr : *from;
        *to = h.sh_addr + h.sh_size > *to ? h.sh_addr + h.sh_size : *to;
    }
}

/* If the compiler left the entries in a separate file (-gsplit-dwarf), the unit continues in that
 * file. Without the file there is nothing to walk. */
static void use_split(struct dwarf_unit *u, Dwarf_Die *split, struct dwarf_sections *s)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(split->cu);
    Dwarf_Off at = 0, next = 0, abbreviations = 0, wanted = dwarf_dieoffset(split);
    size_t head = 0;
    Dwarf_Half version = 0;
    uint8_t address_size = 0, offset_size = 0;
    while (dwarf_next_unit(dwarf, at, &next, &head, &version, &abbreviations, &address_size,
                           &offset_size, NULL, NULL) == 0 &&
           next > at) {
        if (at + head == wanted) {
            *u = (struct dwarf_unit){.dwarf = dwarf,
                                     .main = u->main,
                                     .header = at,
                                     .entry = wanted,
                                     .end = next,
                                     .abbreviations = abbreviations,
                                     .version = version,
                                     .address_size = address_size,
                                     .offset_size = offset_size,
                                     .addr_known = u->addr_known,
                                     .addr_base = u->addr_base};
            find_dwarf_section(dwarf_getelf(dwarf), ".debug_info.dwo", &s->info, &s->info_size);
            find_dwarf_section(dwarf_getelf(dwarf), ".debug_abbrev.dwo", &s->abbrev,
                               &s->abbrev_size);
            return;
        }
        at = next;
    }
}

static void walk_unit(struct dwarf_info *d, struct dwarf_unit *u)
{
    Dwarf_Die die, split = {0};
    Dwarf_Attribute a;
    Dwarf_Word base;
    struct dwarf_sections s = d->sections;
    if (u->walked || !dwarf_offdie(d->dwarf, u->main, &die))
        return;
    if ((dwarf_attr(&die, DW_AT_addr_base, &a) || dwarf_attr(&die, DW_AT_GNU_addr_base, &a)) &&
        dwarf_formudata(&a, &base) == 0) {
        u->addr_base = base;
        u->addr_known = true;
    }
    if (dwarf_cu_info(die.cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 && split.addr &&
        split.cu != die.cu)
        use_split(u, &split, &s);
    dwarf_unit_walk(u, &s);
    d->bytes += dwarf_unit_memory(u);
}

static void add_address_piece(struct dwarf_info *d, uint64_t from, uint64_t to, uint32_t unit)
{
    if (from >= to || from < d->sections.code_from || from >= d->sections.code_to ||
        d->npieces >= PIECES_MAX)
        return;
    LIST_ADD(d->pieces, d->npieces, d->cap_pieces, (struct address_piece){from, to, unit});
}

/* Adds the ranges of a unit's code: its own, or else those of its functions. */
static void add_pieces(struct dwarf_info *d, uint32_t unit)
{
    struct dwarf_unit *u = &d->units[unit];
    Dwarf_Die die;
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    bool any = false;
    if (!dwarf_offdie(d->dwarf, u->main, &die))
        return;
    int tag = dwarf_tag(&die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
        return;
    while (d->budget && d->budget-- && d->npieces < PIECES_MAX &&
           (at = dwarf_ranges(&die, at, &base, &from, &to)) > 0) {
        add_address_piece(d, from, to, unit);
        any = true;
    }
    if (any)
        return;
    walk_unit(d, u);
    if (u->nsegments > 1)
        add_address_piece(d, u->base, u->base + u->segments[u->nsegments - 1].at, unit);
}

static int compare_pieces(const void *a, const void *b)
{
    const struct address_piece *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void read_dwarf_units(struct dwarf_info *d)
{
    Dwarf_Off at = 0, next = 0, abbreviations = 0;
    size_t head = 0, cap = 0;
    Dwarf_Half version = 0;
    uint8_t address_size = 0, offset_size = 0;
    while (d->nunits < UNITS_MAX &&
           dwarf_next_unit(d->dwarf, at, &next, &head, &version, &abbreviations, &address_size,
                           &offset_size, NULL, NULL) == 0 &&
           next > at) {
        LIST_ROOM(d->units, d->nunits, cap);
        d->units[d->nunits++] = (struct dwarf_unit){.dwarf = d->dwarf,
                                                    .main = at + head,
                                                    .header = at,
                                                    .entry = at + head,
                                                    .end = next,
                                                    .abbreviations = abbreviations,
                                                    .version = version,
                                                    .address_size = address_size,
                                                    .offset_size = offset_size};
        at = next;
    }
    for (uint32_t i = 0; i < d->nunits; i++)
        add_pieces(d, i);
    if (d->npieces)
        qsort(d->pieces, d->npieces, sizeof *d->pieces, compare_pieces);
    d->bytes += cap * sizeof *d->units + d->nunits * UNIT_BYTES + d->cap_pieces * sizeof *d->pieces;
}

struct dwarf_info *dwarf_info_open(Elf *elf, struct symbol_names *names)
{
    const char *ident = elf_getident(elf, NULL);
    GElf_Ehdr head;
    const unsigned char mine =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (!ident || ident[EI_DATA] != mine || !gelf_getehdr(elf, &head) || head.e_type == ET_REL)
        return NULL;
    const size_t packed = count_section_bytes(elf);
    Dwarf *dwarf = dwarf_text_begin(elf);
    if (!dwarf)
        return NULL;
    struct dwarf_info *d = xcalloc(1, sizeof *d);
    d->bytes = count_section_bytes(elf) - packed;
    struct dwarf_sections *s = &d->sections;
    d->dwarf = dwarf;
    d->names = d->functions.names = names;
    d->budget = BUDGET;
    s->budget = &d->budget;
    find_dwarf_section(elf, ".debug_info", &s->info, &s->info_size);
    find_dwarf_section(elf, ".debug_abbrev", &s->abbrev, &s->abbrev_size);
    find_dwarf_section(elf, ".debug_addr", &s->addr, &s->addr_size);
    find_code(elf, &s->code_from, &s->code_to);
    if (s->info && s->abbrev)
        read_dwarf_units(d);
    return d;
}

void dwarf_info_close(struct dwarf_info *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->nunits; i++)
        dwarf_unit_free(&d->units[i]);
    free(d->units);
    free(d->pieces);
    dwarf_functions_free(&d->functions);
    dwarf_end(d->dwarf);
    free(d);
}

size_t dwarf_info_memory(const struct dwarf_info *d)
{
    return d ? d->bytes + dwarf_functions_memory(&d->functions) : 0;
}

/* --- files and lines --- */

static const char *find_unit_file(struct dwarf_info *d, struct dwarf_unit *u, uint32_t number)
{
    Dwarf_Die die;
    Dwarf_Files *files;
    if (!u->files && !u->files_tried && dwarf_offdie(u->dwarf, u->entry, &die) &&
        dwarf_getsrcfiles(&die, &files, &u->nfiles) == 0) {
        u->files = xcalloc(u->nfiles, sizeof(char *));
        for (size_t i = 0; i < u->nfiles; i++) {
            const char *name = dwarf_filesrc(files, i, NULL, NULL);
            u->files[i] = name ? strings_add(d->names->strings, name) : NULL;
        }
    }
    u->files_tried = true;
    return u->files && number < u->nfiles ? u->files[number] : NULL;
}

/* Reads the line table of a unit, once, and counts what libdw keeps of it. */
static void read_unit_lines(struct dwarf_info *d, struct dwarf_unit *u, Dwarf_Die *die)
{
    Dwarf_Lines *lines;
    Dwarf_Files *files;
    size_t n, nfiles;
    if (!u->lines_read && dwarf_getsrclines(die, &lines, &n) == 0) {
        d->bytes += n * LINE_BYTES;
        for (size_t i = dwarf_getsrcfiles(die, &files, &nfiles) == 0 ? nfiles : 0; i > 0; i--) {
            const char *name = dwarf_filesrc(files, i - 1, NULL, NULL);
            d->bytes += FILE_BYTES + (name ? strlen(name) : 0);
        }
    }
    u->lines_read = true;
}

static void find_address_line(struct dwarf_info *d, struct dwarf_unit *u, uint64_t address,
                              struct symbol_frame *out)
{
    Dwarf_Die die;
    if (!dwarf_offdie(d->dwarf, u->main, &die))
        return;
    read_unit_lines(d, u, &die);
    Dwarf_Line *line = dwarf_getsrc_die(&die, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    /* all lines share one copy of the name */
    out->file = file ? symbol_names_get(d->names, file) : NULL;
    if (!line || dwarf_lineno(line, &out->line) != 0)
        out->line = 0;
}

/* --- resolving --- */

/* Finds the unit that holds the address, and the scope in it; NULL: none. */
static struct dwarf_unit *find_unit_of_address(struct dwarf_info *d, uint64_t address,
                                               uint32_t *scope)
{
    struct dwarf_unit *without = NULL;
    size_t low = 0;
    SEARCH_FIRST(low, d->npieces, d->pieces[low].from <= address);
    *scope = NO_SCOPE;
    for (size_t back = 1; back <= LOOK_BACK && back <= low; back++) {
        const struct address_piece *p = &d->pieces[low - back];
        if (address >= p->to)
            continue;
        struct dwarf_unit *u = &d->units[p->unit];
        walk_unit(d, u);
        *scope = dwarf_unit_find(u, address);
        if (*scope != NO_SCOPE)
            return u;
        without = without ? without : u;
    }
    return without;
}

size_t dwarf_info_resolve(struct dwarf_info *d, uint64_t address, struct symbol_frame *out,
                          size_t max, bool *plain)
{
    uint32_t scope;
    size_t n = 0, depth = 0;
    struct dwarf_unit *u = find_unit_of_address(d, address, &scope);
    struct symbol_frame place = {0};
    out[0] = place;
    *plain = false;
    if (!u)
        return 0;
    find_address_line(d, u, address, &place);
    out[0] = place;
    for (; scope != NO_SCOPE && depth < INLINED_MAX; depth++) {
        const struct dwarf_scope *s = &u->scopes[scope];
        const struct dwarf_function *f = dwarf_function_at(&d->functions, u->dwarf, s->origin);
        struct symbol_frame *frame = &out[n < max ? n++ : max - 1];
        *frame = place;
        frame->name = f->name;
        *plain = f->plain;
        frame->decl_file = f->decl_file;
        frame->decl_line = f->decl_line;
        frame->inlined = s->parent != NO_SCOPE;
        place = (struct symbol_frame){.file = frame->inlined ? find_unit_file(d, u, s->call_file)
                                                             : NULL,
                                      .line = (int)s->call_line};
        scope = s->parent;
    }
    return n;
}

void dwarf_info_extent(struct dwarf_info *d, uint64_t address, struct symbol_frame *function)
{
    Dwarf_Die die;
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    uint32_t scope;
    struct dwarf_unit *u = find_unit_of_address(d, address, &scope);
    while (scope != NO_SCOPE && u->scopes[scope].parent != NO_SCOPE)
        scope = u->scopes[scope].parent;
    if (scope == NO_SCOPE || !dwarf_offdie(u->dwarf, u->scopes[scope].entry, &die))
        return;
    for (size_t i = 0; i < 4096 && (at = dwarf_ranges(&die, at, &base, &from, &to)) > 0; i++) {
        if (address >= from && address < to) {
            function->address = from;
            function->size = to - from;
            return;
        }
    }
}
