#include "symbols/elf/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"

enum { LOOK_BACK = 32, SECTIONS_MAX = 65536 };

struct symbol_range {
    uint64_t from, to;
};

/* Lists the range of code of each section, empty for those without code. The caller frees it. */
static struct symbol_range *code_sections(Elf *elf, size_t *n)
{
    size_t count = 0;
    elf_getshdrnum(elf, &count);
    *n = count < SECTIONS_MAX ? count : SECTIONS_MAX;
    struct symbol_range *out = xcalloc(*n, sizeof *out);
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        size_t i = elf_ndxscn(scn);
        if (i < *n && gelf_getshdr(scn, &h) && (h.sh_flags & SHF_EXECINSTR) &&
            h.sh_addr <= UINT64_MAX - h.sh_size)
            out[i] = (struct symbol_range){h.sh_addr, h.sh_addr + h.sh_size};
    }
    return out;
}

static void add_elf_symbol(struct elf_symbols *t, const struct elf_symbol *row)
{
    LIST_ADD(t->rows, t->n, t->cap, *row);
}

/* Ranks symbols at one address: the highest is taken, 0 is not a function. */
static uint8_t rank_elf_symbol(const GElf_Sym *s, const char *name)
{
    static const uint8_t by_binding[] = {[STB_LOCAL] = 0, [STB_GLOBAL] = 2, [STB_WEAK] = 1};
    unsigned type = GELF_ST_TYPE(s->st_info), binding = GELF_ST_BIND(s->st_info);
    if (name[0] == '\0' || name[0] == '.' || name[0] == '$') /* labels, markers of code and data */
        return 0;
    uint8_t rank = binding < sizeof by_binding ? by_binding[binding] : 0;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return (uint8_t)(rank + 4);
    return type == STT_NOTYPE ? (uint8_t)(rank + 1) : 0;
}

/* The bytes of a string table up to its last NUL, in which every text is terminated. */
static size_t string_table_bytes(const Elf_Data *d)
{
    const char *text = d && d->d_buf ? d->d_buf : "";
    const char *last = d && d->d_buf ? memrchr(text, '\0', d->d_size) : NULL;
    return last ? (size_t)(last - text) + 1 : 0;
}

static void add_table(struct elf_symbols *t, Elf_Data *symbols, const Elf_Data *names,
                      const struct symbol_range *code, size_t ncode, size_t entry)
{
    size_t limit = string_table_bytes(names), n = symbols->d_size / entry;
    for (size_t i = 1; i < n && i <= INT32_MAX; i++) {
        GElf_Sym s;
        if (!gelf_getsym(symbols, (int)i, &s) || s.st_name >= limit || s.st_shndx >= ncode)
            continue;
        const struct symbol_range *c = &code[s.st_shndx];
        if (s.st_value < c->from || s.st_value >= c->to)
            continue;
        struct elf_symbol row = {
            .address = s.st_value, .end = c->to, .name = (const char *)names->d_buf + s.st_name};
        row.rank = rank_elf_symbol(&s, row.name);
        if (row.rank == 0)
            continue;
        row.sized = s.st_size > 0;
        if (row.sized && s.st_size < c->to - s.st_value)
            row.end = s.st_value + s.st_size;
        add_elf_symbol(t, &row);
    }
}

void elf_symbols_add(struct elf_symbols *t, Elf *elf, unsigned type)
{
    size_t ncode = 0, entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    struct symbol_range *code = code_sections(elf, &ncode);
    for (Elf_Scn *scn = NULL; entry && (scn = elf_nextscn(elf, scn)) != NULL;) {
        GElf_Shdr h;
        if (!gelf_getshdr(scn, &h) || h.sh_type != type)
            continue;
        Elf_Data *symbols = elf_getdata(scn, NULL);
        Elf_Scn *text = elf_getscn(elf, h.sh_link);
        Elf_Data *names = text ? elf_getdata(text, NULL) : NULL;
        if (symbols && symbols->d_buf && names && names->d_buf)
            add_table(t, symbols, names, code, ncode, entry);
        break; /* there is one table of each type; a damaged file may repeat one many times */
    }
    free(code);
}

static int compare_elf_symbols(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->sized != y->sized)
        return x->sized ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

void elf_symbols_finish(struct elf_symbols *t)
{
    size_t n = 0;
    if (t->n)
        qsort(t->rows, t->n, sizeof *t->rows, compare_elf_symbols);
    for (size_t i = 0; i < t->n; i++) {
        if (n == 0 || t->rows[n - 1].address != t->rows[i].address)
            t->rows[n++] = t->rows[i];
    }
    t->n = n;
    for (size_t i = 0; i + 1 < n; i++) {
        if (!t->rows[i].sized && t->rows[i].end > t->rows[i + 1].address)
            t->rows[i].end = t->rows[i + 1].address;
    }
}

const struct elf_symbol *elf_symbols_find(const struct elf_symbols *t, uint64_t address)
{
    size_t low = 0;
    SEARCH_FIRST(low, t->n, t->rows[low].address <= address);
    /* A label inside a function has no size, so the function around it is further back. */
    for (size_t back = 0; back < LOOK_BACK && back < low; back++) {
        const struct elf_symbol *row = &t->rows[low - 1 - back];
        if (address < row->end)
            return row;
    }
    return NULL;
}

void elf_symbols_free(struct elf_symbols *t)
{
    free(t->rows);
    *t = (struct elf_symbols){0};
}
