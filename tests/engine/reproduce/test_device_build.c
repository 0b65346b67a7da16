/* The parts of a compile command that compile for one GPU. */
#include "engine/reproduce/device_build.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

/* The words that remain, separated by blanks; paths are in brackets. */
static const char *left_of(const char *line, struct device_build *b, struct arena *arena)
{
    static char text[1024];
    struct compile_command c = {.directory = "/p/build"};
    c.argv = shell_split(arena, line, &c.argc);
    device_build_of(b, &c, arena);
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < b->n; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%s%s", n ? " " : "",
                             b->words[i].flag, b->words[i].path && !b->words[i].joined ? " " : "",
                             b->words[i].path ? "[" : "", b->words[i].path ? b->words[i].path : "");
    return text;
}

TEST(test_what_is_kept)
{
    static const char *const table[][2] = {
        {"hipcc -O2 -c ../k.hip -o k.o", "-O2"},
        {"hipcc -DA=1 -D B -UC -std=c++17 k.hip", "-DA=1 -D B -UC -std=c++17"},
        {"clang++ -I../inc -I inc -isystem /x/../y -iquote q -idirafter z",
         "-I[/p/inc -I [/p/build/inc -isystem [/y -iquote [/p/build/q -idirafter [/p/build/z"},
        {"clang++ -include ../all.h k.hip", "-include [/p/all.h"},
        {"hipcc --offload-arch=gfx90a --offload-arch=gfx942 -fgpu-rdc --genco k.hip", ""},
        {"hipcc -MD -MMD -MF k.d -MT k.o -M k.hip -save-temps", ""},
        {"hipcc -Wl,-rpath,/x -lm -L/lib -march=native -Wall -fPIC", "-Wall -fPIC"},
        {"hipcc -mllvm -amdgpu-x=1 -Xclang -foo -Xarch_host -O0 -Xarch_device -g",
         "-mllvm -amdgpu-x=1 -Xclang -foo -Xarch_device -g"},
        {"clang++ -x hip k.cpp -munsafe-fp-atomics -ffast-math -",
         "-munsafe-fp-atomics -ffast-math"},
        {"clang++ -nogpulib -nogpuinc -o", "-nogpulib -nogpuinc"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct arena arena = {0};
        struct device_build b;
        assert_string_equal(left_of(table[i][0], &b, &arena), table[i][1]);
        assert_true(b.known);
        arena_free(&arena);
    }
}

TEST(test_which_compiler_and_how_much)
{
    struct arena arena = {0};
    struct device_build b;
    left_of("/opt/rocm/bin/hipcc -O1 -c k.hip", &b, &arena);
    assert_string_equal(b.compiler, "/opt/rocm/bin/hipcc");
    assert_true(b.optimises);
    left_of("ccache clang++ -g -c k.hip", &b, &arena);
    assert_string_equal(b.compiler, "clang++");
    assert_false(b.optimises);
    left_of("/usr/lib/ccache/clang++ -g", &b, &arena); /* a link of that name leads to a compiler */
    assert_string_equal(b.compiler, "/usr/lib/ccache/clang++");
    device_build_of(&b, NULL, &arena);
    assert_string_equal(b.compiler, "clang++");
    assert_false(b.known);
    assert_int_equal(b.n, 0);
    arena_free(&arena);
}
