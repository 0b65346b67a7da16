// One kernel each, as it is usually called.
#include "apps/app.h"
#include <math.h>
#include <string.h>

enum { N = 1000, GROUP = 128 };

static void run_vector_add(struct app *app)
{
    static float a[N], b[N], wanted[N], got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        a[i] = (float)i * 0.5f, b[i] = (float)(N - i), wanted[i] = a[i] + b[i];
    void *da = gpu_upload(&app->gpu, a, sizeof a), *db = gpu_upload(&app->gpu, b, sizeof b),
         *dc = gpu_upload(&app->gpu, got, sizeof got);
    job_load(app, &job, "vector", "vector_add");
    ARGUMENT(&job.arguments, void *, da);
    ARGUMENT(&job.arguments, void *, db);
    ARGUMENT(&job.arguments, void *, dc);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    job_run(app, &job);
    gpu_download(got, dc, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "vector_add");
    job_free(&job);
    gpu_free(da), gpu_free(db), gpu_free(dc);
}

static void run_saxpy(struct app *app)
{
    static float x[N], y[N], got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 17) * 0.25f, y[i] = (float)(i % 29);
    void *dx = gpu_upload(&app->gpu, x, sizeof x), *dy = gpu_upload(&app->gpu, y, sizeof y);
    job_load(app, &job, "vector", "saxpy");
    ARGUMENT(&job.arguments, float, 1.5f);
    ARGUMENT(&job.arguments, void *, dx);
    ARGUMENT(&job.arguments, void *, dy);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    job_run(app, &job);
    gpu_download(got, dy, sizeof got);
    for (unsigned k = 0; k < app->times; k++)
        for (int i = 0; i < N; i++)
            y[i] = fmaf(1.5f, x[i], y[i]);
    expect_equal(got, y, sizeof got, 4, "saxpy");
    job_free(&job);
    gpu_free(dx), gpu_free(dy);
}

static void run_daxpy(struct app *app)
{
    static double x[N], y[N], got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        x[i] = (double)i / 7, y[i] = (double)i / 11;
    void *dx = gpu_upload(&app->gpu, x, sizeof x), *dy = gpu_upload(&app->gpu, y, sizeof y);
    job_load(app, &job, "vector", "daxpy");
    ARGUMENT(&job.arguments, double, -2.25);
    ARGUMENT(&job.arguments, void *, dx);
    ARGUMENT(&job.arguments, void *, dy);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    job_run(app, &job);
    gpu_download(got, dy, sizeof got);
    for (unsigned k = 0; k < app->times; k++)
        for (int i = 0; i < N; i++)
            y[i] = fma(-2.25, x[i], y[i]);
    expect_equal(got, y, sizeof got, 8, "daxpy");
    job_free(&job);
    gpu_free(dx), gpu_free(dy);
}

static void run_reduce(struct app *app)
{
    enum { GROUPS = (N + 255) / 256 };
    static float in[N];
    float wanted[GROUPS] = {0}, got[GROUPS];
    struct job job;
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 23), wanted[i / 256] += in[i]; // sums are exact
    void *din = gpu_upload(&app->gpu, in, sizeof in), *out = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "reduce", "reduce_sum");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, 256);
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "reduce_sum");
    job_free(&job);
    gpu_free(din), gpu_free(out);
}

static void run_matmul(struct app *app)
{
    enum { SIZE = 32, CELLS = SIZE * SIZE };
    static float a[CELLS], b[CELLS], wanted[CELLS], got[CELLS];
    struct job job;
    for (int i = 0; i < CELLS; i++)
        a[i] = (float)(i % 13) - 6, b[i] = (float)(i % 7) - 3; // sums are exact
    for (int i = 0; i < CELLS; i++)
        for (int k = 0; k < SIZE; k++)
            wanted[i] += a[i / SIZE * SIZE + k] * b[k * SIZE + i % SIZE];
    void *da = gpu_upload(&app->gpu, a, sizeof a), *db = gpu_upload(&app->gpu, b, sizeof b),
         *dc = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "matmul", "matmul_tiled");
    ARGUMENT(&job.arguments, void *, da);
    ARGUMENT(&job.arguments, void *, db);
    ARGUMENT(&job.arguments, void *, dc);
    ARGUMENT(&job.arguments, int, SIZE);
    job.grid = (struct extent3){SIZE, SIZE, 1};
    job.group = (struct extent3){16, 16, 1};
    job_run(app, &job);
    gpu_download(got, dc, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "matmul_tiled");
    job_free(&job);
    gpu_free(da), gpu_free(db), gpu_free(dc);
}

static void run_histogram(struct app *app)
{
    static uint8_t in[4 * N];
    uint32_t wanted[256] = {0}, got[256] = {0};
    struct job job;
    for (unsigned i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(i * i / 7);
        wanted[in[i]] += app->times;
    }
    void *din = gpu_upload(&app->gpu, in, sizeof in),
         *bins = gpu_upload(&app->gpu, got, sizeof got);
    job_load(app, &job, "atomics", "histogram");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, bins);
    ARGUMENT(&job.arguments, int, sizeof in);
    job_items(&job, sizeof in, 256);
    job_run(app, &job);
    gpu_download(got, bins, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "histogram");
    job_free(&job);
    gpu_free(din), gpu_free(bins);
}

static void run_stencil(struct app *app)
{
    enum { X = 21, Y = 13, Z = 9, CELLS = X * Y * Z };
    static float in[CELLS], got[CELLS];
    struct job job;
    for (int i = 0; i < CELLS; i++)
        in[i] = (float)(i % 64) * 12;
    void *din = gpu_upload(&app->gpu, in, sizeof in), *out = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "stencil", "stencil7");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, X);
    ARGUMENT(&job.arguments, int, Y);
    ARGUMENT(&job.arguments, int, Z);
    job.grid = (struct extent3){24, 16, 12};
    job.group = (struct extent3){8, 8, 4};
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    for (int i = 0; i < CELLS; i++) {
        const int x = i % X, y = i / X % Y, z = i / X / Y;
        const bool border = !x || !y || !z || x == X - 1 || y == Y - 1 || z == Z - 1;
        const float wanted = border ? in[i]
                                    : 0.5f * in[i] + (in[i - 1] + in[i + 1] + in[i - X] +
                                                      in[i + X] + in[i - X * Y] + in[i + X * Y]) /
                                                         12;
        CHECK(fabsf(got[i] - wanted) < 1e-2f, "element %d is %g, wanted %g", i, got[i], wanted);
    }
    job_free(&job);
    gpu_free(din), gpu_free(out);
}

static void run_divide(struct app *app)
{
    static int32_t a[N], b[N], wanted[N][4], got[N][4];
    struct job job;
    for (int i = 0; i < N; i++) {
        a[i] = (int32_t)((uint32_t)i * 2654435761u), b[i] = i % 2 ? i % 97 + 1 : -(i % 89 + 2);
        wanted[i][0] = a[i] / b[i], wanted[i][1] = a[i] % b[i];
        wanted[i][2] = (int32_t)((uint32_t)a[i] / (uint32_t)b[i]);
        wanted[i][3] = (int32_t)((uint32_t)a[i] % (uint32_t)b[i]);
    }
    void *da = gpu_upload(&app->gpu, a, sizeof a), *db = gpu_upload(&app->gpu, b, sizeof b),
         *out = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "arithmetic", "int_divide");
    ARGUMENT(&job.arguments, void *, da);
    ARGUMENT(&job.arguments, void *, db);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "int_divide");
    job_free(&job);
    gpu_free(da), gpu_free(db), gpu_free(out);
}

// Halves of small integers: 0, 1, 2, 3; so sums are exact.
static void run_half(struct app *app)
{
    static const uint16_t SMALL[4] = {0, 0x3c00, 0x4000, 0x4200};
    static uint16_t x[N], y[N], got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        x[i] = SMALL[i % 2], y[i] = SMALL[i / 2 % 2];
    void *dx = gpu_upload(&app->gpu, x, sizeof x), *dy = gpu_upload(&app->gpu, y, sizeof y);
    job_load(app, &job, "half", "half_axpy");
    ARGUMENT(&job.arguments, uint16_t, SMALL[2]);
    ARGUMENT(&job.arguments, void *, dx);
    ARGUMENT(&job.arguments, void *, dy);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    app->times = 1; // the next results are no longer in the table
    job_run(app, &job);
    gpu_download(got, dy, sizeof got);
    for (int i = 0; i < N; i++)
        y[i] = SMALL[2 * (i % 2) + i / 2 % 2];
    expect_equal(got, y, sizeof got, 2, "half_axpy");
    job_free(&job);
    gpu_free(dx), gpu_free(dy);
}

static int32_t nth_smallest(int32_t *v, int length, int n)
{
    for (int k = 1; k < length; k++)
        for (int j = k; j > 0 && v[j - 1] > v[j]; j--) {
            const int32_t t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    return v[n] - v[0];
}

static void run_scratch(struct app *app)
{
    enum { ITEMS = 128, LENGTH = 96 };
    static int32_t in[ITEMS], wanted[ITEMS], got[ITEMS];
    struct job job;
    for (int i = 0; i < ITEMS; i++)
        in[i] = i * 7919 % 10007 - 5000;
    for (int i = 0; i < ITEMS; i++) {
        int32_t v[LENGTH];
        for (int k = 0; k < LENGTH; k++)
            v[k] = in[(i * 7 + k * 13) % ITEMS];
        wanted[i] = nth_smallest(v, LENGTH, i & 63);
    }
    void *din = gpu_upload(&app->gpu, in, sizeof in), *out = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "scratch", "scratch_sort");
    CHECK(job.kernel.private_size > 0, "the kernel has no private memory");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, ITEMS);
    job_items(&job, ITEMS, 64);
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "scratch_sort");
    job_free(&job);
    gpu_free(din), gpu_free(out);
}

static void run_spilled(struct app *app)
{
    static float in[N], wanted[N], got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 16);
    for (int i = 0; i < N; i++)
        for (int k = 39; k >= 0; k--) // products are exact
            wanted[i] = fmaf(wanted[i], 0.5f, in[(i + k * 5) % N] * in[(i + k * 7 % 40 * 5) % N]);
    void *din = gpu_upload(&app->gpu, in, sizeof in), *out = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "scratch", "spilled");
    ARGUMENT(&job.arguments, void *, din);
    ARGUMENT(&job.arguments, void *, out);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, GROUP);
    job_run(app, &job);
    gpu_download(got, out, sizeof got);
    expect_equal(got, wanted, sizeof got, 4, "spilled");
    job_free(&job);
    gpu_free(din), gpu_free(out);
}

const struct work kernel_works[] = {
    {"vector_add", "c = a + b", run_vector_add, OPENS},
    {"saxpy", "y = a x + y, in place", run_saxpy, OPENS},
    {"daxpy", "the same in double precision", run_daxpy, OPENS},
    {"reduce", "sums through LDS", run_reduce, OPENS},
    {"matmul", "tiles in LDS, two dimensions", run_matmul, OPENS},
    {"histogram", "atomics in LDS and memory", run_histogram, OPENS},
    {"stencil", "seven points, three dimensions", run_stencil, OPENS},
    {"divide", "integer division", run_divide, OPENS},
    {"half", "fp16", run_half, OPENS},
    {"scratch", "an array in private memory", run_scratch, OPENS},
    {"spilled", "registers spilled into private memory", run_spilled, OPENS},
    {NULL, NULL, NULL, OPENS},
};
