#include "gpu/code_elf.h"

#include <elf.h>
#include <string.h>

/* Source: LLVM, "User Guide for AMDGPU Backend", ELF Header. */
enum { MACHINE_AMDGPU = 224, OSABI_AMDGPU_HSA = 64, NOTE_METADATA = 32, ABI_V3 = 1, ABI_V6 = 4 };

static bool fail_elf(struct code_elf *e, const char *why, uint64_t at)
{
    if (!e->bad) {
        e->bad = why;
        e->at = (size_t)at;
    }
    return false;
}

static bool is_in_file(const struct code_elf *e, uint64_t offset, uint64_t n)
{
    return offset <= e->n && n <= e->n - offset;
}

/* Reads a section header. code_elf_open checked that the table is inside the file. */
static Elf64_Shdr read_elf_section(const struct code_elf *e, uint32_t i)
{
    Elf64_Shdr s;
    memcpy(&s, e->bytes + e->sections + i * sizeof s, sizeof s);
    return s;
}

static Elf64_Phdr read_elf_segment(const struct code_elf *e, uint32_t i)
{
    Elf64_Phdr p;
    memcpy(&p, e->bytes + e->segments + i * sizeof p, sizeof p);
    return p;
}

static bool check_kind(struct code_elf *e, const Elf64_Ehdr *h)
{
    if (h->e_machine != MACHINE_AMDGPU)
        return fail_elf(e, "an ELF file, but not for AMD's GPUs", offsetof(Elf64_Ehdr, e_machine));
    if (h->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
        return fail_elf(e, "code for AMD's GPUs, but not for the HSA runtime", EI_OSABI);
    if (h->e_ident[EI_ABIVERSION] < ABI_V3)
        return fail_elf(e, "a code object of version 2, which compilers stopped making in 2020",
                        EI_ABIVERSION);
    if (h->e_ident[EI_ABIVERSION] > ABI_V6)
        return fail_elf(e, "a code object of a version that is newer than 6", EI_ABIVERSION);
    if (h->e_type != ET_DYN)
        return fail_elf(e, "not linked: an object file, not a code object",
                        offsetof(Elf64_Ehdr, e_type));
    return true;
}

static bool read_elf_head(struct code_elf *e, const void *bytes, size_t n, Elf64_Ehdr *h)
{
    *e = (struct code_elf){.bytes = bytes, .n = n};
    if (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return fail_elf(e, "not an ELF file", 0);
    if (n < sizeof *h)
        return fail_elf(e, "the file ends inside its header", n);
    memcpy(h, bytes, sizeof *h);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return fail_elf(e, "an ELF file, but not of 64 bits and little endian", EI_CLASS);
    return true;
}

static bool find_tables(struct code_elf *e, const Elf64_Ehdr *h)
{
    if (h->e_shnum && h->e_shentsize != sizeof(Elf64_Shdr))
        return fail_elf(e, "section headers of another size", offsetof(Elf64_Ehdr, e_shentsize));
    if (h->e_phnum && h->e_phentsize != sizeof(Elf64_Phdr))
        return fail_elf(e, "program headers of another size", offsetof(Elf64_Ehdr, e_phentsize));
    if (!is_in_file(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return fail_elf(e, "section headers pass the end", offsetof(Elf64_Ehdr, e_shoff));
    if (!is_in_file(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr)))
        return fail_elf(e, "program headers pass the end", offsetof(Elf64_Ehdr, e_phoff));
    e->sections = h->e_shoff;
    e->segments = h->e_phoff;
    e->nsections = h->e_shnum;
    e->nsegments = h->e_phnum;
    return true;
}

bool code_elf_open(struct code_elf *e, const void *bytes, size_t n)
{
    Elf64_Ehdr h;
    if (!read_elf_head(e, bytes, n, &h) || !check_kind(e, &h) || !find_tables(e, &h))
        return false;
    e->version = h.e_ident[EI_ABIVERSION] - ABI_V3 + 3;
    e->flags = h.e_flags;
    return true;
}

bool code_elf_open_loaded(struct code_elf *e, const void *bytes, size_t n)
{
    Elf64_Ehdr h;
    return read_elf_head(e, bytes, n, &h) && find_tables(e, &h);
}

/* --- symbols --- */

static bool is_terminated(const struct code_elf *e, uint64_t at, uint64_t end)
{
    uint64_t most = end - at < CODE_NAME_MAX ? end - at : CODE_NAME_MAX;
    return at < end && memchr(e->bytes + at, 0, most);
}

bool code_symbols_open(struct code_symbols *s, struct code_elf *e, enum code_symbol_kind kind)
{
    uint32_t type = kind == CODE_SYMBOLS_ALL ? SHT_SYMTAB : SHT_DYNSYM;
    *s = (struct code_symbols){.elf = e};
    for (uint32_t i = 0; i < e->nsections; i++) {
        Elf64_Shdr table = read_elf_section(e, i), names;
        if (table.sh_type != type)
            continue;
        uint64_t header = e->sections + i * sizeof table;
        if (!is_in_file(e, table.sh_offset, table.sh_size))
            return fail_elf(e, "a symbol table passes the end", header);
        if (table.sh_link >= e->nsections)
            return fail_elf(e, "a symbol table names no section for its texts", header);
        names = read_elf_section(e, table.sh_link);
        if (names.sh_type != SHT_STRTAB || !is_in_file(e, names.sh_offset, names.sh_size))
            return fail_elf(e, "the texts of a symbol table pass the end", header);
        s->at = table.sh_offset;
        s->end = table.sh_offset + table.sh_size;
        s->names = names.sh_offset;
        s->names_end = names.sh_offset + names.sh_size;
        return true;
    }
    return false;
}

/* Finds where the symbol's bytes are in the file. */
static bool place_code_symbol(const struct code_elf *e, const Elf64_Sym *y, struct code_symbol *out)
{
    if (y->st_shndx == SHN_UNDEF || y->st_shndx >= e->nsections)
        return false;
    Elf64_Shdr in = read_elf_section(e, y->st_shndx);
    if (y->st_value < in.sh_addr || y->st_value - in.sh_addr > in.sh_size ||
        y->st_size > in.sh_size - (y->st_value - in.sh_addr))
        return false;
    out->writable = in.sh_flags & SHF_WRITE;
    out->zero = in.sh_type == SHT_NOBITS;
    out->offset = in.sh_offset + (y->st_value - in.sh_addr);
    return out->zero || (in.sh_offset <= e->n && is_in_file(e, out->offset, y->st_size));
}

bool code_symbols_next(struct code_symbols *s, struct code_symbol *out)
{
    const struct code_elf *e = s->elf;
    Elf64_Sym y;
    while (s->end - s->at >= sizeof y) {
        memcpy(&y, e->bytes + s->at, sizeof y);
        s->at += sizeof y;
        *out = (struct code_symbol){
            .address = y.st_value,
            .size = y.st_size,
            .type = ELF64_ST_TYPE(y.st_info),
            .global = ELF64_ST_BIND(y.st_info) != STB_LOCAL,
        };
        if (y.st_name >= s->names_end - s->names ||
            !is_terminated(e, s->names + y.st_name, s->names_end) || !place_code_symbol(e, &y, out))
            continue;
        out->name = (const char *)e->bytes + s->names + y.st_name;
        return true;
    }
    return false;
}

/* --- loaded bytes --- */

const uint8_t *code_elf_loaded(const struct code_elf *e, uint64_t address, uint64_t n)
{
    for (uint32_t i = 0; i < e->nsegments; i++) {
        Elf64_Phdr p = read_elf_segment(e, i);
        if (p.p_type != PT_LOAD || address < p.p_vaddr || address - p.p_vaddr > p.p_filesz ||
            n > p.p_filesz - (address - p.p_vaddr))
            continue;
        uint64_t offset = p.p_offset + (address - p.p_vaddr);
        if (offset >= p.p_offset && is_in_file(e, offset, n))
            return e->bytes + offset;
    }
    return NULL;
}

/* Searches the notes in [at, end). */
static bool find_note(struct code_elf *e, uint64_t at, uint64_t end, const uint8_t **bytes,
                      size_t *n)
{
    static const char owner[] = "AMDGPU";
    Elf64_Nhdr h;
    while (end - at >= sizeof h) {
        memcpy(&h, e->bytes + at, sizeof h);
        uint64_t name = at + sizeof h, desc = name + (((uint64_t)h.n_namesz + 3) & ~(uint64_t)3);
        if (desc > end || h.n_descsz > end - desc)
            return fail_elf(e, "a note passes its section's end", at);
        if (h.n_type == NOTE_METADATA && h.n_namesz == sizeof owner &&
            memcmp(e->bytes + name, owner, sizeof owner) == 0) {
            *bytes = e->bytes + desc;
            *n = h.n_descsz;
            return true;
        }
        at = desc + (((uint64_t)h.n_descsz + 3) & ~(uint64_t)3);
        if (at > end)
            break;
    }
    return false;
}

bool code_elf_metadata(struct code_elf *e, const uint8_t **bytes, size_t *n)
{
    for (uint32_t i = 0; i < e->nsegments && !e->bad; i++) {
        Elf64_Phdr p = read_elf_segment(e, i);
        if (p.p_type != PT_NOTE)
            continue;
        if (!is_in_file(e, p.p_offset, p.p_filesz))
            return fail_elf(e, "notes pass the end", e->segments + i * sizeof p);
        if (find_note(e, p.p_offset, p.p_offset + p.p_filesz, bytes, n))
            return true;
    }
    for (uint32_t i = 0; i < e->nsections && !e->bad; i++) {
        Elf64_Shdr s = read_elf_section(e, i);
        if (s.sh_type != SHT_NOTE)
            continue;
        if (!is_in_file(e, s.sh_offset, s.sh_size))
            return fail_elf(e, "notes pass the end", e->sections + i * sizeof s);
        if (find_note(e, s.sh_offset, s.sh_offset + s.sh_size, bytes, n))
            return true;
    }
    return false;
}
