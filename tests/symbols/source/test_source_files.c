/* The files that line tables name, and the compilation unit that contains an address. */
#include "symbols/source/source_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/test.h"

FIXTURE_STATUS(make)
{
    compiled_new();
    compiled_write("one.h",
                   "__attribute__((noinline)) static int one(int x) { return x * 3 + 1; }\n");
    compiled_write("one.c",
                   "#include \"one.h\"\nint first(int x) { return one(x) + one(x + 1); }\n");
    compiled_write("two.c", "int second(int x) { return x - 7; }\nint main(void) { return 0; }\n");
    return 0;
}

FIXTURE(clean)
{
    compiled_free();
}

static uint8_t *bytes_of(const char *name, size_t *n)
{
    FILE *f = fopen(compiled_path(name), "r");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    uint8_t *p = malloc(*n);
    assert_non_null(p);
    assert_int_equal(fread(p, 1, *n, f), *n);
    fclose(f);
    return p;
}

static bool has(const struct source_unit *u, const char *name)
{
    for (size_t i = 0; i < u->nfiles; i++)
        if (strcmp(u->files[i], compiled_path(name)) == 0)
            return true;
    return false;
}

/* The address that nm prints. */
static uint64_t address_of(const char *program, const char *symbol)
{
    char line[400], text[64] = "";
    snprintf(line, sizeof line, "nm %s | grep ' T %s$' >address", program, symbol);
    assert_true(compiled_shell(line));
    FILE *f = fopen(compiled_path("address"), "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    return strtoull(text, NULL, 16);
}

TEST(test_the_unit_of_an_address)
{
    struct source_files f;
    size_t n;
    assert_true(compiled_shell("cc -O1 -g one.c two.c -o both"));
    uint8_t *elf = bytes_of("both", &n);
    source_files_read(&f, elf, n, address_of("both", "first"));
    assert_true(f.n >= 2);
    assert_non_null(f.own);
    assert_string_equal(f.own->name, compiled_path("one.c"));
    assert_string_equal(f.own->directory, compiled_dir());
    assert_true(*f.own->producer);
    assert_true(has(f.own, "one.c") && has(f.own, "one.h") && !has(f.own, "two.c"));
    source_files_free(&f);
    source_files_read(&f, elf, n, address_of("both", "second"));
    assert_non_null(f.own);
    assert_string_equal(f.own->name, compiled_path("two.c"));
    source_files_free(&f);
    source_files_read(&f, elf, n, UINT64_MAX - 1); /* in no unit */
    assert_null(f.own);
    source_files_free(&f);
    free(elf);
}

TEST(test_files_without_line_tables)
{
    struct source_files f;
    size_t n;
    assert_true(compiled_shell("cc -g0 two.c -o bare && strip bare"));
    uint8_t *elf = bytes_of("bare", &n);
    for (size_t k = 0; k <= n; k += n / 7) { /* also if it is cut off anywhere */
        source_files_read(&f, elf, k, 0x1000);
        assert_int_equal(f.n, 0);
        assert_null(f.own);
        source_files_free(&f);
    }
    source_files_read(&f, "not an ELF file", 15, 0);
    assert_int_equal(f.n, 0);
    source_files_free(&f);
    free(elf);
}

/* Random bytes changed: what is read may be wrong, but nothing beyond the file is read. */
TEST(test_damage_does_no_harm)
{
    struct source_files f;
    size_t n;
    uint32_t seed = 7;
    assert_true(compiled_shell("cc -O1 -g -c one.c -o one.o && cc -g one.c two.c -o whole"));
    uint8_t *elf = bytes_of("whole", &n), *hurt = malloc(n);
    assert_non_null(hurt);
    for (int round = 0; round < 300; round++) {
        memcpy(hurt, elf, n);
        for (int k = 0; k < 40; k++) {
            seed = seed * 1664525u + 1013904223u;
            hurt[64 + seed % (n - 64)] = (uint8_t)(seed >> 24);
        }
        source_files_read(&f, hurt, n, 0x1139);
        source_files_free(&f);
    }
    free(hurt);
    free(elf);
}

TEST_MAIN(make, clean)
