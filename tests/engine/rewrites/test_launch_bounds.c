/*
 * Launch bounds on trees made by hand, where each form of them is written; and by a real compiler,
 * which takes what was written and keeps the bound in the code object.
 * Forks: not for TSan.
 */
#include "engine/rewrites/launch_bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/code/code_object.h"
#include "support/device_compiler.h"
#include "support/program.h"
#include "support/test.h"

/* --- a tree: the file, and each definition of a function k or other in it --- */

enum { NODES = 4, T_K = 1, T_OTHER = 3 };
static const char texts[] = "\0k\0other";
static struct syntax_node nodes[NODES];
static struct syntax_tree tree;

/* Each "k(int" and "other(int" is the name of a definition; its text ends at the next "}", and
 * begins behind the one before it. */
static void read_source(const char *source)
{
    size_t n = 1, begin = 0;
    tree = (struct syntax_tree){.source = source,
                                .n = strlen(source),
                                .nodes = nodes,
                                .texts = (char *)texts,
                                .ntexts = sizeof texts,
                                .gpu = true};
    for (const char *at = source; (at = strstr(at, "(int")) != NULL; at++) {
        const size_t length = at[-1] == 'k' ? 1 : 5;
        const size_t close = (size_t)(strchr(at, '}') - source) + 1;
        assert_true(n < NODES);
        nodes[n++] = (struct syntax_node){.kind = SYNTAX_FUNCTION,
                                          .flags = SYNTAX_DEFINITION,
                                          .start = (uint32_t)begin,
                                          .end = (uint32_t)close,
                                          .at = (uint32_t)((size_t)(at - source) - length),
                                          .size = 1,
                                          .name = length == 1 ? T_K : T_OTHER};
        begin = close;
    }
    nodes[0] = (struct syntax_node){
        .kind = SYNTAX_FILE, .size = (uint32_t)n, .end = (uint32_t)strlen(source)};
    tree.count = n;
    assert_true(syntax_valid(&tree));
}

/* What a source becomes; NULL: nothing. */
static void expect_text(const char *source, size_t number, const char *wanted)
{
    struct rewrite r;
    read_source(source);
    const bool made = rewrite_launch_bounds(&tree, "k", 128, number, &r);
    assert_int_equal(made, wanted != NULL);
    if (made && wanted) {
        assert_string_equal(r.text, wanted);
        assert_int_equal(r.n, strlen(wanted));
        assert_true(*r.note);
    } else {
        assert_null(r.text);
    }
    free(r.text);
}

#define BODY "(int *p) { *p = 1; }"

TEST(without_bounds_an_attribute_is_written)
{
    static const char source[] = "__global__ void k" BODY "\n";
    expect_text(source, 0,
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128))) k" BODY "\n");
    expect_text(source, 1,
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128), "
                "amdgpu_waves_per_eu(2))) k" BODY "\n");
    expect_text(source, 2,
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128), "
                "amdgpu_waves_per_eu(4))) k" BODY "\n");
    expect_text(source, 3,
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128), "
                "amdgpu_waves_per_eu(8))) k" BODY "\n");
    expect_text(source, 4, NULL);
}

TEST(bounds_that_are_there_are_replaced)
{
    expect_text("__global__ void __launch_bounds__(256) k" BODY, 0,
                "__global__ void __launch_bounds__(128) k" BODY);
    expect_text("__global__ __launch_bounds__(256, 8) void k" BODY, 2,
                "__global__ __launch_bounds__(128, 4) void k" BODY);
    expect_text("__global__ void __launch_bounds__ (MOST(1, (2)), 1) k" BODY, 1,
                "__global__ void __launch_bounds__ (128, 2) k" BODY);
    expect_text("__attribute__((amdgpu_flat_work_group_size(64, 256), global)) void k" BODY, 0,
                "__attribute__((amdgpu_flat_work_group_size(1, 128), global)) void k" BODY);
    /* its waves may be asked for by another attribute */
    expect_text("__attribute__((amdgpu_flat_work_group_size(64, 256), global)) void k" BODY, 1,
                NULL);
}

/* Words of comments, of other functions and of the body are no bounds of this one. */
TEST(only_the_function_s_own_bounds_count)
{
#define OTHER "__global__ void __launch_bounds__(64) other(int *p) { *p = 2; }\n"
    expect_text(OTHER "__global__ void k" BODY, 0,
                OTHER
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128))) k" BODY);
    expect_text(
        "__global__ void k" BODY OTHER, 0,
        "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128))) k" BODY OTHER);
    expect_text("/* __launch_bounds__(64) */ __global__ void k" BODY, 0,
                "/* __launch_bounds__(64) */ __global__ void "
                "__attribute__((amdgpu_flat_work_group_size(1, 128))) k" BODY);
    expect_text("__global__ void k(int *p) { __launch_bounds__(64); }", 0,
                "__global__ void __attribute__((amdgpu_flat_work_group_size(1, 128))) "
                "k(int *p) { __launch_bounds__(64); }");
}

TEST(what_is_no_kernel_is_left)
{
    struct rewrite r;
    read_source("__global__ void k" BODY);
    assert_false(rewrite_launch_bounds(&tree, "other", 128, 0, &r));
    assert_null(r.text);
    tree.gpu = false;
    assert_false(rewrite_launch_bounds(&tree, "k", 128, 0, &r));
    assert_null(r.text);
    expect_text("void k" BODY "void k" BODY, 0, NULL); /* which of them */
    /* brackets that nobody closes are no bounds; no compiler takes it before or after */
    expect_text("__launch_bounds__((64 void k(int *p) { }", 0,
                "__launch_bounds__((64 void __attribute__((amdgpu_flat_work_group_size(1, 128))) "
                "k(int *p) { }");
}

TEST(the_note_says_what_is_promised)
{
    struct rewrite r;
    read_source("__global__ void k" BODY);
    assert_true(rewrite_launch_bounds(&tree, "k", 192, 0, &r));
    assert_string_equal(r.note,
                        "promises that no block is larger than the captured 192 work-items");
    free(r.text);
    assert_true(rewrite_launch_bounds(&tree, "k", 192, 3, &r));
    assert_string_equal(r.note, "promises that no block is larger than the captured 192 "
                                "work-items, and asks for 8 waves");
    free(r.text);
}

/* --- by a real compiler --- */

static uint32_t bound_of_built(const char *dir, const char *text)
{
    char path[128];
    struct program p;
    struct code_object *c = NULL;
    struct error err = ERROR_INIT;
    snprintf(path, sizeof path, "%s/k.hip", dir);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    program_run(&p, DEVICE_COMPILE
                "'-D__launch_bounds__(n, ...)=__attribute__((amdgpu_flat_work_group_size(1, n)))' "
                "-Werror -O2 $D/k.hip -o $D/k.hsaco");
    if (p.status != 0)
        fail_msg("%s\n%s", text, p.err);
    program_free(&p);
    snprintf(path, sizeof path, "%s/k.hsaco", dir);
    assert_int_equal(code_object_open(&c, path, NULL, &err), 0);
    const struct code_kernel *k = code_object_kernel(c, "k");
    assert_non_null(k);
    const uint32_t most = k->max_flat_workgroup_size;
    code_object_free(c);
    return most;
}

TEST(the_compiler_keeps_the_bound)
{
#define SOURCE(bounds) "extern \"C\" __attribute__((global)) void " bounds "k(int *p) { *p = 1; }\n"
    static const char *const sources[] = {SOURCE(""), SOURCE("__launch_bounds__(256) "),
                                          SOURCE("__attribute__((amdgpu_flat_work_group_size(64, "
                                                 "256))) ")};
    char dir[] = "/tmp/rooftop-test-XXXXXX";
    struct program p;
    struct rewrite r;
    need_device_compiler();
    assert_non_null(mkdtemp(dir));
    setenv("D", dir, 1);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        assert_int_equal(bound_of_built(dir, sources[i]), i ? 256 : 1024);
        for (size_t number = 0; number < 4; number++) {
            read_source(sources[i]);
            if (!rewrite_launch_bounds(&tree, "k", 128, number, &r))
                continue;
            assert_int_equal(bound_of_built(dir, r.text), 128);
            free(r.text);
        }
    }
    program_run(&p, "rm -rf $D");
    program_free(&p);
}
