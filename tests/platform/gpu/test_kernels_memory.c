// Kernels that use memory in other ways: private memory, LDS and device atomics, module variables,
// pointers in memory, accesses of every width; and numbers in halves and pairs.
#include "support/run_kernel.h"
#include "gcn/number.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1100, GROUP = 128 };

static struct gpu gpu;

FIXTURE(open_gpu)
{
    gpu_open(&gpu);
}
FIXTURE(close_gpu)
{
    gpu_close(&gpu);
}

static void compare_bytes(const void *got, const void *wanted, size_t size, size_t element,
                          const char *name, int level)
{
    for (size_t i = 0; i < size / element; i++)
        if (memcmp((const char *)got + i * element, (const char *)wanted + i * element, element) !=
            0) {
            uint64_t g = 0, w = 0;
            memcpy(&g, (const char *)got + i * element, element < 8 ? element : 8);
            memcpy(&w, (const char *)wanted + i * element, element < 8 ? element : 8);
            gpu_fail(__FILE__, __LINE__, "%s at -O%d: element %zu is %#lx, wanted %#lx", name,
                     level, i, (unsigned long)g, (unsigned long)w);
        }
}

// One input, one output of dwords.
static void in_and_out(const char *file, const char *name, const void *in, const void *wanted)
{
    static uint32_t out[N];
    void *da = gpu_upload(&gpu, in, sizeof out), *d = gpu_allocate(&gpu, sizeof out);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension(file, name, level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, da);
        ARGUMENT(&arguments, void *, d);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(out, d, sizeof out);
        compare_bytes(out, wanted, sizeof out, 4, name, level);
    }
    gpu_free(da), gpu_free(d);
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}
static void sorted_parts(const char *name, int length, int mask)
{
    static int32_t in[N], wanted[N];
    for (int i = 0; i < N; i++)
        in[i] = i * 7919 % 10007 - 5000;
    for (int i = 0; i < N; i++) {
        int32_t v[96] = {0};
        for (int k = 0; k < length; k++)
            v[k] = in[(i * 7 + k * 13) % N];
        qsort(v, (size_t)length, sizeof *v, ascending);
        wanted[i] = v[i & mask] - v[0];
    }
    in_and_out("scratch", name, in, wanted);
}
TEST(test_scratch_array)
{
    sorted_parts("scratch_sort", 96, 63);
}
TEST(test_indexed_registers)
{
    sorted_parts("indexed_registers", 16, 15);
}

TEST(test_scratch_by_pointer)
{
    static int32_t in[N], wanted[N];
    for (int i = 0; i < N; i++) {
        in[i] = i * 31 - 99;
        wanted[i] = in[i] * (i % 24) + in[i] * 23;
    }
    in_and_out("scratch", "scratch_call", in, wanted);
}

TEST(test_spilled_registers)
{
    static float in[N], wanted[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 16);
    for (int i = 0; i < N; i++) {
        float v[40], sum = 0;
        for (int k = 0; k < 40; k++)
            v[k] = in[(i + k * 5) % N];
        for (int k = 39; k >= 0; k--)
            sum = fmaf(sum, 0.5f, v[k] * v[(k * 7) % 40]); // products are exact
        wanted[i] = sum;
    }
    in_and_out("scratch", "spilled", in, wanted);
}

TEST(test_device_call)
{
    static float in[N], wanted[N];
    for (int i = 0; i < N; i++) {
        float r = 0;
        in[i] = (float)(i % 5);
        for (int k = 0; k < 3 + (i & 7); k++)
            r = fmaf(r, in[i], (float)k);
        wanted[i] = r;
    }
    in_and_out("scratch", "device_call", in, wanted);
}

TEST(test_histogram)
{
    static uint8_t in[N * 4];
    uint32_t wanted[256] = {0}, got[256];
    for (unsigned i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)(i * i / 7);
        wanted[in[i]]++;
    }
    void *din = gpu_upload(&gpu, in, sizeof in);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("atomics", "histogram", level, sizeof in, 256);
        struct arguments arguments = {0};
        memset(got, 0, sizeof got);
        void *bins = gpu_upload(&gpu, got, sizeof got);
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, bins);
        ARGUMENT(&arguments, int, sizeof in);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, bins, sizeof got);
        compare_bytes(got, wanted, sizeof got, 4, "histogram", level);
        gpu_free(bins);
    }
    gpu_free(din);
}

TEST(test_atomics)
{
    static uint32_t in[N];
    uint32_t wanted[7] = {0, UINT32_MAX, 0, 0, 0, UINT32_MAX, 0}, got[7];
    const uint32_t start[7] = {0, UINT32_MAX, 0, 0, 0, UINT32_MAX, 0};
    uint64_t wide = 0, got_wide;
    float sum = 0, got_sum;
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t v = in[i] = (i * 2654435761u) | 0x40;
        wanted[0] += v;
        wanted[1] = v < wanted[1] ? v : wanted[1];
        wanted[2] = v > wanted[2] ? v : wanted[2];
        wanted[3] |= v;
        wanted[4] ^= v;
        wanted[5] &= v;
        wanted[6]++;
        wide += (uint64_t)v << 8;
        sum += (float)(v & 7);
    }
    void *din = gpu_upload(&gpu, in, sizeof in);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("atomics", "atomics", level, N, GROUP);
        struct arguments arguments = {0};
        void *out = gpu_upload(&gpu, start, sizeof start),
             *dwide = gpu_upload(&gpu, &(uint64_t){0}, 8);
        void *dsum = gpu_upload(&gpu, &(float){0}, 4);
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, out);
        ARGUMENT(&arguments, void *, dwide);
        ARGUMENT(&arguments, void *, dsum);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, out, sizeof got);
        gpu_download(&got_wide, dwide, 8);
        gpu_download(&got_sum, dsum, 4);
        compare_bytes(got, wanted, sizeof got, 4, "atomics", level);
        compare_bytes(&got_wide, &wide, 8, 8, "atomics, 64 bits", level);
        compare_bytes(&got_sum, &sum, 4, 4, "atomics, float", level);
        gpu_free(out), gpu_free(dwide), gpu_free(dsum);
    }
    gpu_free(din);
}

TEST(test_count_all)
{
    static uint32_t in[N];
    uint32_t wanted = 0, got;
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i * 31;
        wanted += in[i] & 15;
    }
    void *din = gpu_upload(&gpu, in, sizeof in);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("atomics", "count_all", level, N, GROUP);
        struct arguments arguments = {0};
        void *total = gpu_upload(&gpu, &(uint32_t){0}, 4);
        ARGUMENT(&arguments, void *, din);
        ARGUMENT(&arguments, void *, total);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(&got, total, 4);
        compare_bytes(&got, &wanted, 4, 4, "count_all", level);
        gpu_free(total);
    }
    gpu_free(din);
}

TEST(test_module_variables)
{
    float table[64], got[N], wanted[N];
    uint32_t counter;
    for (int level = 1; level <= LEVELS; level++) {
        struct module module;
        struct arguments arguments = {0};
        gpu_load(&gpu, &module, "memory", level);
        const struct kernel kernel = gpu_kernel(&gpu, &module, "module_variable");
        for (int i = 0; i < 64; i++)
            table[i] = (float)i * 0.5f;
        for (int i = 0; i < N; i++)
            wanted[i] = table[i & 63] + (float)i;
        HSA(hsa_memory_copy(gpu_variable(&gpu, &module, "module_table"), table, sizeof table));
        void *out = gpu_allocate(&gpu, sizeof got);
        ARGUMENT(&arguments, void *, out);
        ARGUMENT(&arguments, int, N);
        assert_true(gpu_run(&gpu, &kernel, &arguments, grid_of(N, GROUP),
                            (struct extent3){GROUP, 1, 1}, 0, MOST_SECONDS));
        gpu_download(got, out, sizeof got);
        compare_bytes(got, wanted, sizeof got, 4, "module_variable", level);
        gpu_download(&counter, gpu_variable(&gpu, &module, "module_counter"), 4);
        assert_int_equal(counter, 42);
        gpu_free(out);
        gpu_unload(&module);
    }
}

TEST(test_pointers_in_memory)
{
    struct node {
        uint64_t next;
        float value;
    };
    enum { NODES = 300, HEADS = 100 };
    static struct node nodes[NODES];
    static uint64_t heads[HEADS];
    float got[HEADS], wanted[HEADS];
    void *dnodes = gpu_allocate(&gpu, sizeof nodes);
    const uint64_t base = (uint64_t)(uintptr_t)dnodes;
    for (int i = 0; i < NODES; i++) {
        nodes[i].value = (float)i;
        nodes[i].next = i + 100 < NODES && i % 3 ? base + (size_t)(i + 100) * sizeof *nodes : 0;
    }
    HSA(hsa_memory_copy(dnodes, nodes, sizeof nodes));
    for (int i = 0; i < HEADS; i++) {
        heads[i] = base + (size_t)i * sizeof *nodes;
        wanted[i] = 0;
        for (uint64_t at = heads[i]; at; at = nodes[(at - base) / sizeof *nodes].next)
            wanted[i] += nodes[(at - base) / sizeof *nodes].value;
    }
    void *dheads = gpu_upload(&gpu, heads, sizeof heads), *out = gpu_allocate(&gpu, sizeof got);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("memory", "pointer_chase", level, HEADS, 64);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, dheads);
        ARGUMENT(&arguments, void *, out);
        ARGUMENT(&arguments, int, HEADS);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(got, out, sizeof got);
        compare_bytes(got, wanted, sizeof got, 4, "pointer_chase", level);
    }
    gpu_free(dnodes), gpu_free(dheads), gpu_free(out);
}

TEST(test_widths)
{
    static uint8_t b[N], wb[N], gb[N];
    static int16_t s[N], ws[N], gs[N];
    static uint32_t q[N][4], wq[N][4], gq[N][4];
    for (unsigned i = 0; i < N; i++) {
        b[i] = (uint8_t)(i * 3), wb[i] = (uint8_t)(b[i] + 1);
        s[i] = (int16_t)(i * 77), ws[i] = (int16_t)(s[i] - 1);
        for (unsigned k = 0; k < 4; k++)
            q[i][k] = i * 10 + k, wq[i][3 - k] = i * 10 + k;
    }
    void *db = gpu_upload(&gpu, b, sizeof b), *ds = gpu_upload(&gpu, s, sizeof s),
         *dq = gpu_upload(&gpu, q, sizeof q);
    void *ob = gpu_allocate(&gpu, sizeof b), *os = gpu_allocate(&gpu, sizeof s),
         *oq = gpu_allocate(&gpu, sizeof q);
    for (int level = 1; level <= LEVELS; level++) {
        const struct launch launch = one_dimension("memory", "copy_widths", level, N, GROUP);
        struct arguments arguments = {0};
        ARGUMENT(&arguments, void *, db);
        ARGUMENT(&arguments, void *, ds);
        ARGUMENT(&arguments, void *, dq);
        ARGUMENT(&arguments, void *, ob);
        ARGUMENT(&arguments, void *, os);
        ARGUMENT(&arguments, void *, oq);
        ARGUMENT(&arguments, int, N);
        run_kernel(&gpu, &launch, &arguments);
        gpu_download(gb, ob, sizeof gb), gpu_download(gs, os, sizeof gs),
            gpu_download(gq, oq, sizeof gq);
        compare_bytes(gb, wb, sizeof gb, 1, "copy_widths, bytes", level);
        compare_bytes(gs, ws, sizeof gs, 2, "copy_widths, shorts", level);
        compare_bytes(gq, wq, sizeof gq, 16, "copy_widths, quads", level);
    }
    gpu_free(db), gpu_free(ds), gpu_free(dq), gpu_free(ob), gpu_free(os), gpu_free(oq);
}

TEST_MAIN(open_gpu, close_gpu)
