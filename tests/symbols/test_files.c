/* Symbol files: mapped, replaced, evicted from the cache; the vDSO; separate debug files.
 * Not for TSan: one thread, and compilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/compiled.h"
#include "support/skip.h"
#include "symbols/symbols.h"
#include "support/test.h"

__attribute__((noinline)) static int find_me_here(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

TEST(an_offset_of_a_mapping)
{
    unsigned long at = (unsigned long)(uintptr_t)find_me_here, from = 0, to = 0, offset = 0;
    char line[1024], path[512] = "";
    uint64_t address = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_int_equal(find_me_here(3), 3);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %511s", &from, &to, &offset, path) == 4 &&
            at >= from && at < to)
            break;
    }
    fclose(maps);
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, path, NULL);
    struct symbol_frame frame;
    assert_non_null(f);
    assert_true(symbol_file_address(f, at - from + offset, &address));
    assert_int_equal(symbol_file_resolve(f, address, &frame, 1), 1);
    assert_string_equal(frame.name, "find_me_here");
    assert_non_null(frame.decl_file); /* requires that the test was built with -g */
    assert_non_null(strstr(frame.decl_file, "test_files.c"));
    assert_true(frame.decl_line > 0 && frame.line >= frame.decl_line);
    assert_false(symbol_file_address(f, UINT64_MAX, &address));
    assert_ptr_equal(symbols_file(s, path, NULL), f);
    symbols_free(s);
}

TEST(a_file_that_is_replaced_is_another_one)
{
    struct error err = ERROR_INIT;
    struct symbol_frame frame;
    char path[128];
    uint64_t from, to;
    struct symbols *s = symbols_new(0);
    assert_true(compiled_shell("cc -O2 -g a.c -o r"));
    snprintf(path, sizeof path, "%s", compiled_path("r"));
    struct symbol_file *one = symbols_file(s, path, &err);
    compiled_text(path, &from, &to);
    assert_true(compiled_shell("cc -O0 -g a.c -o r2 && mv r2 r"));
    struct symbol_file *two = symbols_file(s, path, &err);
    assert_true(one && two && one != two);
    assert_int_equal(symbol_file_resolve(one, from, &frame, 1), 1); /* the old one is mapped */
    assert_true(compiled_shell(": > r")); /* the file is truncated in place */
    assert_int_equal(symbol_file_resolve(two, from, &frame, 1), 0);
    assert_null(symbols_file(s, path, &err));
    assert_string_equal(err.why, "not an ELF file");
    assert_null(symbols_file(s, compiled_dir(), &err));
    assert_null(symbols_file(s, compiled_path("absent"), &err));
    assert_int_equal(err.code, 2);
    symbols_free(s);
}

/* It may be shortened at any moment by the user who may write it: it is read, not mapped. */
TEST(a_file_that_others_may_write)
{
    struct symbol_frame frame;
    char path[128], line[512] = "";
    uint64_t from, to;
    size_t maps = 0;
    struct symbols *s = symbols_new(0);
    assert_true(compiled_shell("cc -O2 -g a.c -o w && chmod 777 w"));
    snprintf(path, sizeof path, "%s", compiled_path("w"));
    compiled_text(path, &from, &to);
    struct symbol_file *f = symbols_file(s, path, NULL);
    assert_non_null(f);
    assert_int_equal(symbol_file_resolve(f, from, &frame, 1), 1);
    assert_non_null(frame.name);
    FILE *list = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, list))
        maps += strstr(line, path) != NULL;
    fclose(list);
    assert_int_equal(maps, 0);
    symbols_free(s);
}

TEST(the_vdso)
{
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_vdso(s);
    struct symbol_frame frame;
    size_t found = 0;
    if (!f)
        skip_because("this kernel maps no vDSO");
    for (uint64_t at = 0; at < 8192; at += 16)
        found += symbol_file_resolve(f, at, &frame, 1) == 1 &&
                 strstr(frame.name, "clock_gettime") != NULL;
    assert_true(found > 0);
    assert_ptr_equal(symbols_vdso(s), f);
    symbols_free(s);
}

/* More files than the smallest limit allows: the first is evicted, and read again. */
TEST(evicted_files_are_read_again)
{
    struct symbols *s = symbols_new(1);
    struct symbol_file *files[24];
    struct symbol_frame before, after;
    const char *own = "/proc/self/exe";
    uint64_t from, to;
    char line[128], path[128];
    compiled_text(own, &from, &to);
    for (size_t i = 0; i < 24; i++) {
        snprintf(line, sizeof line, "cp /proc/%d/exe copy%zu", (int)getpid(), i);
        assert_true(compiled_shell(line));
        snprintf(line, sizeof line, "copy%zu", i);
        snprintf(path, sizeof path, "%s", compiled_path(line));
        files[i] = symbols_file(s, path, NULL);
        for (uint64_t at = from; at < to; at += 64)
            symbol_file_resolve(files[i], at, &after, 1);
        if (i == 0)
            assert_int_equal(symbol_file_resolve(files[0], from + 200, &before, 1), 1);
        assert_true(symbols_memory(s) < 2 * SYMBOLS_MEMORY_LEAST);
    }
    assert_int_equal(symbol_file_resolve(files[0], from + 200, &after, 1), 1);
    assert_ptr_equal(before.name, after.name);
    symbols_free(s);
}

/* If there is no room for all frames, those between the innermost and the function itself are left
 * out. */
TEST(fewer_frames_than_there_are)
{
    struct symbol_frame all[8], some[8];
    uint64_t from, to;
    size_t deep = 0;
    assert_true(compiled_shell("cc -O2 -g a.c -o deep"));
    struct symbols *s = symbols_new(0);
    struct symbol_file *f = symbols_file(s, compiled_path("deep"), NULL);
    compiled_text(compiled_path("deep"), &from, &to);
    for (uint64_t at = from; at < to; at++) {
        size_t n = symbol_file_resolve(f, at, all, 8);
        assert_int_equal(symbol_file_resolve(f, at, some, 0), 0);
        for (size_t max = 1; n && max < n; max++, deep++) {
            assert_int_equal(symbol_file_resolve(f, at, some, max), max);
            assert_true(some[max - 1].name == all[n - 1].name && !some[max - 1].inlined);
            assert_true(some[max - 1].address == all[n - 1].address && some[max - 1].size > 0);
            assert_true(max == 1 || some[0].name == all[0].name);
        }
    }
    assert_true(deep > 0);
    symbols_free(s);
}

/* An address belongs to the innermost function whose size includes it. A function without a size
 * extends to the next one. */
TEST(functions_within_functions)
{
    static const char source[] =
        ".text\n.globl outer\n.type outer, %function\nouter: .skip 32\n"
        ".globl inner\n.type inner, %function\ninner: .skip 16\n.size inner, 16\n"
        ".skip 16\n.size outer, 64\n"
        ".globl loose\n.type loose, %function\nloose: .skip 32\n"
        ".globl last\n.type last, %function\nlast: .skip 16\n.size last, 16\n";
    static const struct {
        uint64_t at;
        const char *name;
    } rows[] = {{0, "outer"},  {31, "outer"}, {32, "inner"}, {47, "inner"}, {48, "outer"},
                {63, "outer"}, {64, "loose"}, {95, "loose"}, {96, "last"},  {111, "last"}};
    FILE *f = fopen(compiled_path("within.s"), "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
    assert_true(compiled_shell("cc -shared -nostdlib -Wl,-Ttext=0x10000 within.s -o within"));
    struct symbols *s = symbols_new(0);
    struct symbol_file *file = symbols_file(s, compiled_path("within"), NULL);
    assert_non_null(file);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct symbol_frame frame = {0};
        int n = symbol_file_resolve(file, 0x10000 + rows[i].at, &frame, 1);
        if (n != 1 || strcmp(frame.name, rows[i].name) != 0)
            fail_msg("%d: '%s', not '%s'", (int)rows[i].at, n ? frame.name : "", rows[i].name);
    }
    symbols_free(s);
}

/* With -gsplit-dwarf most of the debug information is beside the object files. */
TEST(entries_in_files_apart)
{
    static const char *const how[] = {"-gdwarf-5", "-gdwarf-4"};
    for (size_t i = 0; i < 2; i++) {
        char line[256], whole[128], apart[128];
        struct symbol_frame a[8], b[8];
        uint64_t from, to;
        size_t inlined = 0;
        snprintf(line, sizeof line,
                 "cc -O2 -g %s a.c -o whole && cc -O2 -g %s -gsplit-dwarf a.c -o apart", how[i],
                 how[i]);
        assert_true(compiled_shell(line));
        snprintf(whole, sizeof whole, "%s", compiled_path("whole"));
        snprintf(apart, sizeof apart, "%s", compiled_path("apart"));
        struct symbols *s = symbols_new(0);
        struct symbol_file *f = symbols_file(s, whole, NULL), *g = symbols_file(s, apart, NULL);
        compiled_text(whole, &from, &to);
        for (uint64_t at = from; at < to; at++) {
            size_t n = symbol_file_resolve(f, at, a, 8);
            assert_int_equal(symbol_file_resolve(g, at, b, 8), n);
            inlined += n > 1;
            for (size_t k = 0; k < n; k++)
                assert_true(a[k].name == b[k].name && a[k].file == b[k].file &&
                            a[k].line == b[k].line && a[k].decl_line == b[k].decl_line);
        }
        assert_true(inlined > 0);
        symbols_free(s);
    }
}

FIXTURE(set_up)
{
    compiled_new();
}

FIXTURE(tear_down)
{
    compiled_free();
}

TEST_MAIN(set_up, tear_down)
