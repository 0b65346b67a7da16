/* Types of memory: values, text, and comparison with tolerances, chunk by chunk. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/capture/memory_compare.h"
#include "support/test.h"

TEST(texts)
{
    static const struct {
        enum memory_type t;
        uint64_t bits;
        const char *text;
    } rows[] = {
        {MEMORY_U8, 255, "255"},
        {MEMORY_I8, 255, "-1"},
        {MEMORY_I16, 0x8000, "-32768"},
        {MEMORY_U32, 0xffffffff, "4294967295"},
        {MEMORY_I32, 0x80000000, "-2147483648"},
        {MEMORY_U64, UINT64_MAX, "18446744073709551615"},
        {MEMORY_I64, (uint64_t)1 << 63, "-9223372036854775808"},
        {MEMORY_F16, 0x3c00, "1"},
        {MEMORY_F16, 0x2e66, "0.1"},
        {MEMORY_F16, 0x7bff, "6.55e+04"},
        {MEMORY_F16, 0x0001, "6e-08"},
        {MEMORY_F16, 0x03ff, "6.1e-05"},
        {MEMORY_F16, 0xfc00, "-inf"},
        {MEMORY_F16, 0x7e00, "nan"},
        {MEMORY_F16, 0x8000, "-0"},
        {MEMORY_BF16, 0x3f80, "1"},
        {MEMORY_BF16, 0x4049, "3.14"},
        {MEMORY_BF16, 0x7f80, "inf"},
        {MEMORY_F32, 0x3dcccccd, "0.1"},
        {MEMORY_F32, 0x3eaaaaab, "0.33333334"},
        {MEMORY_F32, 0x7f7fffff, "3.4028235e+38"},
        {MEMORY_F32, 1, "1e-45"},
        {MEMORY_F64, 0x3fb999999999999a, "0.1"},
        {MEMORY_F64, 0x3fd5555555555555, "0.3333333333333333"},
        {MEMORY_F64, 0xffefffffffffffff, "-1.7976931348623157e+308"},
    };
    char out[40];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memory_format_one(rows[i].t, rows[i].bits, out, sizeof out);
        assert_string_equal(out, rows[i].text);
    }
}

/* The 16-bit number nearest to v, found by trying all. */
static uint64_t nearest(enum memory_type t, double v)
{
    uint64_t best = 0;
    double least = HUGE_VAL;
    for (uint64_t b = 0; b < 0x10000; b++) {
        double d = fabs(memory_number(t, b) - v);
        if (d < least) {
            least = d;
            best = b;
        }
    }
    return best;
}

/* Text restores the same bits when read, and fits its column. */
TEST(texts_come_back)
{
    char out[40];
    for (int t = MEMORY_F16; t <= MEMORY_BF16; t++)
        for (uint64_t b = 1; b < 0x8000; b += 97) {
            double v = memory_number((enum memory_type)t, b);
            int n = memory_format_one((enum memory_type)t, b | 0x8000, out, sizeof out);
            assert_in_range(n, 1, memory_format_width((enum memory_type)t, MEMORY_LOOK_TYPE));
            if (isfinite(v))
                assert_int_equal(nearest((enum memory_type)t, -strtod(out, NULL)), b);
        }
    uint64_t bits = 0x9e3779b97f4a7c15;
    for (int i = 0; i < 20000; i++, bits = bits * 6364136223846793005u + 1442695040888963407u) {
        float f = (float)memory_number(MEMORY_F32, bits >> 32);
        double d = memory_number(MEMORY_F64, bits);
        int n = memory_format_one(MEMORY_F32, bits >> 32, out, sizeof out);
        assert_in_range(n, 1, memory_format_width(MEMORY_F32, MEMORY_LOOK_TYPE));
        assert_true(isnan(f) || strtof(out, NULL) == f);
        n = memory_format_one(MEMORY_F64, bits, out, sizeof out);
        assert_in_range(n, 1, memory_format_width(MEMORY_F64, MEMORY_LOOK_TYPE));
        assert_true(isnan(d) || strtod(out, NULL) == d);
    }
}

TEST(rows_of_memory)
{
    static const uint8_t bytes[] = {0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0, 0xfe, 0x01};
    char out[128];
    assert_string_equal(memory_format(MEMORY_U8, MEMORY_LOOK_HEX, bytes, 4, out, sizeof out),
                        "00 00 80 3f");
    assert_string_equal(memory_format(MEMORY_F32, MEMORY_LOOK_TYPE, bytes, 10, out, sizeof out),
                        "              1              -2 fe 01");
    assert_string_equal(memory_format(MEMORY_U32, MEMORY_LOOK_HEX, bytes, 8, out, sizeof out),
                        "3f800000 c0000000");
    assert_string_equal(memory_format(MEMORY_I16, MEMORY_LOOK_TYPE, bytes, 4, out, sizeof out),
                        "     0  16256");
    assert_string_equal(memory_format(MEMORY_BF16, MEMORY_LOOK_TYPE, bytes + 2, 2, out, 40),
                        "         1");
    assert_string_equal(memory_format(MEMORY_U8, MEMORY_LOOK_HEX, bytes, 10, out, 6), "00 00");
    assert_string_equal(memory_format(MEMORY_U8, MEMORY_LOOK_HEX, bytes, 0, out, 6), "");
}

TEST(names)
{
    static const struct {
        const char *c, *name; /* NULL: no type */
    } rows[] = {
        {"float", "f32"},
        {"float const*", "f32"},
        {"const double *", "f64"},
        {"unsigned int*", "u32"},
        {"unsigned char*", "u8"},
        {"_Float16", "f16"},
        {"half const* __restrict__", "f16"},
        {"__hip_bfloat16*", "bf16"},
        {"long", "i64"},
        {"int volatile*", "i32"},
        {"ns::pair*", NULL},
        {"", NULL},
        {"void*", NULL},
        {"|", NULL},
        {"unsigned", "u32"},
    };
    enum memory_type t, back;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(memory_type_of_c(rows[i].c, &t), rows[i].name != NULL);
        if (rows[i].name) {
            assert_string_equal(memory_type_name(t), rows[i].name);
            assert_true(memory_type_find(rows[i].name, &back) && back == t);
        }
    }
    assert_false(memory_type_find("f8", &t));
}

/* --- comparing --- */

static void run(struct memory_compare *c, enum memory_type type, const struct memory_tolerance *t,
                const void *a, const void *b, size_t n, size_t chunk)
{
    memory_compare_start(c, type, t, MEMORY_ROWS);
    for (size_t done = 0; done < n; done += chunk) {
        size_t now = n - done < chunk ? n - done : chunk;
        uint8_t *x = malloc(now), *y = malloc(now); /* of exactly this size, so that a sanitizer
                                                       notices reads beyond the end */
        assert_true(x && y);
        memcpy(x, (const char *)a + done, now);
        memcpy(y, (const char *)b + done, now);
        memory_compare_feed(c, x, y, now);
        free(x);
        free(y);
    }
    bool same = memory_compare_finish(c);
    assert_int_equal(same, c->differing == 0);
    assert_int_equal(c->bytes, n);
}

static void one(struct memory_compare *c, double absolute, double relative, uint64_t ulps,
                enum memory_nan nan, float a, float b)
{
    struct memory_tolerance t = {
        .absolute = absolute, .relative = relative, .ulps = ulps, .nan = nan};
    run(c, MEMORY_F32, &t, &a, &b, sizeof a, 4);
}

TEST(tolerances)
{
    static struct memory_compare c;
    float inf = HUGE_VALF;
    one(&c, 0, 0, 0, MEMORY_NAN_EQUAL, 1.0f, 1.0f);
    assert_true(c.unequal == 0 && c.differing == 0 && c.elements == 1);
    one(&c, 0, 0, 0, MEMORY_NAN_EQUAL, 0.0f, -0.0f);
    assert_true(c.unequal == 1 && c.differing == 0 && c.max_absolute == 0);
    one(&c, 0, 0, 0, MEMORY_NAN_EQUAL, 1.0f, nextafterf(1.0f, 2));
    assert_true(c.differing == 1 && c.max_ulps == 1);
    one(&c, 0, 0, 1, MEMORY_NAN_EQUAL, 1.0f, nextafterf(1.0f, 2));
    assert_true(c.differing == 0 && c.unequal == 1);
    one(&c, 0.5, 0, 0, MEMORY_NAN_EQUAL, 100.5f, 100.0f);
    assert_true(c.differing == 0 && c.max_absolute == 0.5 && c.max_relative == 0.005);
    one(&c, 0.49, 0, 0, MEMORY_NAN_EQUAL, 100.5f, 100.0f);
    assert_int_equal(c.differing, 1);
    one(&c, 0, 0.005, 0, MEMORY_NAN_EQUAL, 100.5f, 100.0f);
    assert_int_equal(c.differing, 0);
    one(&c, 0, 0.5, 0, MEMORY_NAN_EQUAL, 1.0f, 0.0f); /* relative to the oracle, which is 0 */
    assert_true(c.differing == 1 && isinf(c.max_relative));
    /* no tolerance makes an infinity equal to a number */
    one(&c, 1e30, 1e30, 0, MEMORY_NAN_EQUAL, inf, 1.0f);
    assert_true(c.differing == 1 && isinf(c.max_absolute));
    one(&c, 1e30, 1, UINT64_MAX, MEMORY_NAN_EQUAL, 1.0f, inf);
    assert_int_equal(c.differing, 1);
    one(&c, 0, 0, 0, MEMORY_NAN_EQUAL, -inf, -inf);
    assert_int_equal(c.differing, 0);
    one(&c, 0, 0, 0, MEMORY_NAN_EQUAL, -1.0f, 1.0f);
    assert_int_equal(c.max_ulps, 2u * 0x3f800000u);
}

TEST(nan_by_each_rule)
{
    static const uint32_t quiet = 0x7fc00000, other = 0x7fc00001, number = 0x3f800000;
    static const struct {
        enum memory_nan rule;
        const uint32_t *a, *b;
        bool passes;
    } rows[] = {
        {MEMORY_NAN_EQUAL, &quiet, &other, true},   {MEMORY_NAN_EQUAL, &quiet, &number, false},
        {MEMORY_NAN_EQUAL, &number, &quiet, false}, {MEMORY_NAN_BITS, &quiet, &quiet, true},
        {MEMORY_NAN_BITS, &quiet, &other, false},   {MEMORY_NAN_NEVER, &quiet, &quiet, false},
    };
    static struct memory_compare c;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory_tolerance t = {.nan = rows[i].rule, .absolute = 1e300, .ulps = UINT64_MAX};
        run(&c, MEMORY_F32, &t, rows[i].a, rows[i].b, 4, 4);
        assert_int_equal(c.differing, !rows[i].passes);
        assert_int_equal(c.nans, !rows[i].passes);
        assert_true(c.max_absolute == 0);
    }
    struct memory_tolerance exact = {.exact = true, .nan = MEMORY_NAN_NEVER};
    run(&c, MEMORY_F32, &exact, &quiet, &quiet, 4, 4);
    assert_int_equal(c.differing, 0);
    run(&c, MEMORY_F32, &exact, &quiet, &other, 4, 4);
    assert_int_equal(c.differing, 1);
}

TEST(integers)
{
    static struct memory_compare c;
    struct memory_tolerance t = {.absolute = 2};
    int8_t a[] = {-128, 127, 0, -1}, b[] = {127, 125, 1, -4};
    uint64_t x = UINT64_MAX, y = UINT64_MAX - 3;
    run(&c, MEMORY_I8, &t, a, b, 4, 3);
    assert_int_equal(c.differing, 2);
    assert_true(c.max_absolute == 255 && c.max_absolute_at == 0);
    assert_true(c.rows[1].offset == 3 && c.rows[1].result == 0xff && c.rows[1].oracle == 0xfc);
    run(&c, MEMORY_U64, &t, &x, &y, 8, 8); /* the difference is too small for a double */
    assert_true(c.differing == 1 && c.max_absolute == 3 && c.max_ulps == 3);
    t.absolute = 3;
    run(&c, MEMORY_U64, &t, &x, &y, 8, 5);
    assert_int_equal(c.differing, 0);
}

/* The result does not depend on how memory is divided into chunks. */
TEST(chunks)
{
    enum { N = 40000 };
    static struct memory_compare whole, parts;
    struct memory_tolerance t = {.relative = 1e-3};
    uint32_t *a = calloc(N, 4), *b = calloc(N, 4), x = 1;
    assert_true(a && b);
    for (size_t i = 0; i < N; i++) {
        x = x * 1664525 + 1013904223;
        a[i] = b[i] = 0x3f800000 | x >> 9;
        if (x % 97 == 0)
            b[i] ^= x >> 8 & 0x7ffff;
    }
    run(&whole, MEMORY_F32, &t, a, b, 4 * N - 1, 4 * N);
    assert_in_range(whole.differing, 10, N / 97);
    assert_true(whole.unequal > whole.differing && whole.elements == N - 1);
    static const size_t sizes[] = {1, 2, 3, 5, 4095, 4096, 4097, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        run(&parts, MEMORY_F32, &t, a, b, 4 * N - 1, sizes[i]);
        memset(parts.carry_result, 0, 8), memset(whole.carry_result, 0, 8);
        memset(parts.carry_oracle, 0, 8), memset(whole.carry_oracle, 0, 8);
        assert_memory_equal(&parts, &whole, sizeof whole);
    }
    free(a);
    free(b);
}

TEST(ranges_of_differences)
{
    enum { N = 1 << 16 };
    static struct memory_compare c;
    struct memory_tolerance t = {.exact = true};
    uint8_t *a = calloc(1, N), *b = calloc(1, N);
    uint64_t sum = 0;
    assert_true(a && b);
    memset(a + 100, 1, 28);
    a[N - 1] = 1; /* a byte behind the last whole element */
    run(&c, MEMORY_U16, &t, a, b, N - 2, 1000);
    assert_int_equal(c.nranges, 1);
    assert_true(c.ranges[0].begin == 100 && c.ranges[0].end == 128);
    assert_int_equal(c.ranges[0].differing, 14);
    assert_false(c.joined);
    run(&c, MEMORY_U32, &t, a + 1, b + 1, N - 1, 1 << 20);
    assert_int_equal(c.nranges, 2);
    assert_true(c.ranges[1].begin == N - 4 && c.ranges[1].end == N - 1);
    assert_int_equal(c.rows[c.nrows - 1].result, 0x10000);
    for (size_t i = 0; i < N; i += 8) /* more ranges than there is room for */
        a[i] = 7;
    run(&c, MEMORY_U8, &t, a, b, N, N);
    assert_true(c.joined);
    assert_in_range(c.nranges, 1, MEMORY_RANGES);
    assert_int_equal(c.nrows, MEMORY_ROWS);
    for (uint32_t i = 0; i < c.nranges; i++) {
        sum += c.ranges[i].differing;
        assert_true(c.ranges[i].begin < c.ranges[i].end);
        assert_true(i == 0 || c.ranges[i - 1].end < c.ranges[i].begin);
    }
    assert_int_equal(sum, c.differing);
    memory_compare_start(&c, MEMORY_U8, &t, 2);
    memory_compare_feed(&c, a, b, N);
    memory_compare_feed(&c, a, b, 0);
    assert_false(memory_compare_finish(&c));
    assert_int_equal(c.nrows, 2);
    free(a);
    free(b);
}
