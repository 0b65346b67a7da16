/* Which disassembler is chosen, in a made-up file system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"
#include "base/env.h"
#include "support/code_made.h"
#include "support/compiled.h"
#include "symbols/source/disassemble.h"
#include "symbols/source/disassembler.h"

static char *old_path, *old_rocm;

FIXTURE_STATUS(begin)
{
    compiled_new();
    old_path = env_get("PATH") ? strdup(env_get("PATH")) : NULL;
    old_rocm = env_get("ROCM_PATH") ? strdup(env_get("ROCM_PATH")) : NULL;
    bool made = compiled_shell(
        "for d in opt/rocm-6.4.0 opt/rocm-5.7.1 opt/rocm-6.10.0 else/rocm; do "
        "mkdir -p $d/llvm/bin && echo >$d/llvm/bin/llvm-objdump && chmod +x $d/llvm/bin/*; done; "
        "mkdir bin && for n in objdump llvm-objdump llvm-objdump-14 llvm-objdump-19; do "
        "echo >bin/$n && chmod +x bin/$n; done; mkdir -p opt/rocm-9/llvm/bin && "
        "echo >opt/rocm-9/llvm/bin/llvm-objdump"); /* it cannot be executed */
    return !made;
}

FIXTURE(end)
{
    env_put("PATH", old_path);
    env_put("ROCM_PATH", old_rocm);
    env_set_root(NULL);
    free(old_path);
    free(old_rocm);
    compiled_free();
}

/* Their paths below the directory, separated by blanks. */
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

FIXTURE_STATUS(without_tools)
{
    env_put("PATH", old_path);
    env_set_root(NULL);
    return !compiled_shell("rm -rf tools");
}

TEST_WITH(newest_first, NULL, without_tools)
{
    env_set_root(compiled_dir());
    env_put("PATH", compiled_path("bin"));
    env_put("ROCM_PATH", NULL);
    assert_string_equal(order(true), "opt/rocm-6.10.0/llvm/bin/llvm-objdump "
                                     "opt/rocm-6.4.0/llvm/bin/llvm-objdump "
                                     "opt/rocm-5.7.1/llvm/bin/llvm-objdump "
                                     "bin/llvm-objdump-19 bin/llvm-objdump-14 bin/llvm-objdump");
    assert_string_equal(order(false),
                        "bin/objdump opt/rocm-6.10.0/llvm/bin/llvm-objdump "
                        "opt/rocm-6.4.0/llvm/bin/llvm-objdump opt/rocm-5.7.1/llvm/bin/llvm-objdump "
                        "bin/llvm-objdump-19 bin/llvm-objdump-14 bin/llvm-objdump");
    env_put("ROCM_PATH", compiled_path("else/rocm"));
    assert_int_equal(strncmp(order(true), "else/rocm/llvm/bin/llvm-objdump opt/", 36), 0);
    /* the version that a link names comes first, and is not tried twice */
    assert_int_equal(symlink("rocm-5.7.1", compiled_path("opt/rocm")), 0);
    env_put("ROCM_PATH", compiled_path("opt/rocm"));
    assert_int_equal(strncmp(order(true), "opt/rocm/llvm/bin/llvm-objdump opt/rocm-6.10.0/", 47),
                     0);
    env_put("PATH", compiled_path("nowhere"));
    assert_int_equal(strncmp(order(false), "opt/rocm/llvm/bin/llvm-objdump opt/", 35), 0);
}

TEST(what_is_for_a_gpu)
{
    assert_true(disassembler_is_gpu(code_path("reduce.gfx942.v5.hsaco")));
    assert_false(disassembler_is_gpu("/proc/self/exe"));
    assert_false(disassembler_is_gpu(code_path("typed.hip")));
    assert_false(disassembler_is_gpu(code_path("absent")));
    assert_false(disassembler_is_gpu("tests"));
}

/* Programs that answer like those of LLVM: one that knows no GPU newer than gfx90a, and one that
 * does. */
static const char refuses[] = "#!/bin/sh\n[ \"$1\" != --version ] || { echo '  Debian LLVM "
                              "version 14.0.6'; exit 0; }\nexit 1\n",
                  knows[] = "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'LLVM version "
                            "19.1.7git'; exit 0; }\nexit 0\n";

static void put_tool(const char *name, const char *script)
{
    char path[64];
    snprintf(path, sizeof path, "tools/%s", name);
    assert_true(compiled_shell("mkdir -p tools"));
    FILE *f = fopen(compiled_path(path), "w");
    assert_non_null(f);
    assert_true(fputs(script, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(compiled_path(path), 0755), 0);
}

static void only_tools(void)
{
    env_set_root(compiled_path("tools"));
    env_put("PATH", compiled_path("tools"));
    env_put("ROCM_PATH", NULL);
}

TEST_WITH(each_tool_reports_the_gpus_it_knows, NULL, without_tools)
{
    char old[4096], new[4096], processor[32];
    put_tool("old", refuses);
    put_tool("new", knows);
    snprintf(old, sizeof old, "%s", compiled_path("tools/old"));
    snprintf(new, sizeof new, "%s", compiled_path("tools/new"));
    assert_false(disassembler_knows(old, code_path("reduce.gfx942.v5.hsaco")));
    assert_true(disassembler_knows(new, code_path("reduce.gfx942.v5.hsaco")));
    assert_false(disassembler_knows(new, code_path("typed.hip"))); /* a file for no known machine */
    assert_true(disassembler_processor(code_path("reduce.gfx942.v5.hsaco"), processor));
    assert_string_equal(processor, "gfx942");
    assert_false(disassembler_processor("/proc/self/exe", processor));
}

/* Debian 12 with LLVM 14 under two names: the message must not blame the file. */
TEST_WITH(a_machine_that_no_tool_knows, NULL, without_tools)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    put_tool("llvm-objdump-14", refuses);
    assert_true(compiled_shell("ln -s llvm-objdump-14 tools/llvm-objdump"));
    only_tools();
    assert_true(disassemble(code_path("reduce.gfx942.v5.hsaco"), 0x1e00, 64, &d, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.why,
                        "no disassembler here knows gfx942; tried: llvm-objdump-14 (LLVM 14.0.6)");
    assert_non_null(strstr(err.help, "newer LLVM (apt-get install llvm-19)"));
}

TEST_WITH(a_file_that_the_tools_know_is_to_blame, NULL, without_tools)
{
    struct disassembly *d;
    struct error err = ERROR_INIT;
    put_tool("llvm-objdump-14", refuses);
    put_tool("llvm-objdump-19", knows);
    only_tools();
    assert_true(disassemble(code_path("reduce.gfx942.v5.hsaco"), 0x1e00, 64, &d, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.why,
                        "llvm-objdump-19 (LLVM 19.1.7), llvm-objdump-14 (LLVM 14.0.6) find "
                        "no code at this address");
}

/* The newest is asked first, but the first that knows the GPU is used. */
TEST_WITH(the_one_that_knows_is_taken, NULL, without_tools)
{
    struct disassembly *d;
    put_tool("llvm-objdump-19", refuses);
    put_tool("llvm-objdump-17", "#!/bin/sh\nprintf '\\ts_endpgm  // 000000001E00: BF810000\\n'\n");
    only_tools();
    assert_int_equal(disassemble(code_path("reduce.gfx942.v5.hsaco"), 0x1e00, 64, &d, NULL), 0);
    assert_string_equal(d->tool, "llvm-objdump-17");
    assert_int_equal(d->n, 1);
    disassembly_free(d);
}

TEST_MAIN(begin, end)
