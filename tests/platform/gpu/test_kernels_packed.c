// Kernels on half-precision numbers, on pairs of floats and on pairs of 16-bit integers.
#include "support/run_kernel.h"
#include "gcn/number.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

enum { N = 700, GROUP = 64 };

static struct gpu gpu;

FIXTURE(open_gpu)
{
    gpu_open(&gpu);
}
FIXTURE(close_gpu)
{
    gpu_close(&gpu);
}

static uint16_t half_of(unsigned i)
{
    return (uint16_t)b16((double)(i % 331) * 0.125 - 20);
}

TEST(test_half_axpy)
{
    uint16_t x[N], y[N], got[N];
    const uint16_t a = (uint16_t)b16(1.3);
    for (unsigned i = 0; i < N; i++)
        x[i] = half_of(i), y[i] = half_of(i * 7 + 3);
    void *dx = gpu_upload(&gpu, x, sizeof x);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("half", "half_axpy", level, N, GROUP);
        struct arguments arguments = {0};
        void *dy = gpu_upload(&gpu, y, sizeof y);
        ARGUMENT(&arguments, uint16_t, a);
        ARGUMENT(&arguments, void *, dx);
        ARGUMENT(&arguments, void *, dy);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, dy, sizeof got);
        for (int i = 0; i < N; i++)
            if (got[i] != fma16(f16(a), f16(x[i]), f16(y[i])))
                gpu_fail(__FILE__, __LINE__, "half_axpy at -O%d: element %d is %g, wanted %g",
                         level, i, f16(got[i]), f16(fma16(f16(a), f16(x[i]), f16(y[i]))));
        gpu_free(dy);
    }
    gpu_free(dx);
}

// a * b + a is fused (contracted) by the compiler, as in C for devices.
static uint16_t mixed(uint16_t a, uint16_t b)
{
    return (uint16_t)b16(number_max(f16(fma16(f16(a), f16(b), f16(a))), -f16(b)));
}
TEST(test_half2)
{
    uint16_t a[2 * N], b[2 * N], got[2 * N];
    for (unsigned i = 0; i < 2 * N; i++)
        a[i] = half_of(i), b[i] = half_of(i * 5 + 1);
    void *da = gpu_upload(&gpu, a, sizeof a), *db = gpu_upload(&gpu, b, sizeof b),
         *d = gpu_allocate(&gpu, sizeof got);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("half", "half2_mix", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, d, sizeof got);
        for (int i = 0; i < 2 * N; i++)
            if (got[i] != mixed(a[i], b[i]))
                gpu_fail(__FILE__, __LINE__, "half2_mix at -O%d: element %d is %g, wanted %g",
                         level, i, f16(got[i]), f16(mixed(a[i], b[i])));
    }
    gpu_free(da), gpu_free(db), gpu_free(d);
}

TEST(test_half_conversions)
{
    uint16_t in[N], back[N];
    float out[N];
    for (unsigned i = 0; i < N; i++)
        in[i] = half_of(i);
    void *din = gpu_upload(&gpu, in, sizeof in), *dout = gpu_allocate(&gpu, sizeof out),
         *dback = gpu_allocate(&gpu, sizeof back);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("half", "half_to_float", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, dout);
        ARGUMENT(&arguments, void *, dback);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(out, dout, sizeof out), gpu_download(back, dback, sizeof back);
        for (int i = 0; i < N; i++) {
            const float wanted = (float)f16(in[i]) * 1.5f;
            assert_true(out[i] == wanted);
            assert_int_equal(back[i], b16(wanted + 0.25f));
        }
    }
    gpu_free(din), gpu_free(dout), gpu_free(dback);
}

TEST(test_packed_floats)
{
    float a[2 * N], b[2 * N], got[2 * N];
    const float factor[2] = {2.0f, -0.5f};
    for (int i = 0; i < 2 * N; i++)
        a[i] = (float)i * 0.3f - 50, b[i] = 17.7f - (float)(i % 91);
    void *da = gpu_upload(&gpu, a, sizeof a), *db = gpu_upload(&gpu, b, sizeof b),
         *d = gpu_allocate(&gpu, sizeof got);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("packed", "packed_fma", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, d, sizeof got);
        for (int i = 0; i < 2 * N; i++)
            if (got[i] != fmaf(a[i], b[i], a[i] + b[i]) * factor[i & 1])
                gpu_fail(__FILE__, __LINE__, "packed_fma at -O%d: element %d is %g", level, i,
                         got[i]);
    }
    gpu_free(da), gpu_free(db), gpu_free(d);
}

TEST(test_packed_shorts)
{
    int16_t a[2 * N], b[2 * N], got[2 * N];
    for (int i = 0; i < 2 * N; i++)
        a[i] = (int16_t)(i * 331), b[i] = (int16_t)(9000 - i * 77);
    void *da = gpu_upload(&gpu, a, sizeof a), *db = gpu_upload(&gpu, b, sizeof b),
         *d = gpu_allocate(&gpu, sizeof got);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("packed", "packed_short", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, d, sizeof got);
        for (int i = 0; i < 2 * N; i++) {
            const int16_t x = (int16_t)(a[i] * b[i] + a[i]), y = (int16_t)(b[i] - a[i]);
            assert_int_equal(got[i], x > y ? x : y);
        }
    }
    gpu_free(da), gpu_free(db), gpu_free(d);
}

TEST_MAIN(open_gpu, close_gpu)
