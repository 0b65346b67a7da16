// Kernels whose operations take many instructions or special ones: division, square roots,
// conversions, bits, halves, packed numbers, divergent branches. Results as the CPU computes them.
#include "support/run_kernel.h"
#include "gcn/number.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1500, GROUP = 128 };

static struct gpu gpu;

FIXTURE(open_gpu)
{
    gpu_open(&gpu);
}
FIXTURE(close_gpu)
{
    gpu_close(&gpu);
}

// Every bit pattern is as likely as another; small numbers come often.
static uint32_t scramble(uint32_t i)
{
    uint32_t x = i * 2654435761u + 12345;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return i % 3 == 0 ? x >> (i % 29) : x;
}

// Runs a kernel with two inputs and one output at each level; check is called with what came out.
static void each_level(const char *file, const char *name, const void *a, const void *b,
                       size_t in_size, size_t out_size, void (*check)(const void *out, int level))
{
    void *da = gpu_upload(&gpu, a, in_size), *db = b ? gpu_upload(&gpu, b, in_size) : NULL;
    void *out = malloc(out_size);
    assert_non_null(out);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension(file, name, level, N, GROUP);
        struct arguments arguments = {0};
        void *d = gpu_allocate(&gpu, out_size);
        ARGUMENT(&arguments, void *, da);
        if (b)
            ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(out, d, out_size);
        gpu_free(d);
        check(out, level);
    }
    free(out);
    gpu_free(da);
    if (b)
        gpu_free(db);
}

static int32_t ia[N], ib[N];
static void check_int_divide(const void *out, int level)
{
    const int32_t *o = out;
    for (int i = 0; i < N; i++, o += 4) {
        const uint32_t ua = (uint32_t)ia[i], ub = (uint32_t)ib[i];
        if (o[0] != ia[i] / ib[i] || o[1] != ia[i] % ib[i] || (uint32_t)o[2] != ua / ub ||
            (uint32_t)o[3] != ua % ub)
            gpu_fail(__FILE__, __LINE__, "int_divide at -O%d: %d / %d gave %d, %d, %u, %u", level,
                     ia[i], ib[i], o[0], o[1], (unsigned)o[2], (unsigned)o[3]);
    }
}
TEST(test_int_divide)
{
    for (uint32_t i = 0; i < N; i++) {
        ia[i] = (int32_t)scramble(i);
        ib[i] = (int32_t)scramble(i + 77777);
        if (ib[i] == 0 || (ia[i] == INT32_MIN && ib[i] == -1))
            ib[i] = 3;
    }
    each_level("arithmetic", "int_divide", ia, ib, sizeof ia, sizeof(int32_t) * 4 * N,
               check_int_divide);
}

static int64_t la[N], lb[N];
static void check_long_divide(const void *out, int level)
{
    const int64_t *o = out;
    for (int i = 0; i < N; i++, o += 4) {
        const uint64_t ua = (uint64_t)la[i], ub = (uint64_t)lb[i];
        if (o[0] != la[i] / lb[i] || o[1] != la[i] % lb[i] || (uint64_t)o[2] != ua / ub ||
            (uint64_t)o[3] != ua % ub)
            gpu_fail(__FILE__, __LINE__, "long_divide at -O%d: %ld / %ld gave %ld, %ld, %lu, %lu",
                     level, la[i], lb[i], o[0], o[1], (unsigned long)o[2], (unsigned long)o[3]);
    }
}
TEST(test_long_divide)
{
    for (uint32_t i = 0; i < N; i++) {
        la[i] = (int64_t)((uint64_t)scramble(i) << 32 | scramble(i + 5));
        lb[i] = (int64_t)((uint64_t)(i % 2 ? scramble(i + 9) : 0) << 32 | scramble(i + 99));
        if (lb[i] == 0 || lb[i] == -1)
            lb[i] = 7;
    }
    each_level("arithmetic", "long_divide", la, lb, sizeof la, sizeof(int64_t) * 4 * N,
               check_long_divide);
}

static float fa[N], fb[N];
static void fill_floats(void)
{
    for (uint32_t i = 0; i < N; i++) {
        fa[i] = f32(i % 4 ? scramble(i) : b32((float)i * 0.37f - 100));
        fb[i] = f32(i % 4 ? scramble(i + 3333) : b32((float)i - 750.5f));
        if (isnan(fa[i])) // quiet ones: what min and max do with others is not the same everywhere
            fa[i] = NAN;
        if (isnan(fb[i]))
            fb[i] = NAN;
    }
}
static bool same32(float a, float b)
{
    return (isnan(a) && isnan(b)) || b32(a) == b32(b);
}

TEST(test_float_divide)
{
    static float q[N];
    static double dq[N];
    fill_floats();
    void *da = gpu_upload(&gpu, fa, sizeof fa), *db = gpu_upload(&gpu, fb, sizeof fb);
    void *ddq = gpu_allocate(&gpu, sizeof dq), *dqf = gpu_allocate(&gpu, sizeof q);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("arithmetic", "float_divide", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, dqf);
        ARGUMENT(&arguments, void *, ddq);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(q, dqf, sizeof q);
        gpu_download(dq, ddq, sizeof dq);
        for (int i = 0; i < N; i++) {
            const double wanted = (double)fa[i] / (double)fb[i];
            if (!same32(q[i], fa[i] / fb[i]))
                gpu_fail(__FILE__, __LINE__, "float_divide at -O%d: %a / %a gave %a, wanted %a",
                         level, fa[i], fb[i], q[i], fa[i] / fb[i]);
            if (!(isnan(dq[i]) && isnan(wanted)) && b64(dq[i]) != b64(wanted))
                gpu_fail(__FILE__, __LINE__,
                         "float_divide at -O%d: %a / %a gave %a in double, wanted %a", level, fa[i],
                         fb[i], dq[i], wanted);
        }
    }
    gpu_free(da), gpu_free(db), gpu_free(ddq), gpu_free(dqf);
}

static void check_float_parts(const void *out, int level)
{
    const float *o = out;
    for (int i = 0; i < N; i++, o += 8) {
        const float wanted[8] = {floorf(fa[i]),       ceilf(fa[i]),        truncf(fa[i]),
                                 rintf(fa[i]),        sqrtf(fabsf(fa[i])), fminf(fa[i], fb[i]),
                                 fmaxf(fa[i], fb[i]), -fabsf(fa[i])};
        for (int k = 0; k < 8; k++)
            if (!same32(o[k], wanted[k]))
                gpu_fail(__FILE__, __LINE__,
                         "float_parts at -O%d: part %d of %a, %a is %a, wanted %a", level, k, fa[i],
                         fb[i], o[k], wanted[k]);
    }
}
TEST(test_float_parts)
{
    fill_floats();
    each_level("arithmetic", "float_parts", fa, fb, sizeof fa, sizeof(float) * 8 * N,
               check_float_parts);
}

static uint32_t bits_in[N];
static void check_bit_parts(const void *out, int level)
{
    const uint32_t *o = out;
    for (int i = 0; i < N; i++, o += 6) {
        const uint32_t x = bits_in[i];
        const uint32_t wanted[6] = {(uint32_t)__builtin_popcount(x),
                                    x ? (uint32_t)__builtin_clz(x) : 32,
                                    x ? (uint32_t)__builtin_ctz(x) : 32,
                                    reverse32(x),
                                    __builtin_bswap32(x),
                                    x << 7 | x >> 25};
        for (int k = 0; k < 6; k++)
            if (o[k] != wanted[k])
                gpu_fail(__FILE__, __LINE__, "bit_parts at -O%d: part %d of %#x is %#x, wanted %#x",
                         level, k, x, o[k], wanted[k]);
    }
}
TEST(test_bit_parts)
{
    for (uint32_t i = 0; i < N; i++)
        bits_in[i] = i == 1 ? 0 : scramble(i);
    each_level("arithmetic", "bit_parts", bits_in, NULL, sizeof bits_in, sizeof(uint32_t) * 6 * N,
               check_bit_parts);
}

TEST(test_convert)
{
    static int8_t bytes[N];
    static double out[N * 6];
    for (uint32_t i = 0; i < N; i++) {
        fa[i] = ((float)scramble(i) - 2147483648.0f) * 0.001f;
        bytes[i] = (int8_t)scramble(i + 1);
    }
    void *da = gpu_upload(&gpu, fa, sizeof fa), *db = gpu_upload(&gpu, bytes, sizeof bytes);
    void *d = gpu_allocate(&gpu, sizeof out);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("arithmetic", "convert", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(out, d, sizeof out);
        for (int i = 0; i < N; i++) {
            const double million = (double)fa[i] * 1e6, positive = (double)fabsf(fa[i]) * 1e6;
            const double wanted[6] = {
                (int)fa[i],        (unsigned)fabsf(fa[i]),   bytes[i] * (bytes[i] + 1),
                (uint8_t)bytes[i], (double)(int64_t)million, (double)(uint64_t)positive};
            for (int k = 0; k < 6; k++)
                if (out[6 * i + k] != wanted[k])
                    gpu_fail(__FILE__, __LINE__,
                             "convert at -O%d: part %d of %a, %d is %.17g, wanted %.17g", level, k,
                             fa[i], bytes[i], out[6 * i + k], wanted[k]);
        }
    }
    gpu_free(da), gpu_free(db), gpu_free(d);
}

static uint32_t collatz(uint32_t x)
{
    uint32_t steps = 0;
    while (x != 1 && steps < 1000) {
        x = (x & 3) == 0 ? x >> 2 : (x & 3) == 2 ? x >> 1 : 3 * x + 1;
        steps++;
    }
    return steps;
}
static void check_diverge(const void *out, int level)
{
    const uint32_t *o = out;
    for (int i = 0; i < N; i++)
        if (o[i] != collatz(bits_in[i]))
            gpu_fail(__FILE__, __LINE__, "diverge at -O%d: %u takes %u steps, wanted %u", level,
                     bits_in[i], o[i], collatz(bits_in[i]));
}
TEST(test_diverge)
{
    for (uint32_t i = 0; i < N; i++)
        bits_in[i] = i + 1;
    each_level("arithmetic", "diverge", bits_in, NULL, sizeof bits_in, sizeof bits_in,
               check_diverge);
}

TEST_MAIN(open_gpu, close_gpu)
