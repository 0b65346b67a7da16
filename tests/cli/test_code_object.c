/* The command code-object, run as a user runs it. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/code_made.h"
#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE(begin)
{
    setenv("H", "tests/data/gpu/hsaco", 1);
    compiled_new();
    setenv("D", compiled_dir(), 1);
}

FIXTURE(end)
{
    compiled_free();
}

static void expect(struct program *p, const char *line, int status)
{
    program_needed();
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

static void sees(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("no '%s' in\n%s", wanted, text);
}

TEST(the_text)
{
    struct program p;
    expect(&p, "$BIN code-object $H/typed.gfx942.v5.hsaco", 0);
    sees(p.out, "amdgcn-amd-amdhsa--gfx942, code object version 5, 4 kernels, 5 variables\n");
    sees(p.out, "\nvoid ns::scale<int>(int*, float const*, int, pair, unsigned char*, _Float16, "
                "unsigned long)\n  symbol     _ZN2ns5scaleIiEEvPT_PKfS1_4pairPhDF16_m.kd\n");
    sees(p.out, "arguments 64 bytes, aligned to 8\n");
    sees(p.out, "      24    16  by_value                  pair\n");
    sees(p.out, "     104     8  hidden_multigrid_sync_arg synchronisation of grids");
    sees(p.out, "private 0 bytes and a stack of unknown size");
    sees(p.out, "work-groups of 128 at most");
    sees(p.out, "  _ZL14hidden_counter  local: the runtime does not find it by name\n");
    program_free(&p);
    expect(&p, "$BIN code-object $H/typed.gfx942.v5.hsaco --kernel fixed_size", 0);
    assert_null(strstr(p.out, "ns::scale"));
    assert_null(strstr(p.out, "\nvariables"));
    program_free(&p);
}

static const cJSON *at(const cJSON *list, int i, const char *key)
{
    return cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), key);
}

TEST(the_json)
{
    struct program p;
    expect(&p, "$BIN code-object $H/vector.gfx90a.v4.hsaco --format json --kernel saxpy", 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.code-object/1");
    assert_string_equal(cJSON_GetObjectItem(doc, "isa")->valuestring,
                        "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    const cJSON *kernels = cJSON_GetObjectItem(doc, "kernels"), *args;
    assert_int_equal(cJSON_GetArraySize(kernels), 1);
    assert_int_equal(at(kernels, 0, "kernarg_size")->valueint, 88);
    assert_true(cJSON_IsNull(at(kernels, 0, "required_workgroup_size")));
    args = at(kernels, 0, "arguments");
    assert_int_equal(cJSON_GetArraySize(args), 11);
    assert_string_equal(at(args, 1, "kind")->valuestring, "global_buffer");
    assert_string_equal(at(args, 1, "address_space")->valuestring, "global");
    assert_string_equal(at(args, 4, "role")->valuestring, "kept");
    assert_true(cJSON_IsNull(at(args, 0, "type")));
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(the_instructions)
{
    struct program p;
    needs_disassembler(code_path("typed.gfx942.v5.hsaco"));
    expect(&p, "$BIN code-object $H/typed.gfx942.v5.hsaco --kernel fixed_size --disassemble", 0);
    sees(p.out, "  BF810000                    s_endpgm\n");
    sees(p.out, "typed.hip:38\n"); /* needs the line tables of -g */
    assert_null(strstr(p.out, "s_nop"));
    program_free(&p);
    expect(&p, "$BIN code-object $H/reduce.gfx942.v5.hsaco --disassemble --format json", 0);
    cJSON *doc = cJSON_Parse(p.out);
    const cJSON *kernels = cJSON_GetObjectItem(doc, "kernels");
    for (int i = 0; i < 2; i++) {
        const cJSON *code = at(kernels, i, "instructions");
        int last = cJSON_GetArraySize(code) - 1;
        assert_true(last > 10);
        assert_string_equal(at(code, last, "text")->valuestring, "s_endpgm");
        assert_string_equal(at(code, last, "encoding")->valuestring, "BF810000");
    }
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(without_a_disassembler)
{
    struct program p;
    expect(&p,
           "mkdir -p $D/none && PATH=$D/none ROCM_PATH= $BIN code-object "
           "$H/reduce.gfx942.v5.hsaco --disassemble",
           0);
    if (!strstr(p.out, "s_endpgm")) { /* ROCm's disassembler is found without PATH */
        sees(p.out, "instructions n/a: ");
        sees(p.out, "no llvm-objdump is installed, which code for AMD's GPUs needs; install LLVM");
    }
    program_free(&p);
}

TEST(what_is_refused)
{
    static const struct {
        const char *line, *why;
        int status;
    } rows[] = {
        {"$BIN code-object", "one file is needed, 0 given", 2},
        {"$BIN code-object a b", "one file is needed, 2 given", 2},
        {"$BIN code-object --format csv $H/reduce.gfx942.v5.hsaco", "give one of text, json", 2},
        {"$BIN code-object --kernel r $H/reduce.gfx942.v5.hsaco", "is called r", 2},
        {"$BIN code-object $H/absent", "No such file", 3},
        {"$BIN code-object $H/typed.hip", "byte 0: not an ELF file", 3},
        {"$BIN code-object /bin/sh", "not for AMD's GPUs", 3},
        {"head -c 3000 $H/reduce.gfx942.v5.hsaco >$D/cut; $BIN code-object $D/cut",
         "byte 40: section headers pass the end", 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p;
        expect(&p, rows[i].line, rows[i].status);
        sees(p.err, rows[i].why);
        assert_int_equal(program_lines(p.err), 1);
        assert_string_equal(p.out, "");
        program_free(&p);
    }
}

TEST(a_bundle)
{
    struct program p;
    size_t na, nb, n;
    uint8_t *a = code_file("vector.gfx90a.v4.hsaco", &na),
            *b = code_file("reduce.gfx942.v5.hsaco", &nb);
    const struct code_part parts[] = {{"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", a, na},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx942", b, nb}};
    uint8_t *all = code_bundle(parts, 2, &n);
    FILE *f = fopen(compiled_path("both.hipfb"), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(all, 1, n, f), n);
    fclose(f);
    expect(&p, "$BIN code-object $D/both.hipfb", 3);
    sees(p.err, "a bundle of code for 2 targets");
    program_free(&p);
    expect(&p, "$BIN code-object --gpu gfx942:sramecc+:xnack- $D/both.hipfb", 0);
    sees(p.out, "\nreduce_sum\n");
    program_free(&p);
    free(a);
    free(b);
    free(all);
}

TEST_MAIN(begin, end)
