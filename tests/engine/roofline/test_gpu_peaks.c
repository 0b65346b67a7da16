/* Theoretical peaks agree with those that are published for each model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/roofline/gpu_peaks.h"
#include "support/test.h"

/* TFLOP/s and GB/s as published (data sheets of the models; rocprof-compute for LDS, L1, L2). */
static const struct {
    const char *arch, *model, *ceiling;
    double peak;
} published[] = {
    {"gfx90a", "AMD Instinct MI210", "VALU f64", 22.6e12},
    {"gfx90a", "AMD Instinct MI210", "MFMA f16", 181.0e12},
    {"gfx90a", "AMD Instinct MI250X", "VALU f32", 47.9e12},
    {"gfx90a", "AMD Instinct MI250X", "VALU f32 unpacked", 23.9e12},
    {"gfx90a", "AMD Instinct MI250X", "MFMA f64", 47.9e12},
    {"gfx90a", "AMD Instinct MI250X", "MFMA i8", 191.5e12},
    {"gfx90a", "AMD Instinct MI250X", "HBM", 1638.4e9},
    {"gfx90a", "AMD Instinct MI250X", "L2", 3481.6e9},
    {"gfx90a", "AMD Instinct MI250X", "L1", 11968.0e9},
    {"gfx90a", "AMD Instinct MI250X", "LDS", 23936.0e9},
    {"gfx942", "AMD Instinct MI300A", "VALU f64", 61.3e12},
    {"gfx942", "AMD Instinct MI300A", "MFMA f8", 1961.2e12},
    {"gfx942", "AMD Instinct MI300A", "L2", 25804.8e9},
    {"gfx942", "AMD Instinct MI300X", "VALU f32", 163.4e12},
    {"gfx942", "AMD Instinct MI300X", "MFMA f16", 1307.4e12},
    {"gfx942", "AMD Instinct MI300X", "MFMA bf16", 1307.4e12},
    {"gfx942", "AMD Instinct MI300X", "MFMA xf32", 653.7e12},
    {"gfx942", "AMD Instinct MI300X", "MFMA f8", 2614.9e12},
    {"gfx942", "AMD Instinct MI300X", "HBM", 5324.8e9},
    {"gfx942", "AMD Instinct MI300X", "L2", 34406.4e9},
    {"gfx942", "AMD Instinct MI300X", "L1", 81715.2e9},
    {"gfx942", "AMD Instinct MI325X", "HBM", 6000e9},
    {"gfx950", "AMD Instinct MI350X", "VALU f64", 72.1e12},
    {"gfx950", "AMD Instinct MI350X", "MFMA f64", 72.1e12},
    {"gfx950", "AMD Instinct MI350X", "MFMA f6f4", 9227.5e12},
    {"gfx950", "AMD Instinct MI355X", "MFMA f16", 2516.6e12},
    {"gfx950", "AMD Instinct MI355X", "MFMA f8", 5033.2e12},
    {"gfx950", "AMD Instinct MI355X", "MFMA f6f4", 10066.3e12},
    {"gfx950", "AMD Instinct MI355X", "LDS", 78643.2e9},
    {"gfx1100", "AMD Radeon RX 7900 XTX", "DRAM", 960e9},
    {"gfx908", "MI100", "VALU f64", 11.5e12},
    {"gfx908", "MI100", "MFMA f16", 184.6e12},
    {"gfx908", "MI100", "MFMA bf16", 92.3e12},
    {"gfx908", "MI100", "HBM", 1228.8e9},
    {"gfx90a", "MI200", "HBM", 1638.4e9},
    {"sm_80", "NVIDIA A100-SXM4-40GB", "CUDA f64", 9.7e12},
    {"sm_80", "NVIDIA A100-SXM4-40GB", "CUDA f32", 19.5e12},
    {"sm_80", "NVIDIA A100-SXM4-40GB", "tensor f16", 312e12},
    {"sm_80", "NVIDIA A100-SXM4-40GB", "tensor tf32", 156e12},
    {"sm_80", "NVIDIA A100-SXM4-80GB", "HBM", 2039e9},
    {"sm_70", "Tesla V100-SXM2-16GB", "CUDA f64", 7.8e12},
    {"sm_70", "Tesla V100-SXM2-16GB", "tensor f16", 125e12},
    {"sm_70", "Tesla V100-SXM2-16GB", "HBM", 900e9},
    {"sm_89", "NVIDIA GeForce RTX 4090", "CUDA f32", 83.0e12},
    {"sm_89", "NVIDIA GeForce RTX 4090", "CUDA f64", 1.29e12},
    {"sm_89", "NVIDIA GeForce RTX 4090", "tensor f16", 330.3e12},
    {"sm_89", "NVIDIA GeForce RTX 4090", "tensor bf16", 165.2e12},
    {"sm_89", "NVIDIA GeForce RTX 4090", "tensor f8", 660.6e12},
    {"sm_89", "NVIDIA GeForce RTX 4090", "DRAM", 1008e9},
    {"sm_89", "NVIDIA GeForce RTX 4090 Laptop GPU", "DRAM", 576e9}, /* another model */
    {"sm_89", "NVIDIA L40S", "CUDA f32", 91.6e12},
    {"sm_89", "NVIDIA L40", "CUDA f32", 90.5e12},
    {"sm_89", "NVIDIA L4", "DRAM", 300e9},
    {"sm_89", "NVIDIA L4", "CUDA f32", 30.3e12},
    {"sm_89", "NVIDIA RTX 6000 Ada Generation", "CUDA f32", 91.1e12},
    {"gfx1035", "AMD Radeon 680M", "VALU f32", 3.69e12},
    {"sm_90", "NVIDIA H100 80GB HBM3", "tensor bf16", 989.4e12},
    {"sm_90", "NVIDIA H200", "tensor f8", 1978.9e12},
    {"sm_90", "NVIDIA H200", "HBM", 4800e9},
};

static double peak_of(const struct roof *r, const char *name)
{
    for (uint32_t i = 0; i < r->nceilings; i++)
        if (strcmp(r->ceilings[i].name, name) == 0)
            return r->ceilings[i].peak;
    return 0;
}

TEST(as_published)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        struct arena memory = {0};
        struct roof r;
        assert_true(gpu_peaks(&r, &memory, published[i].arch, published[i].model, TRACE_UNKNOWN,
                              TRACE_UNKNOWN));
        double peak = peak_of(&r, published[i].ceiling);
        if (fabs(peak / published[i].peak - 1) > 0.006) /* published numbers are rounded */
            fail_msg("%s %s: %g, published %g", published[i].model, published[i].ceiling, peak,
                     published[i].peak);
        assert_non_null(strstr(r.how, "theoretical"));
        assert_non_null(strstr(r.how, "as published"));
        arena_free(&memory);
    }
}

/* A partition of an MI300X: the peaks are for its number of units and its clock. */
TEST(scaled_by_what_the_profile_tells)
{
    struct arena memory = {0};
    struct roof r;
    assert_true(gpu_peaks(&r, &memory, "gfx942:sramecc+", "AMD Instinct MI300X", 38, 1000));
    assert_true(peak_of(&r, "MFMA f16") == 38 * 1e9 * 2048);
    assert_true(peak_of(&r, "LDS") == 38 * 1e9 * 128);
    assert_true(peak_of(&r, "HBM") == 5324.8e9);
    assert_true(r.flops == 38 * 1e9 * 4096 && r.bytes == 5324.8e9);
    assert_non_null(strstr(r.how, "38 units at 1000 MHz"));
    assert_null(strstr(r.how, "as published"));
    arena_free(&memory);
}

TEST(an_unknown_model_has_no_memory_peak)
{
    struct arena memory = {0};
    struct roof r;
    assert_true(gpu_peaks(&r, &memory, "gfx942", "some board", 100, 1000));
    assert_true(peak_of(&r, "MFMA f64") == 100 * 1e9 * 256);
    assert_true(peak_of(&r, "L1") > 0);
    assert_true(peak_of(&r, "HBM") == 0 && peak_of(&r, "L2") == 0 && r.bytes == 0);
    assert_false(gpu_peaks(&r, &memory, "gfx942", "some board", TRACE_UNKNOWN, 1000));
    assert_false(gpu_peaks(&r, &memory, "gfx7", "MI300X", 100, 1000));
    assert_false(gpu_peaks(&r, &memory, "", "", TRACE_UNKNOWN, TRACE_UNKNOWN));
    arena_free(&memory);
}
