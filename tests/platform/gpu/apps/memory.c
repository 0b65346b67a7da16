// Data in different places: host memory, parts of a block, hundreds of regions, large memory,
// virtual memory.
#include "apps/app.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 1024 };

// c = a + b; the caller has allocated both inputs.
static void add_up(struct app *app, float *a, float *b)
{
    static float got[N];
    struct job job;
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = (float)(2 * i);
    void *c = gpu_allocate(&app->gpu, sizeof got);
    job_load(app, &job, "vector", "vector_add");
    ARGUMENT(&job.arguments, void *, a);
    ARGUMENT(&job.arguments, void *, b);
    ARGUMENT(&job.arguments, void *, c);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, 64);
    job_run(app, &job);
    gpu_download(got, c, sizeof got);
    for (int i = 0; i < N; i++)
        CHECK(got[i] == (float)(3 * i), "element %d is %g", i, got[i]);
    job_free(&job);
    gpu_free(c);
}

static void run_host(struct app *app)
{
    void *fine = host_memory(app, N * 4), *kernarg = NULL;
    HSA(hsa_amd_memory_pool_allocate(app->gpu.kernarg, N * 4, 0, &kernarg));
    HSA(hsa_amd_agents_allow_access(1, &app->gpu.agent, NULL, kernarg));
    add_up(app, fine, kernarg);
    HSA(hsa_amd_memory_pool_free(fine));
    HSA(hsa_amd_memory_pool_free(kernarg));
}

// The program's own memory, registered for the GPU; it does not begin at a page.
static void run_locked(struct app *app)
{
    enum { SIZE = 4 * N + 4096 };
    void *seen = NULL, *fine = host_memory(app, N * 4);
    char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED, "no memory");
    HSA(hsa_amd_memory_lock(pages + 256, N * 4, &app->gpu.agent, 1, &seen));
    add_up(app, seen, fine);
    HSA(hsa_amd_memory_unlock(pages + 256));
    HSA(hsa_amd_memory_pool_free(fine));
    munmap(pages, SIZE);
}

// app->count buffers of `each` dwords, of which the kernel works on the first; the rest stays.
static void many_buffers(struct app *app, size_t each)
{
    const unsigned n = app->count;
    void **buffers = calloc(n, sizeof *buffers);
    uint32_t *p = calloc(each, 4);
    struct job job;
    CHECK(buffers && p && n, "no memory");
    for (unsigned k = 0; k < n; k++) {
        fill(p, each, k);
        buffers[k] = gpu_upload(&app->gpu, p, each * 4);
    }
    job_increment(app, &job, buffers[0], (uint32_t)each, 5);
    job_run(app, &job);
    for (unsigned k = 0; k < n; k++) {
        gpu_download(p, buffers[k], each * 4);
        expect_incremented(p, each, k, 5, k == 0 ? app->times : 0);
        gpu_free(buffers[k]);
    }
    job_free(&job);
    free(buffers), free(p);
}

// They share blocks of 2 MiB.
static void run_shared_block(struct app *app)
{
    many_buffers(app, 25000);
}

static void run_regions(struct app *app)
{
    many_buffers(app, N);
}

static void warm_up(const struct app *app)
{
    const size_t size = (size_t)app->warm_mib << 20;
    if (size == 0)
        return;
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    CHECK(p != MAP_FAILED, "no memory");
    munmap(p, size);
}

// app->mib MiB, of which the kernel works on the first 256 KiB; every `period`-th MiB has numbers.
static void much_memory(struct app *app, unsigned period)
{
    enum { MIB = 1 << 20, ITEMS = MIB / 16 };
    const size_t size = (size_t)app->mib * MIB;
    uint32_t *p = malloc(MIB);
    struct job job;
    CHECK(p, "no memory");
    char *device = gpu_allocate(&app->gpu, size);
    for (size_t k = 0; k < app->mib; k++) {
        memset(p, 0, MIB);
        if (k % period == 0)
            fill(p, MIB / 4, (uint32_t)k);
        HSA(hsa_memory_copy(device + k * MIB, p, MIB));
    }
    job_increment(app, &job, device, ITEMS, 5);
    warm_up(app);
    job_run(app, &job);
    gpu_download(p, device, MIB);
    expect_incremented(p, ITEMS, 0, 5, app->times);
    job_free(&job);
    gpu_free(device);
    free(p);
}

static void run_big(struct app *app)
{
    much_memory(app, 1);
}

static void run_sparse(struct app *app)
{
    much_memory(app, 16);
}

#if HSA_AMD_INTERFACE_VERSION_MINOR >= 4
enum { PART = 4 << 20 };

static void give(struct app *app, void *at, bool read_only, bool to_cpu)
{
    const hsa_amd_memory_access_desc_t access[2] = {
        {read_only ? HSA_ACCESS_PERMISSION_RO : HSA_ACCESS_PERMISSION_RW, app->gpu.agent},
        {HSA_ACCESS_PERMISSION_RW, app->gpu.cpu}};
    HSA(hsa_amd_vmem_set_access(at, PART, access, to_cpu ? 2 : 1));
}

// One reservation of three parts: two mapped side by side, the first read-only for the GPU, the
// last for it alone; between the second and the last a hole. c = a + b over the seam of the first
// two.
static void run_vmem(struct app *app)
{
    hsa_amd_vmem_alloc_handle_t handles[3];
    static const unsigned PLACES[3] = {0, 1, 3};
    void *reserved = NULL;
    float got[N];
    struct job job;
    HSA(hsa_amd_vmem_address_reserve(&reserved, 4ull * PART, 0, 0));
    char *const base = reserved;
    for (unsigned k = 0; k < 3; k++) {
        char *at = base + (size_t)PLACES[k] * PART;
        HSA(hsa_amd_vmem_handle_create(app->gpu.vram, PART, MEMORY_TYPE_NONE, 0, &handles[k]));
        HSA(hsa_amd_vmem_map(at, PART, 0, handles[k], 0));
        give(app, at, false, true);
    }
    float *a = (float *)base, *b = (float *)(base + PART) - N / 2,
          *c = (float *)(base + 3ull * PART);
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = (float)(2 * i);
    give(app, base, true, true);
    job_load(app, &job, "vector", "vector_add");
    ARGUMENT(&job.arguments, void *, a);
    ARGUMENT(&job.arguments, void *, b);
    ARGUMENT(&job.arguments, void *, c);
    ARGUMENT(&job.arguments, int, N);
    job_items(&job, N, 64);
    job_run(app, &job);
    memcpy(got, c, sizeof got);
    for (int i = 0; i < N; i++)
        CHECK(got[i] == (float)(3 * i), "element %d is %g", i, got[i]);
    for (unsigned k = 0; k < 3; k++) {
        HSA(hsa_amd_vmem_unmap(base + (size_t)PLACES[k] * PART, PART));
        HSA(hsa_amd_vmem_handle_release(handles[k]));
    }
    HSA(hsa_amd_vmem_address_free(reserved, 4ull * PART));
    job_free(&job);
}

// For the GPU alone: the CPU may not touch it.
static void run_vmem_private(struct app *app)
{
    hsa_amd_vmem_alloc_handle_t handle;
    uint32_t p[N];
    void *at = NULL, *copy = host_memory(app, sizeof p);
    hsa_signal_t done;
    struct job job;
    HSA(hsa_amd_vmem_address_reserve(&at, PART, 0, 0));
    HSA(hsa_amd_vmem_handle_create(app->gpu.vram, PART, MEMORY_TYPE_NONE, 0, &handle));
    HSA(hsa_amd_vmem_map(at, PART, 0, handle, 0));
    give(app, at, false, false);
    HSA(hsa_signal_create(1, 0, NULL, &done));
    fill(copy, N, 9);
    HSA(hsa_amd_memory_async_copy(at, app->gpu.agent, copy, app->gpu.cpu, sizeof p, 0, NULL, done));
    struct gpu g = app->gpu;
    g.done = done;
    CHECK(gpu_wait(&g, APP_SECONDS), "the copy does not end");
    job_increment(app, &job, at, N, 5);
    job_run(app, &job);
    hsa_signal_store_relaxed(done, 1);
    HSA(hsa_amd_memory_async_copy(copy, app->gpu.cpu, at, app->gpu.agent, sizeof p, 0, NULL, done));
    CHECK(gpu_wait(&g, APP_SECONDS), "the copy does not end");
    expect_incremented(copy, N, 9, 5, app->times);
    HSA(hsa_amd_vmem_unmap(at, PART));
    HSA(hsa_amd_vmem_handle_release(handle));
    HSA(hsa_amd_vmem_address_free(at, PART));
    HSA(hsa_amd_memory_pool_free(copy));
    HSA(hsa_signal_destroy(done));
    job_free(&job);
}
#endif

const struct work memory_works[] = {
    {"host", "host and kernarg memory as inputs", run_host, OPENS},
    {"locked", "the program's own memory as an input", run_locked, OPENS},
    {"shared_block", "-c buffers that share blocks of 2 MiB", run_shared_block, OPENS},
    {"regions", "-c buffers of a page", run_regions, OPENS},
    {"big", "-m MiB full of numbers", run_big, OPENS},
    {"sparse", "-m MiB, nearly all of them zero", run_sparse, OPENS},
#if HSA_AMD_INTERFACE_VERSION_MINOR >= 4
    {"vmem", "virtual memory in parts, one of them read-only", run_vmem, OPENS},
    {"vmem_private", "virtual memory that the CPU has no access to", run_vmem_private, OPENS},
#endif
    {NULL, NULL, NULL, OPENS},
};
