/* Which captured arrays may get fresh values, and which values these are: never larger, with the
 * same sign, in the same order. */
#include "engine/judge_gpu/gpu_inputs.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { N = 200 };

static struct gpu_input array_of(enum memory_type t, size_t size, bool typed, bool said)
{
    return (struct gpu_input){.size = size, .type = t, .typed = typed, .said = said};
}

TEST(test_looks)
{
    static float real[N];
    static double wide[N];
    static uint32_t whole[N];
    static uint64_t addresses[N];
    static float zeros[N], hugely[N];
    for (int i = 0; i < N; i++) {
        real[i] = i % 7 ? (float)i * -0.25f : 0;
        wide[i] = sin(i) * 100;
        whole[i] = (uint32_t)i;
        addresses[i] = UINT64_C(0x7f12a0000000) + 64 * (uint64_t)i;
        hugely[i] = 1e30f;
    }
    const struct {
        const void *bytes;
        size_t size;
        bool bears;
        enum memory_type type;
    } cases[] = {
        {real, sizeof real, true, MEMORY_F32},    {wide, sizeof wide, true, MEMORY_F64},
        {whole, sizeof whole, false, MEMORY_F32}, {addresses, sizeof addresses, false, MEMORY_F32},
        {zeros, sizeof zeros, false, MEMORY_F32}, {hugely, sizeof hugely, false, MEMORY_F32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_input in = array_of(MEMORY_U8, cases[i].size, false, false);
        if (gpu_input_bears(&in, cases[i].bytes, MEMORY_TYPES) != cases[i].bears)
            fail_msg("case %zu", i);
        if (cases[i].bears)
            assert_int_equal(in.type, cases[i].type);
    }
    /* whose type is known needs no looks */
    struct gpu_input known = array_of(MEMORY_F32, sizeof zeros, true, false);
    assert_true(gpu_input_bears(&known, zeros, MEMORY_TYPES));
}

static void vary_check(enum memory_type t, void *bytes, size_t size)
{
    const size_t each = memory_type_size(t), n = size / each;
    struct gpu_input in = array_of(t, size, true, false);
    static uint8_t kept[8 * N], once[8 * N];
    size_t changed = 0;
    memcpy(kept, bytes, size);
    gpu_input_vary(&in, bytes, 7);
    memcpy(once, bytes, size);
    for (size_t i = 0; i < n; i++) {
        const double was = memory_number(t, memory_bits(t, kept + i * each));
        const double is = memory_number(t, memory_bits(t, once + i * each));
        if (isnan(was) || isinf(was) || was == 0) {
            assert_memory_equal(kept + i * each, once + i * each, each);
            continue;
        }
        assert_true(signbit(was) == signbit(is));
        if (fabs(is) > fabs(was) || fabs(is) < fabs(was) / 4)
            fail_msg("%s: %g became %g", memory_type_name(t), was, is);
        changed += was != is;
    }
    assert_true(changed > n / 2);
    memcpy(bytes, kept, size);
    gpu_input_vary(&in, bytes, 7);
    assert_memory_equal(bytes, once, size); /* the same seed */
    memcpy(bytes, kept, size);
    gpu_input_vary(&in, bytes, 8);
    assert_memory_not_equal(bytes, once, size);
}

TEST(test_fresh_reals)
{
    static float f[N];
    static double d[N];
    static uint16_t h[N];
    for (int i = 0; i < N; i++) {
        f[i] = i == 3 ? INFINITY : i == 4 ? NAN : i % 9 ? sinf((float)i) * 50 : 0;
        d[i] = cos(i) * 1e-3;
        h[i] = (uint16_t)((i * 7919) & 0x8fff) | 0x2000;
    }
    vary_check(MEMORY_F32, f, sizeof f);
    vary_check(MEMORY_F64, d, sizeof d);
    vary_check(MEMORY_F16, h, sizeof h);
    vary_check(MEMORY_BF16, h, sizeof h);
}

TEST(test_order_is_kept)
{
    static float f[N], was[N];
    struct gpu_input in = array_of(MEMORY_F32, sizeof f, true, false);
    for (int i = 0; i < N; i++) {
        const int step = i / 3; /* equal neighbours, too */
        f[i] = was[i] = (float)step * 0.37f - 20;
    }
    gpu_input_vary(&in, f, 99);
    for (int i = 1; i < N; i++)
        assert_true(f[i - 1] <= f[i] && fabsf(f[i]) <= fabsf(was[i]));
    assert_true(f[0] != was[0]);
}

/* Between the smallest and the largest captured one: what is used as an index stays in bounds. */
TEST(test_fresh_whole_numbers)
{
    static int16_t s[N];
    static uint64_t u[N];
    struct gpu_input in = array_of(MEMORY_I16, sizeof s, true, true);
    bool some = false;
    for (int i = 0; i < N; i++) {
        s[i] = (int16_t)(i % 50 - 20);
        u[i] = i % 2 ? UINT64_MAX : 0;
    }
    gpu_input_vary(&in, s, 5);
    for (int i = 0; i < N; i++) {
        assert_in_range((int)s[i] + 100, 80, 129);
        some |= s[i] != (int16_t)(i % 50 - 20);
    }
    assert_true(some);
    in = array_of(MEMORY_U64, sizeof u, true, true);
    gpu_input_vary(&in, u, 5); /* all numbers: no division by a range of 2^64 */
    assert_true(u[0] != u[1] && u[0] != u[2]);
}

/* Only what lies wholly in the part; an array in order stays so. */
TEST(test_a_part)
{
    static float f[N], was[N], ramp[N];
    static int32_t w[N];
    struct gpu_input in = array_of(MEMORY_F32, sizeof f, true, false);
    for (int i = 0; i < N; i++) {
        f[i] = was[i] = sinf((float)i) * 50;
        ramp[i] = (float)i;
        w[i] = i % 7;
    }
    gpu_input_vary_part(&in, f, 62, 64, 3); /* bytes 62 to 125: values 16 to 30 */
    for (int i = 0; i < N; i++)
        assert_true((f[i] != was[i]) == (i >= 16 && i <= 30) && fabsf(f[i]) <= fabsf(was[i]));
    gpu_input_vary_part(&in, f, sizeof f - 8, 64, 3); /* no further than the array */
    assert_true(f[N - 1] != was[N - 1] && f[N - 3] == was[N - 3]);
    gpu_input_vary_part(&in, ramp, 64, 64, 3);
    for (int i = 1; i < N; i++)
        assert_true(ramp[i - 1] <= ramp[i]);
    assert_true(ramp[16] == 16 && ramp[31] == 16 && ramp[32] == 32);
    in = array_of(MEMORY_I32, sizeof w, true, true);
    gpu_input_vary_part(&in, w, 64, 64, 3);
    for (int i = 0; i < N; i++)
        assert_true(w[i] >= 0 && w[i] <= 6 && (w[i] == i % 7 || (i >= 16 && i < 32)));
}
