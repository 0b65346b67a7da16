/* Reads code objects of every version that clang makes, and refuses damaged ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/code/code_object.h"
#include "support/code_made.h"
#include "support/test.h"

static struct code_object *opened(const char *name)
{
    struct code_object *c;
    struct error err = ERROR_INIT;
    if (code_object_open(&c, code_path(name), NULL, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return c;
}

TEST(kernels)
{
    struct code_object *c = opened("reduce.gfx942.v5.hsaco");
    assert_int_equal(c->version, 5);
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx942");
    assert_int_equal(c->nkernels, 2);
    const struct code_kernel *k = code_object_kernel(c, "reduce_sum");
    assert_non_null(k);
    assert_string_equal(k->symbol, "reduce_sum.kd");
    assert_string_equal(k->demangled, "reduce_sum");
    assert_int_equal(k->kernarg_size, 280);
    assert_int_equal(k->kernarg_align, 8);
    assert_int_equal(k->group_size, 1024);
    assert_int_equal(k->private_size, 0);
    assert_int_equal(k->wavefront_size, 64);
    assert_int_equal(k->max_flat_workgroup_size, 1024);
    assert_int_equal(k->agprs, 0);
    assert_int_equal(k->vgpr_spills, 0);
    assert_in_range(k->vgprs, 1, 512);
    assert_in_range(k->sgprs, 1, 128);
    assert_int_equal(k->required_workgroup_size[0], CODE_UNKNOWN);
    assert_int_equal(k->nargs, 16);
    assert_int_equal(k->nexplicit, 3);
    assert_int_equal(k->args[0].kind, CODE_ARG_GLOBAL_BUFFER);
    assert_string_equal(k->args[0].address_space, "global");
    assert_int_equal(k->args[2].kind, CODE_ARG_BY_VALUE);
    assert_int_equal(k->args[2].offset, 16);
    assert_int_equal(k->args[2].size, 4);
    assert_int_equal(k->args[15].kind, CODE_ARG_GRID_DIMS);
    assert_int_equal(k->args[15].offset, 88);
    /* the descriptor agrees with the metadata */
    assert_true(k->has_descriptor);
    assert_int_equal(k->descriptor.kernarg_size, 280);
    assert_int_equal(k->descriptor.group_size, 1024);
    assert_false(k->descriptor.wave32 || k->dynamic_stack);
    assert_int_equal(k->descriptor.entry % 256, 0);
    assert_in_range(k->code_size, 4, 4096);
    assert_ptr_equal(code_object_kernel(c, "reduce_sum.kd"), k);
    assert_null(code_object_kernel(c, "reduce"));
    code_object_free(c);
}

/* Positions of the fields in the 64 bytes of a kernel descriptor, from LLVM's guide: each field is
 * set alone in a copy of the file. */
TEST(the_descriptor_is_read_bit_by_bit)
{
    size_t n;
    struct error err = ERROR_INIT;
    uint8_t *file = code_file("reduce.gfx942.v5.hsaco", &n);
    struct code_object *c = opened("reduce.gfx942.v5.hsaco");
    struct code_descriptor was = code_object_kernel(c, "reduce_sum")->descriptor;
    code_object_free(c);
    const uint32_t head[3] = {was.group_size, was.private_size, was.kernarg_size};
    uint8_t *at = memmem(file, n, head, sizeof head);
    assert_non_null(at);
    for (int bit = 0; bit < 16; bit++) {
        at[56] = (uint8_t)(1 << bit);
        at[57] = (uint8_t)(1 << bit >> 8);
        assert_int_equal(code_object_read(&c, file, n, "made", NULL, &err), 0);
        const struct code_descriptor *d = &code_object_kernel(c, "reduce_sum")->descriptor;
        assert_int_equal(d->properties, 1 << bit);
        assert_int_equal(d->wave32, bit == 10);
        assert_int_equal(d->dynamic_stack, bit == 11);
        code_object_free(c);
    }
    static const uint8_t words[] = {44, 48, 52, 58};
    for (size_t i = 0; i < sizeof words; i++) {
        for (size_t k = 0; k < sizeof words; k++)
            at[words[k]] = k == i ? 0xa5 : 0;
        at[58] = i == 3 ? 0xa5 : 0;
        assert_int_equal(code_object_read(&c, file, n, "made", NULL, &err), 0);
        const struct code_descriptor *d = &code_object_kernel(c, "reduce_sum")->descriptor;
        assert_int_equal(d->rsrc3 & 255, i == 0 ? 0xa5 : 0);
        assert_int_equal(d->rsrc1 & 255, i == 1 ? 0xa5 : 0);
        assert_int_equal(d->rsrc2 & 255, i == 2 ? 0xa5 : 0);
        assert_int_equal(d->preload & 255, i == 3 ? 0xa5 : 0);
        code_object_free(c);
    }
    free(file);
}

TEST(names_of_people)
{
    struct code_object *c = opened("typed.gfx942.v5.hsaco");
    const struct code_kernel *k =
        code_object_kernel(c, "_ZN2ns5scaleIfEEvPT_PKfS1_4pairPhDF16_m.kd");
    assert_non_null(k);
    assert_string_equal(k->demangled, "void ns::scale<float>(float*, float const*, float, pair, "
                                      "unsigned char*, _Float16, unsigned long)");
    assert_null(code_object_kernel(c, "ns::scale")); /* two kernels have this name */
    assert_ptr_equal(code_object_kernel(c, "void ns::scale<float>"), k);
    const struct code_kernel *i = code_object_kernel(c, "indirect");
    assert_non_null(i);
    assert_true(i->dynamic_stack && i->descriptor.dynamic_stack);
    assert_int_equal(code_object_kernel(c, "fixed_size")->max_flat_workgroup_size, 128);
    code_object_free(c);
}

static const struct code_variable *variable(const struct code_object *c, const char *name)
{
    for (uint32_t i = 0; i < c->nvariables; i++)
        if (strcmp(c->variables[i].name, name) == 0)
            return &c->variables[i];
    return NULL;
}

TEST(variables)
{
    struct code_object *c = opened("typed.gfx942.v5.hsaco");
    const struct code_variable *v = variable(c, "counter");
    assert_non_null(v);
    assert_true(v->global && v->writable && v->size == 4);
    assert_memory_equal(v->initial, "\7\0\0\0", 4);
    v = variable(c, "table");
    assert_true(v && v->size == 12 && !v->initial);
    v = variable(c, "_ZL14hidden_counter");
    assert_true(v && !v->global && v->writable && v->initial && v->initial[0] == 9);
    v = variable(c, "_ZL5fixed");
    assert_true(v && !v->writable && v->size == 4);
    for (uint32_t i = 0; i < c->nvariables; i++) {
        assert_null(strstr(c->variables[i].name, ".kd"));
        assert_true(i == 0 || c->variables[i - 1].address < c->variables[i].address);
    }
    code_object_free(c);
    c = opened("memory.gfx90a.v5.hsaco");
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx90a");
    v = variable(c, "module_table");
    assert_true(v && v->size == 256 && !v->initial);
    code_object_free(c);
}

TEST(other_versions)
{
    struct code_object *c = opened("vector.gfx90a.v4.hsaco");
    assert_int_equal(c->version, 4);
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    const struct code_kernel *k = code_object_kernel(c, "saxpy");
    assert_int_equal(k->kernarg_size, 88);
    assert_int_equal(k->nexplicit, 4);
    assert_int_equal(k->nargs, 11);
    assert_int_equal(k->args[4].kind, CODE_ARG_GLOBAL_OFFSET_X);
    assert_int_equal(k->args[7].kind, CODE_ARG_NONE);
    code_object_free(c);
    c = opened("vector.gfx9.v6.hsaco");
    assert_int_equal(c->version, 6);
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx9-generic");
    assert_int_equal(c->nkernels, 4);
    code_object_free(c);
    /* version 3 is like 4, but without a target and with other flags */
    size_t n;
    uint8_t *elf = code_file("vector.gfx90a.v4.hsaco", &n);
    struct error err = ERROR_INIT;
    elf[8] = 1;
    elf[49] = 2;
    assert_int_equal(code_object_read(&c, elf, n, "v3", NULL, &err), 0);
    assert_int_equal(c->version, 3);
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-");
    assert_int_equal(code_object_kernel(c, "saxpy")->kernarg_size, 88);
    code_object_free(c);
    free(elf);
}

static const char *refused(const void *bytes, size_t n, const char *isa, struct error *err)
{
    struct code_object *c;
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    assert_true(code_object_read(&c, copy, n, "f", isa, err) < 0);
    assert_null(c);
    assert_int_equal(err->kind, ERROR_INPUT);
    assert_string_equal(err->what, "f");
    free(copy);
    return err->why;
}

TEST(bundles)
{
    struct error err = ERROR_INIT;
    struct code_object *c;
    size_t na, nb, n;
    uint8_t *a = code_file("vector.gfx90a.v4.hsaco", &na),
            *b = code_file("reduce.gfx942.v5.hsaco", &nb);
    const struct code_part parts[] = {
        {"host-x86_64-unknown-linux--", NULL, 0},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", a, na},
        {"hipv4-amdgcn-amd-amdhsa--gfx942", b, nb},
        {"hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", b, nb},
    };
    uint8_t *all = code_bundle(parts, 4, &n);
    assert_string_equal(refused(all, n, NULL, &err),
                        "a bundle of code for 3 targets: "
                        "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-, "
                        "hipv4-amdgcn-amd-amdhsa--gfx942, hipv4-amdgcn-amd-amdhsa--gfx942:xnack-");
    assert_non_null(
        strstr(refused(all, n, "gfx906", &err), "nothing in this bundle runs on gfx906"));
    assert_int_equal(code_object_read(&c, all, n, "f", "gfx942:sramecc+:xnack-", &err), 0);
    assert_ptr_equal(c->elf, all + n - nb); /* the more specific target */
    assert_int_equal(c->elf_size, nb);
    code_object_free(c);
    assert_int_equal(code_object_read(&c, all, n, "f", "gfx942:sramecc+:xnack+", &err), 0);
    assert_ptr_equal(c->elf, all + n - 2 * nb);
    assert_non_null(code_object_kernel(c, "reduce_sum"));
    code_object_free(c);
    for (size_t cut = 0; cut < n; cut += cut < 400 ? 1 : 211)
        refused(all, cut, "gfx942:xnack-", &err);
    free(all);
    all = code_bundle(parts, 2, &n);
    assert_int_equal(code_object_read(&c, all, n, "f", NULL, &err), 0); /* the only one */
    code_object_free(c);
    memset(all + 24, 0xff, 8);
    assert_non_null(strstr(refused(all, n, NULL, &err), "too many entries"));
    free(all);
    all = code_bundle(parts, 1, &n);
    assert_non_null(strstr(refused(all, n, NULL, &err), "without code for AMD's GPUs"));
    free(all);
    free(a);
    free(b);
}

TEST(what_is_refused)
{
    static struct code_made m;
    struct error err = ERROR_INIT;
    size_t n;
    assert_string_equal(refused("", 0, NULL, &err), "byte 0: not an ELF file");
    made_map(&m, 1);
    made_text(&m, "amdhsa.kernels");
    made_array(&m, 1);
    made_map(&m, 3);
    made_text(&m, ".name"), made_text(&m, "k");
    made_text(&m, ".symbol"), made_text(&m, "k.kd");
    made_text(&m, ".args"), made_array(&m, CODE_ARGS_MAX + 1);
    for (unsigned i = 0; i <= CODE_ARGS_MAX; i++)
        made_byte(&m, 0x80);
    uint8_t *elf = code_made_elf(&m, &n);
    assert_string_equal(refused(elf, n, NULL, &err), "kernel k has 4097 arguments");
    elf[64] = 1; /* the note is not recognised any more */
    assert_string_equal(refused(elf, n, NULL, &err),
                        "it has no metadata, so that nothing is known of its kernels");
    elf[64] = 4;
    elf[96 + 7] = 0x7f; /* p_filesz */
    assert_string_equal(refused(elf, n, NULL, &err), "byte 64: notes pass the end");
    free(elf);
    elf = code_file("reduce.gfx942.v5.hsaco", &n);
    elf[48] = 0xee; /* an unknown processor in the flags; the metadata has its name */
    struct code_object *c;
    assert_int_equal(code_object_read(&c, elf, n, "f", NULL, &err), 0);
    assert_string_equal(c->isa, "amdgcn-amd-amdhsa--gfx942");
    code_object_free(c);
    free(elf);
    assert_true(code_object_open(&c, "tests/data/gpu/hsaco/absent", NULL, &err) == -2 && !c);
    assert_true(code_object_open(&c, "tests/data/gpu/hsaco", NULL, &err) < 0 && !c);
    assert_string_equal(err.why, "not a file");
}
