/* Which tool of several is taken, and what is said where none fits. The tools are scripts that
 * answer as LLVM's do. Forks: not for TSan. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/toolbox.h"
#include "support/compiled.h"
#include "support/test.h"

static char *old_path, *old_rocm;

FIXTURE_STATUS(begin)
{
    old_path = env_get("PATH") ? strdup(env_get("PATH")) : NULL;
    old_rocm = env_get("ROCM_PATH") ? strdup(env_get("ROCM_PATH")) : NULL;
    compiled_new();
    return !compiled_shell("mkdir -p bin opt/rocm-6.4.0/llvm/bin opt/rocm-6.10.0/llvm/bin");
}

FIXTURE(end)
{
    env_put("PATH", old_path);
    env_put("ROCM_PATH", old_rocm);
    env_set_root(NULL);
    compiled_free();
    free(old_path);
    free(old_rocm);
}

static void only_these(void)
{
    env_set_root(compiled_dir());
    env_put("PATH", compiled_path("bin"));
    env_put("ROCM_PATH", NULL);
}

FIXTURE_STATUS(remove_tools)
{
    env_put("PATH", old_path);
    env_put("ROCM_PATH", old_rocm);
    return !compiled_shell("rm -f bin/* opt/*/bin/* opt/*/llvm/bin/*");
}

/* A tool that reports a version and, asked for a processor, knows those of a pattern. */
static void put_tool(const char *path, const char *says, const char *processors)
{
    FILE *f = fopen(compiled_path(path), "w");
    assert_non_null(f);
    fprintf(f,
            "#!/bin/sh\n[ \"$1\" != --version ] || { echo '%s'; exit 0; }\n"
            "for w; do case $w in -mcpu=%s) exit 0;; esac; done\nexit 1\n",
            says, processors);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(compiled_path(path), 0755), 0);
}

TEST_WITH(versions_are_read, NULL, remove_tools)
{
    char text[64];
    put_tool("bin/a", "Debian clang version 14.0.6", "*");
    put_tool("bin/b", "  Debian LLVM version 19.1.7git", "*");
    put_tool("bin/c", "something else", "*");
    assert_int_equal(toolbox_version(TOOLBOX_CLANG, compiled_path("bin/a"), text, sizeof text), 14);
    assert_string_equal(text, "LLVM 14.0.6");
    assert_int_equal(toolbox_version(TOOLBOX_LLVM_MCA, compiled_path("bin/b"), text, sizeof text),
                     19);
    assert_string_equal(text, "LLVM 19.1.7");
    assert_int_equal(toolbox_version(TOOLBOX_LLVM_MCA, compiled_path("bin/c"), text, sizeof text),
                     0);
    assert_string_equal(text, "");
    assert_int_equal(toolbox_version(TOOLBOX_LLVM_MCA, "/nonesuch", text, sizeof text), 0);
}

/* The newest by name comes first, and is left where it does not know the GPU. */
TEST_WITH(the_one_that_knows_the_gpu_is_taken, NULL, remove_tools)
{
    struct toolbox_tool t;
    struct error err = ERROR_INIT;
    put_tool("bin/clang-19", "clang version 19.1.7", "gfx90a");
    put_tool("bin/clang-17", "clang version 17.0.6", "gfx9*");
    put_tool("bin/clang", "Debian clang version 14.0.6", "gfx90a");
    only_these();
    assert_int_equal(toolbox_find(TOOLBOX_CLANG, "gfx90a", &t, &err), 0);
    assert_string_equal(t.name, "clang-19");
    assert_int_equal(toolbox_find(TOOLBOX_CLANG, "gfx942", &t, &err), 0);
    assert_string_equal(t.name, "clang-17");
    assert_string_equal(t.path, compiled_path("bin/clang-17"));
    assert_int_equal(toolbox_find(TOOLBOX_CLANG, "gfx1201", &t, &err), -ENOTSUP);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.why,
                        "none here builds for gfx1201; tried: clang-19 (LLVM 19.1.7), clang-17 "
                        "(LLVM 17.0.6), clang (LLVM 14.0.6)");
    assert_non_null(strstr(err.help, "apt-get install clang-19 lld-19"));
    put_tool("opt/rocm-6.10.0/llvm/bin/clang", "AMD clang version 18.0.0git", "gfx1201");
    assert_int_equal(toolbox_find(TOOLBOX_CLANG, "gfx1201", &t, &err), 0);
    assert_string_equal(t.path, compiled_path("opt/rocm-6.10.0/llvm/bin/clang"));
}

/* A ROCm that is not in PATH: its folder by $ROCM_PATH, the link /opt/rocm, then the newest. */
TEST_WITH(installation_folders_have_an_order, NULL, remove_tools)
{
    struct toolbox_tool *t = calloc(TOOLBOX_MAX, sizeof *t);
    assert_non_null(t);
    assert_true(compiled_shell("mkdir -p opt/rocm-6.4.0/bin opt/rocm-6.10.0/bin opt/rocm/bin"));
    only_these();
    assert_int_equal(toolbox_list(TOOLBOX_HIPCC, t), 0);
    put_tool("opt/rocm-6.4.0/bin/hipcc", "", "*");
    put_tool("opt/rocm-6.10.0/bin/hipcc", "", "*");
    put_tool("opt/rocm/bin/hipcc", "", "*");
    assert_int_equal(toolbox_list(TOOLBOX_HIPCC, t), 3);
    assert_string_equal(t[0].path, compiled_path("opt/rocm/bin/hipcc"));
    assert_string_equal(t[1].path, compiled_path("opt/rocm-6.10.0/bin/hipcc"));
    env_put("ROCM_PATH", compiled_path("opt/rocm-6.4.0"));
    assert_int_equal(toolbox_list(TOOLBOX_HIPCC, t), 3);
    assert_string_equal(t[0].path, compiled_path("opt/rocm-6.4.0/bin/hipcc"));
    put_tool("bin/hipcc", "", "*");
    assert_int_equal(toolbox_list(TOOLBOX_HIPCC, t), 4);
    assert_string_equal(t[0].name, "hipcc");
    free(t);
}

/* Debian 12 as it comes: LLVM 14 under two names. One of version 19 beside it is taken. */
TEST_WITH(one_too_old_is_refused_with_its_version, NULL, remove_tools)
{
    struct toolbox_tool t;
    struct error err = ERROR_INIT;
    only_these();
    assert_int_equal(toolbox_find(TOOLBOX_LLVM_MCA, NULL, &t, &err), -ENOENT);
    assert_string_equal(err.why, "it is not installed (neither llvm-mca nor llvm-mca-13 to -30)");
    put_tool("bin/llvm-mca-14", "Debian LLVM version 14.0.6", "*");
    assert_int_equal(symlink("llvm-mca-14", compiled_path("bin/llvm-mca")), 0);
    assert_int_equal(toolbox_find(TOOLBOX_LLVM_MCA, NULL, &t, &err), -ENOTSUP);
    assert_string_equal(err.what, "llvm-mca");
    assert_int_equal(
        strncmp(err.why, "llvm-mca-14 (LLVM 14.0.6) is too old: versions before 19 ", 57), 0);
    assert_non_null(strstr(err.help, "llvm-19"));
    put_tool("bin/llvm-mca-20", "a tool that says no number", "*");
    assert_int_equal(toolbox_find(TOOLBOX_LLVM_MCA, NULL, &t, &err), -ENOTSUP);
    assert_non_null(strstr(err.why, "llvm-mca-20 (no version), llvm-mca-14"));
    put_tool("bin/llvm-mca-19", "LLVM version 19.1.7", "*");
    assert_int_equal(toolbox_find(TOOLBOX_LLVM_MCA, NULL, &t, &err), 0);
    assert_string_equal(t.name, "llvm-mca-19");
}

TEST_WITH(folders_of_installations_are_searched, NULL, remove_tools)
{
    struct toolbox_tool list[TOOLBOX_MAX];
    only_these();
    put_tool("opt/rocm-6.4.0/llvm/bin/llvm-objdump", "x", "*");
    put_tool("opt/rocm-6.10.0/llvm/bin/llvm-objdump", "x", "*");
    put_tool("bin/llvm-objdump", "x", "*");
    assert_int_equal(toolbox_list(TOOLBOX_LLVM_OBJDUMP, list), 3);
    assert_string_equal(list[0].path, compiled_path("opt/rocm-6.10.0/llvm/bin/llvm-objdump"));
    assert_string_equal(list[0].name, list[0].path);
    assert_string_equal(list[2].name, "llvm-objdump");
    env_put("ROCM_PATH", compiled_path("opt/rocm-6.4.0"));
    assert_int_equal(toolbox_list(TOOLBOX_LLVM_OBJDUMP, list), 3);
    assert_string_equal(list[0].path, compiled_path("opt/rocm-6.4.0/llvm/bin/llvm-objdump"));
    assert_int_equal(toolbox_list(TOOLBOX_NSYS, list), 0);
    for (int row = 0; row < TOOLBOX_ROWS; row++) /* each says what would help */
        assert_true(strlen(toolbox_help((enum toolbox_row)row)) > 10);
}

TEST_MAIN(begin, end)
