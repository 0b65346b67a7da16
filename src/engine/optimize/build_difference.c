/* Parses ELF files with <elf.h> and checks each offset, because a build of untrusted code may
 * contain any bytes. */
#include "engine/optimize/optimize_impl.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

enum { RANGES = 80, SEGMENTS_MOST = 64, BUILD_ID_MOST = 64, NAME_MOST = 64, SECTIONS_MOST = 4096 };

struct range {
    size_t at, n;
};

/* A file, and a copy in which all bytes that may differ are 0. */
struct build {
    const uint8_t *bytes;
    uint8_t *masked;
    size_t n;
    bool linked; /* an ELF file as above; else all bytes count */
    Elf64_Ehdr head;
    struct range ranges[RANGES]; /* what counts; the first two: ELF header, program headers */
    size_t nranges;
    size_t nsections; /* 0: it has no table that can be read */
};

static bool is_within_file(const struct build *b, uint64_t at, uint64_t n)
{
    return at <= b->n && n <= b->n - at;
}

static Elf64_Shdr section_at(const struct build *b, size_t i)
{
    Elf64_Shdr s;
    memcpy(&s, b->bytes + b->head.e_shoff + i * sizeof s, sizeof s);
    return s;
}

static bool add_compared_range(struct build *b, uint64_t at, uint64_t n)
{
    if (!is_within_file(b, at, n) || b->nranges == RANGES)
        return false;
    if (n > 0)
        b->ranges[b->nranges++] = (struct range){(size_t)at, (size_t)n};
    return true;
}

/* --- what counts --- */

static void mask_bytes(struct build *b, size_t at, size_t n)
{
    memset(b->masked + at, 0, n);
}

/* The position of the section table depends on the data before it, and loaders ignore it. */
static void mask_header(struct build *b)
{
    mask_bytes(b, offsetof(Elf64_Ehdr, e_shoff), sizeof b->head.e_shoff);
    mask_bytes(b, offsetof(Elf64_Ehdr, e_shnum), sizeof b->head.e_shnum);
    mask_bytes(b, offsetof(Elf64_Ehdr, e_shstrndx), sizeof b->head.e_shstrndx);
}

/* The notes of a segment, each aligned by 4 bytes, or by 8 where the segment is. */
static void mask_build_id(struct build *b, const Elf64_Phdr *p)
{
    const size_t align = p->p_align == 8 ? 8 : 4;
    size_t at = (size_t)p->p_offset;
    const size_t end = at + (size_t)p->p_filesz;
    while (end - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, b->bytes + at, sizeof note);
        const uint64_t name = sizeof note + (uint64_t)note.n_namesz;
        const uint64_t from = (name + align - 1) / align * align, all = from + note.n_descsz;
        if (all > end - at)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            note.n_descsz <= BUILD_ID_MOST && memcmp(b->bytes + at + sizeof note, "GNU", 4) == 0)
            mask_bytes(b, at + (size_t)from, note.n_descsz);
        const uint64_t next = (all + align - 1) / align * align;
        if (next > end - at)
            return;
        at += (size_t)next;
    }
}

static bool read_segments(struct build *b)
{
    for (size_t i = 0; i < b->head.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, b->bytes + b->head.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type == PT_NULL)
            continue;
        if (!add_compared_range(b, p.p_offset, p.p_filesz))
            return false;
        if (p.p_type == PT_NOTE)
            mask_build_id(b, &p);
    }
    return true;
}

/* A GPU's loader may find kernels by the table of symbols, whether it is loaded or not. */
static bool read_gpu_symbols(struct build *b)
{
    for (size_t i = 0; b->head.e_machine == EM_AMDGPU && i < b->nsections; i++) {
        const Elf64_Shdr s = section_at(b, i);
        if (s.sh_type != SHT_SYMTAB)
            continue;
        if (!add_compared_range(b, s.sh_offset, s.sh_size))
            return false;
        if (s.sh_link >= b->nsections)
            continue;
        const Elf64_Shdr names = section_at(b, s.sh_link);
        if (!add_compared_range(b, names.sh_offset, names.sh_size))
            return false;
    }
    return true;
}

static bool read_linked(struct build *b)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
    if (b->n < sizeof b->head || memcmp(b->bytes, magic, sizeof magic) != 0)
        return false;
    memcpy(&b->head, b->bytes, sizeof b->head);
    const Elf64_Ehdr *h = &b->head;
    const uint64_t segments = (uint64_t)h->e_phnum * sizeof(Elf64_Phdr);
    if ((h->e_type != ET_DYN && h->e_type != ET_EXEC) || h->e_phnum == 0 ||
        h->e_phnum > SEGMENTS_MOST || h->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    if (h->e_shnum <= SECTIONS_MOST && h->e_shentsize == sizeof(Elf64_Shdr) &&
        is_within_file(b, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        b->nsections = h->e_shnum;
    return add_compared_range(b, 0, sizeof *h) && add_compared_range(b, h->e_phoff, segments) &&
           read_segments(b) && read_gpu_symbols(b);
}

static void open_build(struct build *b, const void *bytes, size_t n)
{
    *b = (struct build){.bytes = bytes, .n = n, .masked = xcalloc(n + 1, 1)};
    memcpy(b->masked, bytes, n);
    b->linked = read_linked(b);
    if (b->linked) {
        mask_header(b);
        return;
    }
    memcpy(b->masked, bytes, n); /* a build ID that was found before it went wrong */
    b->nsections = 0;
    b->nranges = 0;
    add_compared_range(b, 0, n);
}

static bool is_same_masked(const struct build *a, const struct build *b)
{
    if (a->nranges != b->nranges)
        return false;
    for (size_t i = 0; i < a->nranges; i++) {
        const struct range *x = &a->ranges[i], *y = &b->ranges[i];
        if (x->at != y->at || x->n != y->n ||
            memcmp(a->masked + x->at, b->masked + y->at, x->n) != 0)
            return false;
    }
    return true;
}

uint64_t build_hash(const void *bytes, size_t n)
{
    struct build b;
    open_build(&b, bytes, n);
    uint64_t hash = b.linked;
    for (size_t i = 0; i < b.nranges; i++) {
        hash = hash_number(hash, b.ranges[i].at);
        hash = hash_bytes(hash, b.masked + b.ranges[i].at, b.ranges[i].n);
    }
    free(b.masked);
    return hash ? hash : 1;
}

/* --- what is said --- */

/* A name in a string table; "" if the table has no such name. */
static void read_name(const struct build *b, const Elf64_Shdr *names, uint64_t at,
                      char out[NAME_MOST])
{
    size_t n = 0;
    if (names->sh_type == SHT_STRTAB && is_within_file(b, names->sh_offset, names->sh_size) &&
        at < names->sh_size) {
        const uint8_t *from = b->bytes + names->sh_offset + at;
        for (; n < NAME_MOST - 1 && n < names->sh_size - at && from[n]; n++)
            out[n] = from[n] > ' ' && from[n] < 127 ? (char)from[n] : '?';
    }
    out[n] = '\0';
}

static void section_name(const struct build *b, const Elf64_Shdr *s, char out[NAME_MOST])
{
    const size_t at = b->head.e_shstrndx;
    const Elf64_Shdr names = at < b->nsections ? section_at(b, at) : (Elf64_Shdr){.sh_type = 0};
    read_name(b, &names, s->sh_name, out);
}

/* The bytes of a section that are in the file. */
static bool section_bytes(const struct build *b, const Elf64_Shdr *s, struct range *out)
{
    *out = (struct range){(size_t)s->sh_offset, (size_t)s->sh_size};
    return s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
           is_within_file(b, s->sh_offset, s->sh_size);
}

/* The name of the function or variable at an address; "": none. */
static void symbol_name(const struct build *b, uint64_t address, char out[NAME_MOST])
{
    *out = '\0';
    for (size_t i = 0; i < b->nsections && !*out; i++) {
        const Elf64_Shdr s = section_at(b, i);
        struct range r;
        if ((s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) || s.sh_link >= b->nsections ||
            !section_bytes(b, &s, &r))
            continue;
        const Elf64_Shdr names = section_at(b, s.sh_link);
        for (size_t at = 0; r.n - at >= sizeof(Elf64_Sym) && !*out; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, b->bytes + r.at + at, sizeof symbol);
            const unsigned type = ELF64_ST_TYPE(symbol.st_info);
            if ((type == STT_FUNC || type == STT_OBJECT) && symbol.st_shndx != SHN_UNDEF &&
                address >= symbol.st_value && address - symbol.st_value < symbol.st_size)
                read_name(b, &names, symbol.st_name, out);
        }
    }
}

static void say_first_difference(const struct build *b, size_t at, char why[BUILD_DIFFERENCE])
{
    char section[NAME_MOST], symbol[NAME_MOST];
    for (size_t i = 0; i < b->nsections; i++) {
        const Elf64_Shdr s = section_at(b, i);
        struct range r;
        if (!section_bytes(b, &s, &r) || at < r.at || at - r.at >= r.n)
            continue;
        section_name(b, &s, section);
        *symbol = '\0';
        if (s.sh_flags & SHF_ALLOC)
            symbol_name(b, s.sh_addr + (at - r.at), symbol);
        snprintf(why, BUILD_DIFFERENCE, "byte %zu, in %s%s%s", at, section, *symbol ? " of " : "",
                 symbol);
        return;
    }
    snprintf(why, BUILD_DIFFERENCE, "byte %zu%s", at, b->linked ? ", between its sections" : "");
}

/* The first difference that counts. Where the size of the loaded parts differs, headers differ,
 * too: these are reported only if nothing else differs. */
static void say_other(const struct build *a, const struct build *b, char why[BUILD_DIFFERENCE])
{
    const bool both = a->linked && b->linked;
    size_t first = SIZE_MAX;
    for (size_t i = both ? 2 : 0; i < a->nranges; i++) {
        const struct range *r = &a->ranges[i];
        const size_t from = both && r->at == 0 ? a->ranges[1].at + a->ranges[1].n : r->at;
        for (size_t k = from; k < r->at + r->n && k < first; k++)
            if (k >= b->n || a->masked[k] != b->masked[k])
                first = k;
    }
    if (first < b->n)
        say_first_difference(a, first, why);
    else if (both)
        snprintf(why, BUILD_DIFFERENCE, "the headers of what is loaded");
    else
        snprintf(why, BUILD_DIFFERENCE, "they have %zu and %zu bytes", a->n, b->n);
}

/* The section of this name, the nth of those that have it. */
static bool find_section(const struct build *b, const char *wanted, size_t nth, struct range *out)
{
    char name[NAME_MOST];
    for (size_t i = 1; i < b->nsections; i++) {
        const Elf64_Shdr s = section_at(b, i);
        section_name(b, &s, name);
        if (strcmp(name, wanted) == 0 && nth-- == 0)
            return section_bytes(b, &s, out);
    }
    return false;
}

static void add_section_name(char why[BUILD_DIFFERENCE], const char *name)
{
    static const char more[] = ", and more";
    const size_t n = strlen(why);
    if (n >= sizeof more && strcmp(why + n - (sizeof more - 1), more) == 0)
        return;
    if (n + strlen(name) + 2 + sizeof more > BUILD_DIFFERENCE)
        snprintf(why + n, BUILD_DIFFERENCE - n, "%s", more);
    else
        snprintf(why + n, BUILD_DIFFERENCE - n, "%s%s", n ? ", " : "", name);
}

/* Adds the sections of a that b lacks and, unless only_lacking, those that differ. */
static void add_sections(const struct build *a, const struct build *b, bool only_lacking,
                         char why[BUILD_DIFFERENCE])
{
    enum { LOOKED_AT = 128 }; /* each is looked for among all others */
    char name[NAME_MOST], before[NAME_MOST];
    for (size_t i = 1; i < a->nsections && i < LOOKED_AT; i++) {
        const Elf64_Shdr s = section_at(a, i);
        struct range mine, other = {0, 0};
        size_t nth = 0;
        if (!section_bytes(a, &s, &mine))
            continue;
        section_name(a, &s, name);
        for (size_t k = 1; k < i; k++) {
            const Elf64_Shdr earlier = section_at(a, k);
            section_name(a, &earlier, before);
            nth += strcmp(before, name) == 0;
        }
        const bool there = find_section(b, name, nth, &other);
        const bool same = there && mine.n == other.n &&
                          memcmp(a->bytes + mine.at, b->bytes + other.at, mine.n) == 0;
        if (!there || (!only_lacking && !same))
            add_section_name(why, name);
    }
}

enum build_relation build_compare(const void *a, size_t na, const void *b, size_t nb,
                                  char why[BUILD_DIFFERENCE])
{
    struct build x, y;
    enum build_relation said = BUILD_SAME;
    *why = '\0';
    if (na == nb && memcmp(a, b, na) == 0)
        return said;
    open_build(&x, a, na);
    open_build(&y, b, nb);
    if (x.linked == y.linked && is_same_masked(&x, &y)) {
        said = BUILD_EXPLAINED;
        add_sections(&x, &y, false, why);
        add_sections(&y, &x, true, why);
        if (!*why)
            snprintf(why, BUILD_DIFFERENCE, "the table of its sections");
    } else {
        said = BUILD_OTHER;
        say_other(&x, &y, why);
    }
    free(x.masked);
    free(y.masked);
    return said;
}
