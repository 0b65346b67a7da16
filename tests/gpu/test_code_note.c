/* ELF files and metadata of code objects, read as the capture library does it inside another
 * program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elf.h>

#include "gpu/code_elf.h"
#include "gpu/code_note.h"
#include "support/code_made.h"
#include "support/test.h"

/* The size of a kernel's arguments; -1 where there is no such code object or kernel. */
static int kernarg_size(const void *elf, size_t n, const char *kernel)
{
    struct code_elf e;
    struct code_note note;
    struct code_note_kernel k;
    const uint8_t *bytes;
    size_t size;
    if (!code_elf_open(&e, elf, n) || !code_elf_metadata(&e, &bytes, &size) ||
        !code_note_open(&note, bytes, size))
        return -1;
    while (code_note_next(&note, &k))
        if (code_text_is(k.name, kernel))
            return (int)k.kernarg_size;
    return -1;
}

TEST(one_question)
{
    size_t n;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &n);
    assert_int_equal(kernarg_size(elf, n, "reduce_sum"), 280);
    assert_int_equal(kernarg_size(elf, n, "reverse_group"), 272);
    assert_int_equal(kernarg_size(elf, n, "reduce"), -1);
    assert_int_equal(kernarg_size(elf, n, "reduce_su"), -1);
    assert_int_equal(kernarg_size(elf, n, ""), -1);
    assert_int_equal(kernarg_size(elf, 0, "reduce_sum"), -1);
    free(elf);
}

static bool find_symbol(struct code_elf *e, const char *name, struct code_symbol *out)
{
    static const enum code_symbol_kind kinds[] = {CODE_SYMBOLS_DYNAMIC, CODE_SYMBOLS_ALL};
    struct code_symbols s;
    for (size_t i = 0; i < 2; i++)
        if (code_symbols_open(&s, e, kinds[i]))
            while (code_symbols_next(&s, out))
                if (strcmp(out->name, name) == 0)
                    return true;
    return false;
}

TEST(symbols)
{
    size_t n, found = 0;
    struct code_elf e;
    struct code_symbols s;
    struct code_symbol y;
    uint8_t *elf = code_file("typed.gfx942.v5.hsaco", &n);
    assert_true(code_elf_open(&e, elf, n));
    assert_int_equal(e.version, 5);
    assert_true(code_symbols_open(&s, &e, CODE_SYMBOLS_DYNAMIC));
    while (code_symbols_next(&s, &y))
        found += strcmp(y.name, "counter") == 0 && y.global && y.writable && y.size == 4;
    assert_int_equal(found, 1);
    assert_true(find_symbol(&e, "_ZL5fixed", &y)); /* a local symbol */
    assert_false(y.global || y.writable || y.zero);
    const uint8_t *bytes = code_elf_loaded(&e, y.address, y.size);
    assert_ptr_equal(bytes, elf + y.offset);
    assert_memory_equal(bytes, "\1\0\2\0", 4);
    assert_true(find_symbol(&e, "table", &y) && y.zero);
    assert_false(find_symbol(&e, "tabl", &y));
    assert_null(code_elf_loaded(&e, 0xffffffffffffff00, 0x200));
    free(elf);
}

/* The header of the first section of a type. */
static Elf64_Shdr section_of(const uint8_t *elf, uint32_t type)
{
    Elf64_Ehdr h;
    Elf64_Shdr s = {0};
    memcpy(&h, elf, sizeof h);
    for (unsigned i = 0; i < h.e_shnum && s.sh_type != type; i++)
        memcpy(&s, elf + h.e_shoff + i * sizeof s, sizeof s);
    assert_int_equal(s.sh_type, type);
    return s;
}

TEST(a_symbol_is_found_wherever_it_stands)
{
    size_t n;
    uint8_t *elf = code_file("typed.gfx942.v5.hsaco", &n);
    Elf64_Shdr table = section_of(elf, SHT_DYNSYM);
    uint8_t *all = elf + table.sh_offset, entry[sizeof(Elf64_Sym)];
    size_t count = table.sh_size / sizeof entry;
    assert_true(count > 2);
    for (size_t i = 1; i < count; i++) { /* moves the first to the end */
        struct code_elf e;
        struct code_symbol y;
        memcpy(entry, all + sizeof entry, sizeof entry);
        memmove(all + sizeof entry, all + 2 * sizeof entry, (count - 2) * sizeof entry);
        memcpy(all + (count - 1) * sizeof entry, entry, sizeof entry);
        assert_true(code_elf_open(&e, elf, n));
        struct code_symbols s;
        size_t found = 0;
        assert_true(code_symbols_open(&s, &e, CODE_SYMBOLS_DYNAMIC));
        while (code_symbols_next(&s, &y))
            found += strcmp(y.name, "counter") == 0;
        if (found != 1)
            fail_msg("after %zu turns: %zu times", i, found);
    }
    free(elf);
}

/* Bytes that follow a segment in the file do not belong to it. */
TEST(loaded_bytes_end_with_their_segment)
{
    size_t n, segments = 0;
    struct code_elf e;
    Elf64_Ehdr h;
    Elf64_Phdr p;
    uint8_t *elf = code_file("typed.gfx942.v5.hsaco", &n);
    assert_true(code_elf_open(&e, elf, n));
    memcpy(&h, elf, sizeof h);
    for (unsigned i = 0; i < h.e_phnum; i++) {
        memcpy(&p, elf + h.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || p.p_filesz < 8 || p.p_offset + p.p_filesz + 4 > n)
            continue;
        uint64_t end = p.p_vaddr + p.p_filesz;
        assert_ptr_equal(code_elf_loaded(&e, end - 8, 8), elf + p.p_offset + p.p_filesz - 8);
        assert_ptr_equal(code_elf_loaded(&e, p.p_vaddr, p.p_filesz), elf + p.p_offset);
        assert_null(code_elf_loaded(&e, end - 8, 9));
        assert_null(code_elf_loaded(&e, p.p_vaddr, p.p_filesz + 1));
        segments++;
    }
    assert_true(segments >= 2);
    free(elf);
}

/* --- invalid files --- */

static void refused_elf(const uint8_t *elf, size_t n, const char *why, size_t at)
{
    struct code_elf e;
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, elf, n);
    assert_false(code_elf_open(&e, copy, n));
    assert_string_equal(e.bad, why);
    assert_int_equal(e.at, at);
    free(copy);
}

TEST(other_files)
{
    size_t n;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &n), old;
    refused_elf(elf, 3, "not an ELF file", 0);
    refused_elf(elf, 63, "the file ends inside its header", 63);
    refused_elf(elf, 64, "section headers pass the end", offsetof(Elf64_Ehdr, e_shoff));
    static const struct {
        size_t at;
        uint8_t value;
        const char *why;
        size_t told;
    } rows[] = {
        {0, 'x', "not an ELF file", 0},
        {EI_CLASS, 1, "an ELF file, but not of 64 bits and little endian", EI_CLASS},
        {EI_DATA, 2, "an ELF file, but not of 64 bits and little endian", EI_CLASS},
        {offsetof(Elf64_Ehdr, e_machine), 62, "an ELF file, but not for AMD's GPUs", 18},
        {EI_OSABI, 0, "code for AMD's GPUs, but not for the HSA runtime", EI_OSABI},
        {EI_ABIVERSION, 0, "a code object of version 2, which compilers stopped making in 2020",
         EI_ABIVERSION},
        {EI_ABIVERSION, 5, "a code object of a version that is newer than 6", EI_ABIVERSION},
        {offsetof(Elf64_Ehdr, e_type), ET_REL, "not linked: an object file, not a code object",
         offsetof(Elf64_Ehdr, e_type)},
        {offsetof(Elf64_Ehdr, e_shentsize), 1, "section headers of another size",
         offsetof(Elf64_Ehdr, e_shentsize)},
        {offsetof(Elf64_Ehdr, e_phentsize), 1, "program headers of another size",
         offsetof(Elf64_Ehdr, e_phentsize)},
        {offsetof(Elf64_Ehdr, e_shoff) + 7, 0xff, "section headers pass the end",
         offsetof(Elf64_Ehdr, e_shoff)},
        {offsetof(Elf64_Ehdr, e_phoff) + 7, 0xff, "program headers pass the end",
         offsetof(Elf64_Ehdr, e_phoff)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        old = elf[rows[i].at];
        elf[rows[i].at] = rows[i].value;
        refused_elf(elf, n, rows[i].why, rows[i].told);
        elf[rows[i].at] = old;
    }
    free(elf);
}

static void note_of(struct code_made *m, struct code_note *note, bool good)
{
    struct code_elf e;
    const uint8_t *bytes;
    size_t n, size;
    uint8_t *elf = code_made_elf(m, &n);
    assert_true(code_elf_open(&e, elf, n));
    assert_true(code_elf_metadata(&e, &bytes, &size));
    assert_int_equal(size, m->n);
    free(elf);
    assert_int_equal(code_note_open(note, m->bytes, m->n), good);
}

static void kernels_begin(struct code_made *m, unsigned kernels)
{
    *m = (struct code_made){.n = 0};
    made_map(m, 1);
    made_text(m, "amdhsa.kernels");
    made_array(m, kernels);
}

TEST(missing_metadata_is_unknown)
{
    static struct code_made m;
    struct code_note note;
    struct code_note_kernel k;
    struct code_note_arg a;
    kernels_begin(&m, 1);
    made_map(&m, 4);
    made_text(&m, ".name"), made_text(&m, "k");
    made_text(&m, ".symbol"), made_text(&m, "k.kd");
    made_text(&m, ".of_tomorrow"), made_map(&m, 1), made_number(&m, 1), made_array(&m, 0);
    made_text(&m, ".args"), made_array(&m, 1);
    made_map(&m, 3);
    made_pair(&m, ".offset", 8);
    made_pair(&m, ".size", 4);
    made_text(&m, ".value_kind"), made_text(&m, "hidden_of_tomorrow");
    note_of(&m, &note, true);
    assert_int_equal(note.major, CODE_UNKNOWN);
    assert_null(note.target.p);
    assert_true(code_note_next(&note, &k));
    assert_int_equal(k.kernarg_size, CODE_UNKNOWN);
    assert_int_equal(k.vgprs, CODE_UNKNOWN);
    assert_false(k.dynamic_stack_known);
    assert_true(code_note_next_arg(&k, &a));
    assert_int_equal(a.kind, CODE_ARG_OTHER);
    assert_true(code_text_is(a.kind_name, "hidden_of_tomorrow"));
    assert_int_equal(a.pointee_align, CODE_UNKNOWN);
    assert_false(code_note_next_arg(&k, &a));
    assert_null(k.args.bad);
    assert_false(code_note_next(&note, &k));
    assert_null(note.r.bad);
}

static void refused_kernel(struct code_made *m, const char *why)
{
    struct code_note note;
    struct code_note_kernel k;
    note_of(m, &note, true);
    assert_false(code_note_next(&note, &k));
    assert_string_equal(note.r.bad, why);
    assert_false(code_note_next(&note, &k));
}

TEST(refused_kernels)
{
    static struct code_made m;
    kernels_begin(&m, 1);
    made_number(&m, 1);
    refused_kernel(&m, "a map was expected");
    kernels_begin(&m, 1);
    made_map(&m, 0);
    refused_kernel(&m, "a kernel without a name or symbol");
    kernels_begin(&m, 1);
    made_map(&m, 2);
    made_text(&m, ".symbol"), made_text(&m, "k.kd");
    made_text(&m, ".name"), made_text(&m, "k_");
    m.bytes[m.n - 1] = 0;
    refused_kernel(&m, "a kernel whose name has a byte of 0");
    kernels_begin(&m, 1);
    made_map(&m, 1);
    made_text(&m, ".name"), made_number(&m, 1);
    refused_kernel(&m, "a text was expected");
    kernels_begin(&m, 1);
    made_map(&m, 1);
    made_pair(&m, ".vgpr_count", (uint64_t)1 << 32);
    refused_kernel(&m, "a number that is too large");
    kernels_begin(&m, 1);
    made_map(&m, 1);
    made_text(&m, ".reqd_workgroup_size"), made_array(&m, 2), made_number(&m, 1),
        made_number(&m, 1);
    refused_kernel(&m, "a work-group size that has not three numbers");
    kernels_begin(&m, 1);
    made_map(&m, 2);
    made_text(&m, ".args"), made_array(&m, 1), made_number(&m, 1);
    made_text(&m, ".args"), made_array(&m, 0);
    refused_kernel(&m, "a second list of arguments");
}

TEST(refused_arguments)
{
    static struct code_made m;
    struct code_note note;
    struct code_note_kernel k;
    struct code_note_arg a;
    for (int which = 0; which < 2; which++) {
        kernels_begin(&m, 1);
        made_map(&m, 3);
        made_text(&m, ".name"), made_text(&m, "k");
        made_text(&m, ".symbol"), made_text(&m, "k.kd");
        made_text(&m, ".args"), made_array(&m, 1);
        made_map(&m, which ? 3 : 1);
        made_pair(&m, ".size", 0xfffffffe);
        if (which) {
            made_pair(&m, ".offset", 8);
            made_text(&m, ".value_kind"), made_text(&m, "by_value");
        }
        note_of(&m, &note, true);
        assert_true(code_note_next(&note, &k));
        assert_false(code_note_next_arg(&k, &a));
        assert_string_equal(k.args.bad, which ? "an argument that ends beyond what 32 bits can say"
                                              : "an argument without an offset, size or kind");
    }
}

/* Each byte of a real file changed, and the file cut to every length: reading ends with some
 * answer. */
TEST(damaged_everywhere)
{
    size_t n, good = 0;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &n);
    for (size_t i = 0; i < n; i++) {
        elf[i] ^= 0xff;
        good += kernarg_size(elf, n, "reverse_group") == 272;
        elf[i] ^= 0xff;
    }
    assert_in_range(good, n / 2, n - 200); /* some bytes do matter */
    for (size_t i = 0; i < n; i += 3) {
        uint8_t *cut = malloc(i ? i : 1);
        memcpy(cut, elf, i);
        assert_int_equal(kernarg_size(cut, i, "reverse_group"), -1);
        free(cut);
    }
    free(elf);
}

TEST(the_table)
{
    for (unsigned k = CODE_ARG_OTHER + 1; k < CODE_ARG_KINDS; k++) {
        const struct code_arg_row *r = &code_arg_table[k];
        bool hidden = strncmp(r->name, "hidden_", 7) == 0;
        assert_true(r->name[0] && r->what[0]);
        assert_int_equal(r->role == CODE_ROLE_PROGRAM, !hidden);
        assert_true((r->role != CODE_ROLE_LAUNCH && r->role != CODE_ROLE_RUNTIME) || r->size);
        assert_true(r->size <= 8);
    }
}
