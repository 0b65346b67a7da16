// Kernels on floats and integers in device memory, compiled with -O1, -O2 and -O3; results as the
// CPU computes them.
#include "support/run_kernel.h"
#include "gcn/number.h"
#include "support/test.h"
#include <stdlib.h>

enum { N = 5003 };

static struct gpu gpu;

FIXTURE(open_gpu)
{
    gpu_open(&gpu);
}
FIXTURE(close_gpu)
{
    gpu_close(&gpu);
}

static void run(const char *file, int level, const char *name, const struct arguments *a,
                struct extent3 grid, struct extent3 group, uint32_t lds)
{
    run_kernel(&gpu, &(struct launch){file, name, level, grid, group, lds}, a);
}

static void same_floats(const float *got, const float *wanted, size_t n, const char *name,
                        int level)
{
    for (size_t i = 0; i < n; i++)
        if (b32(got[i]) != b32(wanted[i]))
            gpu_fail(__FILE__, __LINE__, "%s at -O%d: element %zu is %.9g, wanted %.9g", name,
                     level, i, got[i], wanted[i]);
}

static float *floats(size_t n, float factor)
{
    float *f = malloc(n * sizeof *f);
    assert_non_null(f);
    for (size_t i = 0; i < n; i++)
        f[i] = factor * (float)(i % 977) - 31.25f;
    return f;
}

TEST(test_vector_add)
{
    float *a = floats(N, 0.5f), *b = floats(N, -1.75f), *wanted = malloc(sizeof(float) * N),
          *got = malloc(sizeof(float) * N);
    void *da = gpu_upload(&gpu, a, sizeof(float) * N), *db = gpu_upload(&gpu, b, sizeof(float) * N);
    for (int i = 0; i < N; i++)
        wanted[i] = a[i] + b[i];
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dc = gpu_allocate(&gpu, sizeof(float) * N);
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, dc);
        ARGUMENT(&arguments, int, N);
        run("vector", level, "vector_add", &arguments, grid_of(N, 256), (struct extent3){256, 1, 1},
            0);
        gpu_download(got, dc, sizeof(float) * N);
        same_floats(got, wanted, N, "vector_add", level);
        gpu_free(dc);
    }
    gpu_free(da), gpu_free(db);
    free(a), free(b), free(wanted), free(got);
}

// A grid that is no multiple of the group: the last work-group is smaller.
TEST(test_partial_group)
{
    float *a = floats(N, 0.25f), *got = malloc(sizeof(float) * N),
          *wanted = malloc(sizeof(float) * N);
    void *da = gpu_upload(&gpu, a, sizeof(float) * N), *dc = gpu_allocate(&gpu, sizeof(float) * N);
    struct arguments arguments = {0};
    for (int i = 0; i < N; i++)
        wanted[i] = a[i] + a[i];
    ARGUMENT(&arguments, void *, da);
    ARGUMENT(&arguments, void *, da);
    ARGUMENT(&arguments, void *, dc);
    ARGUMENT(&arguments, int, N);
    run("vector", 2, "vector_add", &arguments, (struct extent3){N, 1, 1},
        (struct extent3){192, 1, 1}, 0);
    gpu_download(got, dc, sizeof(float) * N);
    same_floats(got, wanted, N, "vector_add with a partial group", 2);
    gpu_free(da), gpu_free(dc);
    free(a), free(got), free(wanted);
}

TEST(test_saxpy)
{
    float *x = floats(N, 0.3f), *y = floats(N, 1.7f), *wanted = malloc(sizeof(float) * N),
          *got = malloc(sizeof(float) * N);
    void *dx = gpu_upload(&gpu, x, sizeof(float) * N);
    for (int i = 0; i < N; i++)
        wanted[i] = fmaf(2.7f, x[i], y[i]);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dy = gpu_upload(&gpu, y, sizeof(float) * N);
        ARGUMENT(&arguments, float, 2.7f);
        ARGUMENT(&arguments, void *, dx);
        ARGUMENT(&arguments, void *, dy);
        ARGUMENT(&arguments, int, N);
        run("vector", level, "saxpy", &arguments, grid_of(N, 64), (struct extent3){64, 1, 1}, 0);
        gpu_download(got, dy, sizeof(float) * N);
        same_floats(got, wanted, N, "saxpy", level);
        gpu_free(dy);
    }
    gpu_free(dx);
    free(x), free(y), free(wanted), free(got);
}

TEST(test_daxpy)
{
    static double x[N], y[N], got[N];
    for (int i = 0; i < N; i++)
        x[i] = i / 7.0, y[i] = 3.0 - i * 0.01;
    void *dx = gpu_upload(&gpu, x, sizeof x);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dy = gpu_upload(&gpu, y, sizeof y);
        ARGUMENT(&arguments, double, -0.3);
        ARGUMENT(&arguments, void *, dx);
        ARGUMENT(&arguments, void *, dy);
        ARGUMENT(&arguments, int, N);
        run("vector", level, "daxpy", &arguments, grid_of(N, 128), (struct extent3){128, 1, 1}, 0);
        gpu_download(got, dy, sizeof got);
        for (int i = 0; i < N; i++)
            if (got[i] != fma(-0.3, x[i], y[i]))
                gpu_fail(__FILE__, __LINE__, "daxpy at -O%d: element %d is %.17g", level, i,
                         got[i]);
        gpu_free(dy);
    }
    gpu_free(dx);
}

TEST(test_increment_in_place)
{
    static uint32_t p[N], got[N];
    for (uint32_t i = 0; i < N; i++)
        p[i] = i * 2654435761u;
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *d = gpu_upload(&gpu, p, sizeof p);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, uint32_t, N);
        ARGUMENT(&arguments, uint32_t, 11);
        for (int times = 0; times < 3; times++)
            run("vector", level, "increment", &arguments, grid_of(N, 256),
                (struct extent3){256, 1, 1}, 0);
        gpu_download(got, d, sizeof got);
        for (int i = 0; i < N; i++)
            if (got[i] != p[i] * 27 + 11 * 13)
                gpu_fail(__FILE__, __LINE__, "increment at -O%d: element %d is %u", level, i,
                         got[i]);
        gpu_free(d);
    }
}

TEST(test_reduce)
{
    enum { GROUP = 256, GROUPS = (N + GROUP - 1) / GROUP };
    float in[N], got[GROUPS], wanted[GROUPS];
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 97) * 0.25f; // sums are exact
    for (int g = 0; g < GROUPS; g++) {
        wanted[g] = 0;
        for (int i = g * GROUP; i < (g + 1) * GROUP && i < N; i++)
            wanted[g] += in[i];
    }
    void *din = gpu_upload(&gpu, in, sizeof in);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dout = gpu_allocate(&gpu, sizeof got);
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, dout);
        ARGUMENT(&arguments, int, N);
        run("reduce", level, "reduce_sum", &arguments, grid_of(N, GROUP),
            (struct extent3){GROUP, 1, 1}, 0);
        gpu_download(got, dout, sizeof got);
        same_floats(got, wanted, GROUPS, "reduce_sum", level);
        gpu_free(dout);
    }
    gpu_free(din);
}

TEST(test_dynamic_lds)
{
    enum { GROUP = 320, TOTAL = 5 * GROUP };
    static uint32_t in[TOTAL], got[TOTAL];
    for (uint32_t i = 0; i < TOTAL; i++)
        in[i] = i * 7919;
    void *din = gpu_upload(&gpu, in, sizeof in), *dout = gpu_allocate(&gpu, sizeof got);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, dout);
        run("reduce", level, "reverse_group", &arguments, grid_of(TOTAL, GROUP),
            (struct extent3){GROUP, 1, 1}, GROUP * 4);
        gpu_download(got, dout, sizeof got);
        for (int i = 0; i < TOTAL; i++)
            if (got[i] != in[i / GROUP * GROUP + GROUP - 1 - i % GROUP])
                gpu_fail(__FILE__, __LINE__, "reverse_group at -O%d: element %d is %u", level, i,
                         got[i]);
    }
    gpu_free(din), gpu_free(dout);
}

TEST(test_matmul)
{
    enum { SIZE = 64, CELLS = SIZE * SIZE };
    static float a[CELLS], b[CELLS], wanted[CELLS], got[CELLS];
    for (int i = 0; i < CELLS; i++) {
        a[i] = (float)(i % 13) - 6; // small integers: any order of additions gives the same
        b[i] = (float)(i % 7) - 3;
    }
    for (int r = 0; r < SIZE; r++)
        for (int c = 0; c < SIZE; c++)
            for (int k = 0; k < SIZE; k++)
                wanted[r * SIZE + c] += a[r * SIZE + k] * b[k * SIZE + c];
    void *da = gpu_upload(&gpu, a, sizeof a), *db = gpu_upload(&gpu, b, sizeof b);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dc = gpu_allocate(&gpu, sizeof got);
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, dc);
        ARGUMENT(&arguments, int, SIZE);
        run("matmul", level, "matmul_tiled", &arguments, (struct extent3){SIZE, SIZE, 1},
            (struct extent3){16, 16, 1}, 0);
        gpu_download(got, dc, sizeof got);
        same_floats(got, wanted, CELLS, "matmul_tiled", level);
        gpu_free(dc);
    }
    gpu_free(da), gpu_free(db);
}

TEST(test_stencil)
{
    enum { X = 21, Y = 13, Z = 9, CELLS = X * Y * Z };
    static float in[CELLS], wanted[CELLS], got[CELLS];
    for (int i = 0; i < CELLS; i++)
        in[i] = (float)(i % 64) * 12; // sums are exact
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                const int i = (z * Y + y) * X + x;
                const bool border = !x || !y || !z || x == X - 1 || y == Y - 1 || z == Z - 1;
                wanted[i] = border ? in[i]
                                   : fmaf(in[i - 1] + in[i + 1] + in[i - X] + in[i + X] +
                                              in[i - X * Y] + in[i + X * Y],
                                          1.0f / 12.0f, 0.5f * in[i]);
            }
    void *din = gpu_upload(&gpu, in, sizeof in);
    for (int level = 1; level <= LEVELS; level++) {
        struct arguments arguments = {0};
        void *dout = gpu_allocate(&gpu, sizeof got);
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, dout);
        ARGUMENT(&arguments, int, X);
        ARGUMENT(&arguments, int, Y);
        ARGUMENT(&arguments, int, Z);
        run("stencil", level, "stencil7", &arguments, (struct extent3){24, 16, 12},
            (struct extent3){8, 8, 4}, 0);
        gpu_download(got, dout, sizeof got);
        for (int i = 0; i < CELLS; i++) // fused or not is the compiler's choice
            if (fabsf(got[i] - wanted[i]) > 1e-3f)
                gpu_fail(__FILE__, __LINE__, "stencil7 at -O%d: element %d is %g, wanted %g", level,
                         i, got[i], wanted[i]);
        gpu_free(dout);
    }
    gpu_free(din);
}

TEST_MAIN(open_gpu, close_gpu)
