/* Which disassembler is taken, in a made-up file system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/env.h"
#include "support/code_made.h"
#include "support/compiled.h"
#include "symbols/disassembler.h"

static char *old_path, *old_rocm;

static int begin(void **state)
{
    (void)state;
    compiled_new();
    old_path = env_get("PATH") ? strdup(env_get("PATH")) : NULL;
    old_rocm = env_get("ROCM_PATH") ? strdup(env_get("ROCM_PATH")) : NULL;
    bool made = compiled_shell(
        "for d in opt/rocm-6.4.0 opt/rocm-5.7.1 opt/rocm-6.10.0 else/rocm; do "
        "mkdir -p $d/llvm/bin && echo >$d/llvm/bin/llvm-objdump && chmod +x $d/llvm/bin/*; done; "
        "mkdir bin && for n in objdump llvm-objdump llvm-objdump-14 llvm-objdump-19; do "
        "echo >bin/$n && chmod +x bin/$n; done; mkdir -p opt/rocm-9/llvm/bin && "
        "echo >opt/rocm-9/llvm/bin/llvm-objdump"); /* one that cannot be run */
    return !made;
}

static int end(void **state)
{
    (void)state;
    env_put("PATH", old_path);
    env_put("ROCM_PATH", old_rocm);
    env_set_root(NULL);
    free(old_path);
    free(old_rocm);
    compiled_free();
    return 0;
}

/* Their paths below the directory, a blank between. */
static const char *order(bool gpu)
{
    static char out[1024];
    struct disassembler tools[DISASSEMBLERS_MAX];
    struct arena arena = {0};
    size_t n = disassembler_list(gpu, tools, &arena), used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", i ? " " : "",
                                 tools[i].path + strlen(compiled_dir()) + 1);
    arena_free(&arena);
    return out;
}

static void newest_first(void **state)
{
    (void)state;
    env_set_root(compiled_dir());
    env_put("PATH", compiled_path("bin"));
    env_put("ROCM_PATH", NULL);
    assert_string_equal(order(true), "opt/rocm-6.10.0/llvm/bin/llvm-objdump "
                                     "opt/rocm-6.4.0/llvm/bin/llvm-objdump "
                                     "opt/rocm-5.7.1/llvm/bin/llvm-objdump "
                                     "bin/llvm-objdump-19 bin/llvm-objdump-14 bin/llvm-objdump");
    assert_string_equal(order(false),
                        "bin/objdump bin/llvm-objdump bin/llvm-objdump-19 bin/llvm-objdump-14");
    env_put("ROCM_PATH", compiled_path("else/rocm"));
    assert_int_equal(strncmp(order(true), "else/rocm/llvm/bin/llvm-objdump opt/", 36), 0);
    /* the one in use, by its link; it is not tried twice for that */
    assert_int_equal(symlink("rocm-5.7.1", compiled_path("opt/rocm")), 0);
    env_put("ROCM_PATH", compiled_path("opt/rocm"));
    assert_int_equal(strncmp(order(true), "opt/rocm/llvm/bin/llvm-objdump opt/rocm-6.10.0/", 47),
                     0);
    env_put("PATH", compiled_path("nowhere"));
    assert_string_equal(order(false), "");
}

static void what_is_for_a_gpu(void **state)
{
    (void)state;
    assert_true(disassembler_is_gpu(code_path("reduce.gfx942.v5.hsaco")));
    assert_false(disassembler_is_gpu("/proc/self/exe"));
    assert_false(disassembler_is_gpu(code_path("typed.hip")));
    assert_false(disassembler_is_gpu(code_path("absent")));
    assert_false(disassembler_is_gpu("tests"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newest_first),
        cmocka_unit_test(what_is_for_a_gpu),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
