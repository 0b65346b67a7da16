/* Reads kernels, variables and bytes of code objects; compares with libelf and with the metadata.
 * Damaged files must not lead to reads out of bounds. */
#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture_impl.h"
#include "engine/code/code_object.h"
#include "support/code_made.h"
#include "support/test.h"

static const char *const files[] = {"memory.gfx90a.v5.hsaco", "reduce.gfx942.v5.hsaco",
                                    "typed.gfx942.v5.hsaco", "vector.gfx9.v6.hsaco",
                                    "vector.gfx90a.v4.hsaco"};
enum { FILES = sizeof files / sizeof *files, SYMBOLS = 64, OLD_KERNEL = 10 };

struct expected {
    struct captured_symbol at[SYMBOLS];
    size_t n;
};

static bool is_kernel(unsigned type, const char *name)
{
    size_t n = strlen(name);
    return type == OLD_KERNEL || (n > 3 && strcmp(name + n - 3, ".kd") == 0);
}

/* What libelf finds in the table of that type; false if there is none. */
static bool by_libelf(Elf *e, unsigned table, struct expected *out)
{
    Elf_Scn *s = NULL;
    GElf_Shdr h;
    out->n = 0;
    while ((s = elf_nextscn(e, s)) && gelf_getshdr(s, &h) && h.sh_type != table)
        ;
    if (!s)
        return false;
    Elf_Data *d = elf_getdata(s, NULL);
    GElf_Sym sym;
    for (int i = 0; gelf_getsym(d, i, &sym); i++) {
        const char *name = elf_strptr(e, h.sh_link, sym.st_name);
        unsigned type = GELF_ST_TYPE(sym.st_info);
        if (!name || sym.st_shndx == SHN_UNDEF || (type != STT_OBJECT && type != OLD_KERNEL) ||
            (!is_kernel(type, name) && sym.st_size == 0))
            continue;
        assert_true(out->n < SYMBOLS);
        out->at[out->n++] =
            (struct captured_symbol){name, sym.st_value, sym.st_size, is_kernel(type, name)};
    }
    return true;
}

static void same_symbols(const char *file, const uint8_t *elf, size_t size,
                         const struct expected *want)
{
    struct captured_symbol s = {.name = ""};
    size_t at = 0, n = 0;
    for (; code_next_symbol(elf, size, &at, &s); n++) {
        assert_true(n < want->n);
        const struct captured_symbol *w = &want->at[n];
        if (!w->name || strcmp(s.name, w->name) != 0 || s.address != w->address ||
            s.size != w->size || s.kernel != w->kernel)
            fail_msg("%s: %s at %#jx, not %s at %#jx", file, s.name, (uintmax_t)s.address, w->name,
                     (uintmax_t)w->address);
    }
    assert_int_equal(n, want->n);
    assert_true(n > 0);
}

/* Makes the section of one type unusable, as stripping does. */
static void hide_sections(uint8_t *elf, uint32_t type)
{
    Elf64_Ehdr h;
    memcpy(&h, elf, sizeof h);
    for (unsigned i = 0; i < h.e_shnum; i++) {
        Elf64_Shdr s;
        uint8_t *at = elf + h.e_shoff + i * sizeof s;
        memcpy(&s, at, sizeof s);
        s.sh_type = s.sh_type == type ? SHT_NULL : s.sh_type;
        memcpy(at, &s, sizeof s);
    }
}

TEST(symbols_are_those_of_libelf)
{
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < FILES; i++) {
        struct expected all = {0}, needed = {0};
        size_t size;
        uint8_t *elf = code_file(files[i], &size);
        Elf *e = elf_memory((char *)elf, size);
        assert_non_null(e);
        bool whole = by_libelf(e, SHT_SYMTAB, &all);
        assert_true(by_libelf(e, SHT_DYNSYM, &needed));
        same_symbols(files[i], elf, size, whole ? &all : &needed);
        hide_sections(elf, SHT_SYMTAB);
        same_symbols(files[i], elf, size, &needed);
        hide_sections(elf, SHT_DYNSYM);
        size_t at = 0;
        struct captured_symbol s;
        assert_false(code_next_symbol(elf, size, &at, &s));
        elf_end(e);
        free(elf);
    }
}

static size_t count_symbols(const uint8_t *elf, size_t size)
{
    struct captured_symbol s;
    size_t at = 0, n = 0;
    while (code_next_symbol(elf, size, &at, &s))
        n++;
    return n;
}

/* If both symbol tables exist, the complete one is used, whichever comes first. */
TEST(the_whole_table_goes_first)
{
    unsigned before = 0, behind = 0;
    size_t size;
    uint8_t *elf = code_file("memory.gfx90a.v5.hsaco", &size), *copy = malloc(size);
    assert_non_null(copy);
    Elf64_Ehdr h;
    Elf64_Shdr s, dynamic = {0};
    unsigned place = 0;
    memcpy(&h, elf, sizeof h);
    hide_sections(elf, SHT_SYMTAB);
    for (unsigned i = 0; i < h.e_shnum; i++) {
        memcpy(&s, elf + h.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type == SHT_DYNSYM) {
            dynamic = s;
            place = i;
        }
    }
    assert_true(place > 0);
    for (unsigned i = 0; i < h.e_shnum; i++) {
        if (i == place || i == dynamic.sh_link)
            continue;
        memcpy(copy, elf, size);
        s = dynamic; /* give one table half of the symbols, to see which one was read */
        s.sh_type = SHT_SYMTAB;
        s.sh_size = dynamic.sh_size / sizeof(Elf64_Sym) / 2 * sizeof(Elf64_Sym);
        memcpy(copy + h.e_shoff + i * sizeof s, &s, sizeof s);
        size_t both = count_symbols(copy, size);
        hide_sections(copy, SHT_DYNSYM);
        assert_int_equal(both, count_symbols(copy, size));
        assert_true(both < count_symbols(elf, size));
        before += i < place;
        behind += i > place;
    }
    assert_true(before > 0 && behind > 0);
    free(copy);
    free(elf);
}

TEST(bytes_are_those_that_are_loaded)
{
    for (size_t f = 0; f < FILES; f++) {
        size_t size;
        uint8_t *elf = code_file(files[f], &size);
        Elf64_Ehdr h;
        memcpy(&h, elf, sizeof h);
        for (unsigned i = 0; i < h.e_phnum; i++) {
            Elf64_Phdr p;
            memcpy(&p, elf + h.e_phoff + i * sizeof p, sizeof p);
            if (p.p_type != PT_LOAD || p.p_filesz == 0)
                continue;
            assert_ptr_equal(code_bytes_at(elf, size, p.p_vaddr, p.p_filesz), elf + p.p_offset);
            assert_ptr_equal(code_bytes_at(elf, size, p.p_vaddr + p.p_filesz - 1, 1),
                             elf + p.p_offset + p.p_filesz - 1);
            assert_null(code_bytes_at(elf, size, p.p_vaddr, p.p_filesz + 1));
            assert_null(code_bytes_at(elf, size, p.p_vaddr + 1, p.p_filesz));
            assert_null(code_bytes_at(elf, size, p.p_vaddr + p.p_filesz - 1, 2));
        }
        assert_null(code_bytes_at(elf, size, UINT64_MAX - 4, 8));
        assert_null(code_bytes_at(elf, size, 0x7fffffffffff, 1));
        free(elf);
    }
}

/* The kernel descriptor and the metadata, which another reader reads, agree on the bytes of
 * arguments. */
TEST(arguments_are_as_large_as_the_metadata_says)
{
    for (size_t f = 0; f < FILES; f++) {
        struct code_object *c;
        struct error err = ERROR_INIT;
        size_t size, at = 0, kernels = 0;
        uint8_t *elf = code_file(files[f], &size);
        struct captured_symbol s;
        assert_int_equal(code_object_open(&c, code_path(files[f]), NULL, &err), 0);
        while (code_next_symbol(elf, size, &at, &s)) {
            const struct code_kernel *k = NULL;
            for (uint32_t i = 0; i < c->nkernels; i++)
                if (strcmp(c->kernels[i].symbol, s.name) == 0)
                    k = &c->kernels[i];
            assert_int_equal(s.kernel, k != NULL);
            if (!k)
                continue;
            assert_int_equal(code_elf_kernarg_size(elf, size, &s), k->kernarg_size);
            s.size++; /* not the size of any descriptor today */
            assert_int_equal(code_elf_kernarg_size(elf, size, &s), 0);
            kernels++;
        }
        assert_int_equal(kernels, c->nkernels);
        code_object_free(c);
        free(elf);
    }
}

/* Cuts the file anywhere, or changes any byte of its headers: no byte outside may be read. */
TEST(damage_stays_in_bounds)
{
    size_t size;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &size);
    Elf64_Ehdr h;
    memcpy(&h, elf, sizeof h);
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = round < 1000 ? size * round / 1000 : size;
        /* of exactly that size, so that a sanitizer notices reads beyond it */
        uint8_t *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, elf, n);
        size_t where =
            round < 2000 ? round % sizeof h : h.e_shoff + round % (h.e_shnum * sizeof(Elf64_Shdr));
        if (round >= 1000 && where < n)
            copy[where] ^= (uint8_t)(0xff >> round % 8);
        struct captured_symbol s;
        size_t at = 0;
        while (code_next_symbol(copy, n, &at, &s)) {
            const char *from = s.name;
            assert_true(from >= (char *)copy && from + strlen(from) < (char *)copy + n);
            const uint8_t *bytes = code_bytes_at(copy, n, s.address, 64);
            assert_true(!bytes || (bytes >= copy && bytes + 64 <= copy + n));
            code_elf_kernarg_size(copy, n, &s);
        }
        free(copy);
    }
    free(elf);
}
