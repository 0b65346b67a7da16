/* Decodes arguments of kernels that clang compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/capture/kernarg.h"
#include "support/code_made.h"
#include "support/test.h"

enum { BUFFER = 512 };

static struct code_object *typed, *reduce, *v4;

FIXTURE_STATUS(begin)
{
    struct error err = ERROR_INIT;
    return code_object_open(&typed, code_path("typed.gfx942.v5.hsaco"), NULL, &err) ||
           code_object_open(&reduce, code_path("reduce.gfx942.v5.hsaco"), NULL, &err) ||
           code_object_open(&v4, code_path("vector.gfx90a.v4.hsaco"), NULL, &err);
}

FIXTURE(end)
{
    code_object_free(typed);
    code_object_free(reduce);
    code_object_free(v4);
}

static void put(uint8_t *buffer, size_t at, uint64_t v, size_t n)
{
    memcpy(buffer + at, &v, n);
}

static uint64_t get(const uint8_t *buffer, size_t at, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, buffer + at, n);
    return v;
}

static const char *told(const struct kernarg *a, uint32_t slot)
{
    static char out[512];
    return kernarg_format(&a->slots[slot], out, sizeof out);
}

/* scale<float>(float*, float const*, float, pair, unsigned char*, _Float16, unsigned long) */
TEST(types_from_the_name)
{
    static const struct kernarg_region regions[] = {{0x7f0000000000, 0x1000}, {0x7f0000001000, 64}};
    const struct code_kernel *k = code_object_kernel(typed, "void ns::scale<float>");
    uint8_t buffer[64] = {0};
    struct kernarg a;
    put(buffer, 0, 0x7f0000000010, 8);
    put(buffer, 8, 0x7f0000001000, 8);
    put(buffer, 16, 0x3dcccccd, 4);
    put(buffer, 24, 3, 4);
    put(buffer, 40, 0x1234, 8);
    put(buffer, 48, 0xc500, 2);
    put(buffer, 56, UINT64_MAX, 8);
    kernarg_decode(&a, k, buffer, sizeof buffer, regions, 2);
    assert_int_equal(a.n, 7);
    assert_string_equal(a.slots[0].c_type, "float*");
    assert_int_equal(a.slots[0].type, KERNARG_POINTER);
    assert_true(a.slots[0].element_known && a.slots[0].element == MEMORY_F32);
    assert_string_equal(told(&a, 0), "0x7f0000000010 (region 0 + 0x10)");
    assert_string_equal(a.slots[1].c_type, "float const*");
    /* not the end of region 0 */
    assert_string_equal(told(&a, 1), "0x7f0000001000 (region 1 + 0x0)");
    assert_string_equal(told(&a, 2), "0.1");
    assert_string_equal(a.slots[3].c_type, "pair");
    assert_string_equal(told(&a, 3), "{03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00}");
    assert_true(a.slots[4].element == MEMORY_U8 && a.slots[4].region == -1);
    assert_string_equal(told(&a, 4), "0x1234 (in no captured region)");
    assert_string_equal(told(&a, 5), "-5");
    assert_string_equal(told(&a, 6), "18446744073709551615");
    kernarg_free(&a);
    kernarg_decode(&a, k, buffer, 50, regions, 2); /* the buffer is too short */
    assert_int_equal(a.slots[5].type, KERNARG_NUMBER);
    assert_int_equal(a.slots[6].type, KERNARG_MISSING);
    assert_null(a.slots[6].bytes);
    assert_string_equal(told(&a, 6), "n/a: the arguments end before it");
    kernarg_free(&a);
}

TEST(types_that_nobody_wrote)
{
    const struct code_kernel *k = code_object_kernel(v4, "daxpy");
    static const struct kernarg_region region = {0x1000, 0x100};
    uint8_t buffer[BUFFER] = {0};
    struct kernarg a;
    put(buffer, 0, 0x3ff8000000000000, 8);
    put(buffer, 8, 0x1080, 8);
    put(buffer, 16, 0x1100, 8);
    put(buffer, 24, 1000, 4);
    kernarg_decode(&a, k, buffer, sizeof buffer, &region, 1);
    assert_string_equal(a.slots[0].c_type, "");
    assert_string_equal(told(&a, 0),
                        "0x3ff8000000000000 (4609434218613702656 as integer, 1.5 as float)");
    assert_string_equal(told(&a, 1), "0x1080 (region 0 + 0x80)");
    assert_string_equal(told(&a, 2), "0x1100 (region 0 + 0x100)"); /* its end */
    assert_string_equal(told(&a, 3), "0x000003e8 (1000 as integer, 1.401e-42 as float)");
    put(buffer, 0, 0x1004, 8); /* a program's number whose value is an address */
    kernarg_free(&a);
    kernarg_decode(&a, k, buffer, sizeof buffer, &region, 1);
    assert_string_equal(told(&a, 0), "0x1004 (region 0 + 0x4)");
    kernarg_free(&a);
}

static const struct code_arg *hidden(const struct code_kernel *k, enum code_arg_kind kind)
{
    for (uint32_t i = 0; i < k->nargs; i++)
        if (k->args[i].kind == kind)
            return &k->args[i];
    fail_msg("%s has no %s", k->name, code_arg_table[kind].name);
    return NULL;
}

static uint64_t slot(const uint8_t *buffer, const struct code_kernel *k, enum code_arg_kind kind)
{
    const struct code_arg *a = hidden(k, kind);
    return get(buffer, a->offset, a->size);
}

TEST(hidden_slots)
{
    const struct code_kernel *k = code_object_kernel(typed, "indirect");
    const struct kernarg_dispatch d = {
        .dimensions = 2, .grid = {1000, 7, 1}, .group = {256, 7, 1}, .group_segment_size = 64};
    const struct kernarg_runtime r = {.queue = 0x111, .hostcall_buffer = 0x222, .heap = 0x333};
    struct kernarg_rebound out;
    struct error err = ERROR_INIT;
    uint8_t buffer[BUFFER];
    memset(buffer, 0xaa, sizeof buffer);
    assert_int_equal(kernarg_rebind(k, &d, &r, buffer, sizeof buffer, &out, &err), 0);
    assert_int_equal(get(buffer, 0, 8), 0xaaaaaaaaaaaaaaaa); /* the program's arguments stay */
    assert_int_equal(slot(buffer, k, CODE_ARG_BLOCK_COUNT_X), 3);
    assert_int_equal(slot(buffer, k, CODE_ARG_BLOCK_COUNT_Y), 1);
    assert_int_equal(slot(buffer, k, CODE_ARG_BLOCK_COUNT_Z), 1);
    assert_int_equal(slot(buffer, k, CODE_ARG_GROUP_SIZE_X), 256);
    assert_int_equal(slot(buffer, k, CODE_ARG_GROUP_SIZE_Y), 7);
    assert_int_equal(slot(buffer, k, CODE_ARG_REMAINDER_X), 232);
    assert_int_equal(slot(buffer, k, CODE_ARG_REMAINDER_Y), 0);
    assert_int_equal(slot(buffer, k, CODE_ARG_GRID_DIMS), 2);
    assert_int_equal(slot(buffer, k, CODE_ARG_GLOBAL_OFFSET_X), 0xaaaaaaaaaaaaaaaa);
    assert_int_equal(slot(buffer, k, CODE_ARG_QUEUE_PTR), 0x111);
    assert_int_equal(slot(buffer, k, CODE_ARG_HOSTCALL_BUFFER), 0x222);
    assert_int_equal(slot(buffer, k, CODE_ARG_HEAP), 0x333);
    assert_int_equal(slot(buffer, k, CODE_ARG_MULTIGRID_SYNC), 0);
    assert_int_equal(out.launch, 10);
    assert_int_equal(out.bound, 3);
    assert_int_equal(out.kept, 3);
    assert_int_equal(out.empty, 3);
    assert_int_equal(out.empty_kinds, (uint64_t)1 << CODE_ARG_MULTIGRID_SYNC |
                                          (uint64_t)1 << CODE_ARG_DEFAULT_QUEUE |
                                          (uint64_t)1 << CODE_ARG_COMPLETION_ACTION);
    assert_int_equal(out.mysterious, 0);
    assert_int_equal(buffer[k->kernarg_size], 0xaa);
}

TEST(dispatches_have_one_to_three_dimensions)
{
    const struct code_kernel *k = code_object_kernel(typed, "indirect");
    for (unsigned dimensions = 0; dimensions < 6; dimensions++) {
        const struct kernarg_dispatch d = {.dimensions = dimensions,
                                           .grid = {1000, 7, 5},
                                           .group = {256, 7, 2},
                                           .group_segment_size = 64};
        const struct kernarg_runtime r = {.queue = 0x111};
        struct kernarg_rebound out;
        struct error err = ERROR_INIT;
        uint8_t buffer[BUFFER] = {0};
        int rc = kernarg_rebind(k, &d, &r, buffer, sizeof buffer, &out, &err);
        if (dimensions < 1 || dimensions > 3) {
            assert_true(rc < 0);
            assert_non_null(strstr(err.why, "1 to 3 dimensions"));
            continue;
        }
        assert_int_equal(rc, 0);
        assert_int_equal(slot(buffer, k, CODE_ARG_GRID_DIMS), dimensions);
        assert_int_equal(slot(buffer, k, CODE_ARG_BLOCK_COUNT_Z), 2);
        assert_int_equal(slot(buffer, k, CODE_ARG_REMAINDER_Z), 1);
    }
}

TEST(dynamic_lds)
{
    const struct code_kernel *k = code_object_kernel(reduce, "reverse_group");
    struct kernarg_dispatch d = {
        .dimensions = 1, .grid = {64, 1, 1}, .group = {64, 1, 1}, .group_segment_size = 4096};
    const struct kernarg_runtime none = {0};
    struct kernarg_rebound out;
    struct error err = ERROR_INIT;
    uint8_t buffer[BUFFER] = {0};
    assert_int_equal(kernarg_rebind(k, &d, &none, buffer, sizeof buffer, &out, &err), 0);
    assert_int_equal(slot(buffer, k, CODE_ARG_DYNAMIC_LDS_SIZE), 4096);
    /* values that are no valid dispatch */
    assert_int_equal(kernarg_rebind(k, &d, &none, buffer, 100, &out, &err), -22);
    assert_string_equal(err.why, "hidden_dynamic_lds_size is at byte 136 of 100");
    d.group[1] = 0;
    assert_int_equal(kernarg_rebind(k, &d, &none, buffer, sizeof buffer, &out, &err), -22);
    assert_string_equal(err.why, "a grid or group of no work-items");
    d.group[1] = 1;
    d.dimensions = 4;
    assert_int_equal(kernarg_rebind(k, &d, &none, buffer, sizeof buffer, &out, &err), -22);
    d.dimensions = 1;
    d.group_segment_size = 1000;
    k = code_object_kernel(reduce, "reduce_sum");
    assert_int_equal(kernarg_rebind(k, &d, &none, buffer, sizeof buffer, &out, &err), -22);
    assert_string_equal(err.why, "the dispatch has less LDS than the kernel needs");
}

TEST(another_build)
{
    struct error err = ERROR_INIT;
    struct code_object *v6;
    uint8_t from[BUFFER], to[BUFFER];
    assert_int_equal(code_object_open(&v6, code_path("vector.gfx9.v6.hsaco"), NULL, &err), 0);
    const struct code_kernel *a = code_object_kernel(v4, "saxpy"),
                             *b = code_object_kernel(v6, "saxpy");
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i + 1);
    memset(to, 0xff, sizeof to);
    assert_int_equal(kernarg_adopt(a, from, sizeof from, b, to, b->kernarg_size, &err), 0);
    assert_memory_equal(to, from, 4);
    assert_memory_equal(to + 8, from + 8, 20);
    assert_int_equal(get(to, 4, 4), 0); /* padding */
    assert_int_equal(slot(to, b, CODE_ARG_GLOBAL_OFFSET_Y),
                     slot(from, a, CODE_ARG_GLOBAL_OFFSET_Y));
    assert_int_equal(slot(to, b, CODE_ARG_BLOCK_COUNT_X), 0);
    assert_int_equal(to[b->kernarg_size], 0xff);
    assert_int_equal(kernarg_adopt(a, from, 20, b, to, sizeof to, &err), -22);
    assert_int_equal(kernarg_adopt(a, from, sizeof from, b, to, 20, &err), -22);
    const struct code_kernel *other = code_object_kernel(v6, "daxpy");
    assert_int_equal(kernarg_adopt(a, from, sizeof from, other, to, sizeof to, &err), -22);
    assert_string_equal(err.why, "argument 0 has 4 bytes there and 8 here");
    other = code_object_kernel(v6, "vector_add");
    assert_int_equal(kernarg_adopt(a, from, sizeof from, other, to, sizeof to, &err), -22);
    assert_string_equal(err.why, "argument 0 is by_value there and global_buffer here");
    other = code_object_kernel(v6, "increment");
    assert_int_equal(kernarg_adopt(a, from, sizeof from, other, to, sizeof to, &err), -22);
    assert_string_equal(err.why, "4 arguments there and 3 here");
    code_object_free(v6);
}

TEST_MAIN(begin, end)
