#include "capture/code_elf.h"

#include <elf.h>
#include <string.h>

enum { DESCRIPTOR_BYTES = 64, DESCRIPTOR_KERNARG = 8, OLD_KERNEL_TYPE = 10 };

/* n records at an offset; NULL where they pass the end. */
static const uint8_t *part(const void *elf, size_t size, uint64_t offset, uint64_t n, size_t record)
{
    if (offset > size || n > (size - offset) / record)
        return NULL;
    return (const uint8_t *)elf + offset;
}

static bool header(const void *elf, size_t size, Elf64_Ehdr *out)
{
    if (size < sizeof *out || memcmp(elf, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(out, elf, sizeof *out);
    return out->e_ident[EI_CLASS] == ELFCLASS64 && out->e_phentsize == sizeof(Elf64_Phdr) &&
           (out->e_shnum == 0 || out->e_shentsize == sizeof(Elf64_Shdr));
}

static bool section(const void *elf, size_t size, unsigned i, Elf64_Shdr *out)
{
    Elf64_Ehdr h;
    if (!header(elf, size, &h) || i >= h.e_shnum)
        return false;
    const uint8_t *at = part(elf, size, h.e_shoff, h.e_shnum, sizeof *out);
    if (at)
        memcpy(out, at + i * sizeof *out, sizeof *out);
    return at;
}

/* Finds all symbols where the file has them, else the dynamic ones. */
static bool find_symbols(const void *elf, size_t size, Elf64_Shdr *table, Elf64_Shdr *names)
{
    bool found = false;
    Elf64_Shdr s;
    for (unsigned i = 0; section(elf, size, i, &s); i++)
        if (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && !found)) {
            *table = s;
            found = true;
        }
    return found && section(elf, size, table->sh_link, names);
}

static const char *name_at(const void *elf, size_t size, const Elf64_Shdr *names, uint32_t at)
{
    const uint8_t *all = part(elf, size, names->sh_offset, names->sh_size, 1);
    if (!all || at >= names->sh_size || !memchr(all + at, 0, names->sh_size - at))
        return NULL;
    return (const char *)all + at;
}

static bool ends_with_kd(const char *name)
{
    const size_t len = strlen(name);
    return len > 3 && strcmp(name + len - 3, ".kd") == 0;
}

bool code_next_symbol(const void *elf, size_t size, size_t *at, struct captured_symbol *out)
{
    Elf64_Shdr table, names;
    if (!find_symbols(elf, size, &table, &names))
        return false;
    const size_t n = table.sh_size / sizeof(Elf64_Sym);
    const uint8_t *symbols = part(elf, size, table.sh_offset, n, sizeof(Elf64_Sym));
    while (symbols && *at < n) {
        Elf64_Sym s;
        memcpy(&s, symbols + (*at)++ * sizeof s, sizeof s);
        const unsigned type = ELF64_ST_TYPE(s.st_info);
        const char *name = name_at(elf, size, &names, s.st_name);
        if (!name || s.st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != OLD_KERNEL_TYPE))
            continue;
        const bool kernel = type == OLD_KERNEL_TYPE || ends_with_kd(name);
        if (!kernel && s.st_size == 0)
            continue;
        *out = (struct captured_symbol){name, s.st_value, s.st_size, kernel};
        return true;
    }
    return false;
}

const void *code_bytes_at(const void *elf, size_t size, uint64_t address, size_t len)
{
    Elf64_Ehdr h;
    if (!header(elf, size, &h))
        return NULL;
    const uint8_t *at = part(elf, size, h.e_phoff, h.e_phnum, sizeof(Elf64_Phdr));
    for (unsigned i = 0; at && i < h.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, at + i * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz &&
            len <= p.p_filesz - (address - p.p_vaddr))
            return part(elf, size, p.p_offset + (address - p.p_vaddr), len, 1);
    }
    return NULL;
}

uint32_t code_elf_kernarg_size(const void *elf, size_t size, const struct captured_symbol *kernel)
{
    uint32_t bytes = 0;
    const size_t len = strlen(kernel->name);
    /* Older code objects have a larger structure there, with other contents. */
    const bool descriptor = kernel->size == DESCRIPTOR_BYTES && len > 3;
    const uint8_t *at =
        descriptor ? code_bytes_at(elf, size, kernel->address, DESCRIPTOR_BYTES) : NULL;
    if (at)
        memcpy(&bytes, at + DESCRIPTOR_KERNARG, sizeof bytes);
    return bytes;
}
