/*
 * The hash of a code object: the same for two builds of one source, another one where anything
 * differs that runs or that a launch needs. By real builds, and by a committed file of which each
 * byte is changed.
 * Forks: not for TSan.
 */
#include "engine/code/code_hash.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/code_made.h"
#include "support/device_compiler.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    return temp_folder_make(NULL) != 0 ||
           system("cat >$D/k.hip <<'E'\n"
                  "#include <device.h>\n"
                  "__device__ int table[SIZE] = {VALUE};\n"
                  "KERNEL NAME(int *p, TYPE n)\n"
                  "{\n"
                  "    __shared__ int part[LDS];\n"
                  "    part[local_x()] = p[global_x()] * K;\n"
                  "    barrier();\n"
                  "    p[global_x()] = part[local_x() ^ 1] + table[n & 1];\n"
                  "}\n"
                  "MORE\n"
                  "E");
}

/* --- real builds --- */

/* Defines come in the order of the command line, the last one of a name counts. */
static void build(const char *options, const char *name)
{
    char line[1024];
    struct program p;
    snprintf(line, sizeof line,
             DEVICE_COMPILE "-w -O2 -fuse-cuid=random -DSIZE=2 -DVALUE=3 -DNAME=k -DTYPE=int "
                            "-DLDS=64 -DK=5 -DMORE= %s $D/k.hip -o $D/%s",
             options, name);
    program_run(&p, line);
    if (p.status != 0)
        fail_msg("%s\n%s", line, p.err);
    program_free(&p);
}

static uint64_t hash_of(const char *name)
{
    char path[128];
    struct code_object *c = NULL;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/%s", temp_folder, name);
    if (code_object_open(&c, path, NULL, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    const uint64_t h = code_object_hash(c);
    code_object_free(c);
    return h;
}

/* The mark of the module is new in each build: bytes differ, and symbols are in another order. */
TEST_WITH(two_builds_of_one_source_are_the_same, begin, temp_folder_remove)
{
    struct program p;
    need_device_compiler();
    build("", "first");
    program_run(&p, "grep -q __hip_cuid_ $D/first");
    const bool marked = p.status == 0;
    program_free(&p);
    if (!marked)
        skip_because("two builds that differ in their mark: this clang makes none (clang-19 does)");
    const uint64_t first = hash_of("first");
    assert_int_not_equal(first, 0);
    for (int i = 0; i < 4; i++) {
        build("", "other");
        program_run(&p, "cmp -s $D/first $D/other");
        assert_int_equal(p.status, 1);
        program_free(&p);
        assert_int_equal(hash_of("other"), first);
    }
    static const char *const alike[] = {"-fno-ident", "-gline-tables-only", "-DUNUSED=1"};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        build(alike[i], "other");
        if (hash_of("other") != first)
            fail_msg("%s: another hash", alike[i]);
    }
}

TEST_WITH(what_runs_differently_differs, begin, temp_folder_remove)
{
    static const char *const cases[] = {
        "",
        "-DK=6",         /* an instruction */
        "-DVALUE=4",     /* what a variable holds at first */
        "-DSIZE=4",      /* its size */
        "-DNAME=kernel", /* the name that a launch looks for */
        "-DTYPE=long",   /* an argument */
        "-DLDS=128",     /* the descriptor */
        "-O0",           /* how it is compiled */
        "-mcode-object-version=4",
        "--offload-arch=gfx90a --no-offload-arch=gfx942",
        "'-DMORE=KERNEL two(int *p) { *p = 1; }'",
        "'-DMORE=__device__ int fresh;'",
    };
    enum { N = sizeof cases / sizeof *cases };
    uint64_t hashes[N];
    need_device_compiler();
    for (size_t i = 0; i < N; i++) {
        build(cases[i], "one");
        hashes[i] = hash_of("one");
        for (size_t k = 0; k < i; k++)
            if (hashes[i] == hashes[k])
                fail_msg("'%s' has the hash of '%s'", cases[i], cases[k]);
    }
}

/* --- each byte --- */

static bool is_of_names(uint32_t type)
{
    return type == SHT_DYNSYM || type == SHT_STRTAB || type == SHT_HASH || type == SHT_GNU_HASH ||
           type == SHT_DYNAMIC;
}

/* 0: the bytes cannot be read. */
static uint64_t hash_of_bytes(const uint8_t *bytes, size_t n)
{
    struct code_object *c = NULL;
    struct error err = ERROR_INIT;
    const uint64_t h =
        code_object_read(&c, bytes, n, "changed", NULL, &err) == 0 ? code_object_hash(c) : 0;
    if (c)
        code_object_free(c);
    return h;
}

/* What is loaded counts, each byte of it; what is not loaded does not. */
TEST(each_byte_counts_or_not)
{
    size_t n, counts = 0, free_ones = 0;
    uint8_t *file = code_file("reduce.gfx942.v5.hsaco", &n);
    Elf64_Ehdr head;
    memcpy(&head, file, sizeof head);
    const uint64_t was = hash_of_bytes(file, n);
    assert_int_not_equal(was, 0);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, file + head.e_shoff + i * sizeof s, sizeof s);
        if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL || i == head.e_shstrndx ||
            ((s.sh_flags & SHF_ALLOC) && is_of_names(s.sh_type)))
            continue;
        for (uint64_t at = s.sh_offset; at < s.sh_offset + s.sh_size; at++) {
            file[at] ^= 0x41;
            const uint64_t now = hash_of_bytes(file, n);
            file[at] ^= 0x41;
            if (now && (now != was) != ((s.sh_flags & SHF_ALLOC) != 0))
                fail_msg("byte %llu, in section %u", (unsigned long long)at, i);
            counts += now && now != was;
            free_ones += now == was;
        }
    }
    assert_true(counts > 1000 && free_ones > 50);
    assert_int_equal(hash_of_bytes(file, n), was);
    free(file);
}
