/*
 * Bricks on a real GPU of NVIDIA or AMD, for gpu.py, which compiles and runs it:
 *
 *     spans cost US MODE   what the bricks of a mode (off, deferred, layer, immediate) cost around kernels of US microseconds
 *     spans times          kernels of known lengths in bricks, each also between two events of its own
 *     spans roofs          FLOP/s and bytes/s that plain kernels reach, and bricks under those roofs
 *
 * Each prints one JSON object on standard output. Times are in ns, rates in FLOP/s and bytes/s.
 */
#ifdef __HIP__
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef __HIP__ /* the same program for AMD: hipcc compiles it as HIP */
#define cudaError_t              hipError_t
#define cudaSuccess              hipSuccess
#define cudaGetErrorString       hipGetErrorString
#define cudaStream_t             hipStream_t
#define cudaStreamCreate         hipStreamCreate
#define cudaStreamSynchronize    hipStreamSynchronize
#define cudaEvent_t              hipEvent_t
#define cudaEventCreate          hipEventCreate
#define cudaEventRecord          hipEventRecord
#define cudaEventElapsedTime     hipEventElapsedTime
#define cudaMalloc               hipMalloc
#define cudaMemset               hipMemset
#define cudaDeviceProp           hipDeviceProp_t
#define cudaGetDeviceProperties  hipGetDeviceProperties
#define rooftop_cuda             rooftop_hip
#define rooftop_cuda_open        rooftop_hip_open
#define rooftop_cuda_close       rooftop_hip_close
#include <rooftop/brick_hip.h>
#else
#include <rooftop/brick_cuda.h>
#endif

static void must(cudaError_t rc, const char *what)
{
    if (rc == cudaSuccess)
        return;
    std::fprintf(stderr, "spans: %s: %s\n", what, cudaGetErrorString(rc));
    std::exit(1);
}

/* Multiplies and adds; eight chains hide the latency of the units. Writes only to keep the work. */
__global__ void multiply_add(int rounds, float *out)
{
    float a[8];
    for (int k = 0; k < 8; k++)
        a[k] = float(threadIdx.x + k);
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int repeat = 0; repeat < 16; repeat++) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                a[k] = a[k] * 0.999f + 0.001f;
        }
    }
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += a[k];
    if (sum == -1.0f)
        out[blockIdx.x] = sum;
}
enum { FLOPS_A_ROUND = 2 * 8 * 16 };

__global__ void triad(size_t n, float4 *a, const float4 *b, const float4 *c)
{
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + 2 * y.x, x.y + 2 * y.y, x.z + 2 * y.z, x.w + 2 * y.w);
    }
}

struct device {
    cudaStream_t stream;
    int blocks;
    float *out;
    cudaEvent_t begin, end;
};
enum { THREADS = 256 };

static device open_device()
{
    device d;
    cudaDeviceProp properties;
    must(cudaGetDeviceProperties(&properties, 0), "device 0");
    d.blocks = properties.multiProcessorCount * 8;
    must(cudaStreamCreate(&d.stream), "stream");
    must(cudaMalloc(&d.out, size_t(d.blocks) * sizeof(float)), "memory");
    must(cudaEventCreate(&d.begin), "event");
    must(cudaEventCreate(&d.end), "event");
    return d;
}

static void launch_rounds(const device &d, int rounds)
{
    multiply_add<<<d.blocks, THREADS, 0, d.stream>>>(rounds, d.out);
}

static double event_ns(cudaEvent_t begin, cudaEvent_t end)
{
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end), "time between events");
    return double(ms) * 1e6;
}

/* ns of one launch of so many rounds: the least of 20, after as many to warm up */
static double time_rounds(const device &d, int rounds)
{
    double least = 1e18;
    for (int i = 0; i < 40; i++) {
        must(cudaEventRecord(d.begin, d.stream), "record");
        launch_rounds(d, rounds);
        must(cudaEventRecord(d.end, d.stream), "record");
        must(cudaStreamSynchronize(d.stream), "wait");
        if (i >= 20)
            least = std::min(least, event_ns(d.begin, d.end));
    }
    return least;
}

static int rounds_of(const device &d, double us)
{
    const int few = 100, many = 1100;
    const double slope = (time_rounds(d, many) - time_rounds(d, few)) / (many - few);
    return std::max(1, int(us * 1e3 / slope));
}

static uint64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/* --- cost: the elapsed time of 20 layers of 16 kernels; the least of 9 tries --- */
static int cost(double us, const char *mode)
{
    device d = open_device();
    const int rounds = rounds_of(d, us);
    const uint32_t grid[3] = {uint32_t(d.blocks), 1, 1}, block[3] = {THREADS, 1, 1};
    const rooftop_id kernel = rooftop_kernel("multiply_add", 0, grid, block, 0);
    rooftop_cuda events;
    must(cudaError_t(rooftop_cuda_open(&events, d.stream)), "events of the bricks");
    rooftop_set_sync(!strcmp(mode, "off")        ? ROOFTOP_NONE
                     : !strcmp(mode, "deferred") ? ROOFTOP_DEFERRED
                     : !strcmp(mode, "layer")    ? ROOFTOP_PER_LAYER
                                                 : ROOFTOP_IMMEDIATE);
    uint64_t least = UINT64_MAX;
    for (int attempt = 0; attempt < 9; attempt++) {
        const uint64_t start = now_ns();
        for (uint32_t l = 0; l < 20; l++) {
            rooftop_timer layer = rooftop_start(rooftop_layer(l));
            for (int i = 0; i < 16; i++) {
                rooftop_timer t = rooftop_start(kernel);
                launch_rounds(d, rounds);
                rooftop_stop(t, 1);
            }
            rooftop_stop(layer, 16);
        }
        must(cudaStreamSynchronize(d.stream), "wait");
        rooftop_finalize(0);
        least = std::min(least, now_ns() - start);
    }
    rooftop_cuda_close(&events);
    std::printf("{\"mode\": \"%s\", \"kernel_us\": %g, \"kernels\": %d, \"wall_ns\": %llu}\n", mode, us, 20 * 16,
                (unsigned long long)least);
    return 0;
}

/* --- times: the same launches, timed by two events of their own inside the brick --- */
static int times()
{
    device d = open_device();
    rooftop_cuda events;
    std::vector<cudaEvent_t> own(2 * 50);
    for (cudaEvent_t &e : own)
        must(cudaEventCreate(&e), "event");
    const double lengths_us[] = {50, 500, 5000};
    const uint32_t grid[3] = {uint32_t(d.blocks), 1, 1}, block[3] = {THREADS, 1, 1};
    int rounds[3];
    for (int k = 0; k < 3; k++)
        rounds[k] = rounds_of(d, lengths_us[k]);
    must(cudaError_t(rooftop_cuda_open(&events, d.stream)), "events of the bricks");
    rooftop_set_sync(ROOFTOP_DEFERRED);
    std::printf("{\"kernels\": [");
    for (int k = 0; k < 3; k++) {
        const std::string name = "spin_" + std::to_string(int(lengths_us[k]));
        const rooftop_id kernel = rooftop_kernel(name.c_str(), 0, grid, block, 0);
        for (size_t i = 0; i < own.size(); i += 2) {
            rooftop_timer t = rooftop_start(kernel);
            must(cudaEventRecord(own[i], d.stream), "record");
            launch_rounds(d, rounds[k]);
            must(cudaEventRecord(own[i + 1], d.stream), "record");
            rooftop_stop(t, 1);
        }
        must(cudaStreamSynchronize(d.stream), "wait");
        rooftop_finalize(0);
        double sum = 0;
        for (size_t i = 0; i < own.size(); i += 2)
            sum += event_ns(own[i], own[i + 1]);
        std::printf("%s{\"name\": \"%s\", \"calls\": %zu, \"event_ns\": %.0f}", k ? ", " : "", name.c_str(), own.size() / 2, sum);
    }
    std::printf("]}\n");
    rooftop_cuda_close(&events);
    return 0;
}

/* --- roofs: what plain kernels reach, then bricks whose declared work stands under those roofs --- */
static double triad_bytes(const device &d, size_t n, float4 *a, const float4 *b, const float4 *c)
{
    double least = 1e18;
    for (int i = 0; i < 20; i++) {
        must(cudaEventRecord(d.begin, d.stream), "record");
        triad<<<d.blocks, 1024 / 4 * 2, 0, d.stream>>>(n, a, b, c);
        must(cudaEventRecord(d.end, d.stream), "record");
        must(cudaStreamSynchronize(d.stream), "wait");
        least = std::min(least, event_ns(d.begin, d.end));
    }
    return 3.0 * double(n) * sizeof(float4) / least * 1e9;
}

static int roofs()
{
    device d = open_device();
    const size_t n = size_t(64) << 20; /* float4: a GiB each, far above any cache */
    float4 *a, *b, *c;
    must(cudaMalloc(&a, n * sizeof *a), "memory");
    must(cudaMalloc(&b, n * sizeof *b), "memory");
    must(cudaMalloc(&c, n * sizeof *c), "memory");
    must(cudaMemset(b, 0, n * sizeof *b), "memory");
    must(cudaMemset(c, 0, n * sizeof *c), "memory");
    const int rounds = rounds_of(d, 5000);
    const double work = double(rounds) * FLOPS_A_ROUND * THREADS * d.blocks;
    const double flops = work / time_rounds(d, rounds) * 1e9;
    const double bytes = triad_bytes(d, n, a, b, c);
    rooftop_cuda events;
    must(cudaError_t(rooftop_cuda_open(&events, d.stream)), "events of the bricks");
    rooftop_set_sync(ROOFTOP_DEFERRED);
    const rooftop_id backend = rooftop_backend("gpu:0", flops, bytes, "measured at start");
    const uint32_t grid[3] = {uint32_t(d.blocks), 1, 1}, block[3] = {THREADS, 1, 1};
    const rooftop_id compute = rooftop_kernel("multiply_add", 0, grid, block, 0), memory = rooftop_kernel("triad", 0, grid, block, 0);
    rooftop_timer scope = rooftop_start(backend);
    for (int i = 0; i < 20; i++) {
        rooftop_timer t = rooftop_start(compute);
        launch_rounds(d, rounds);
        rooftop_stop_work(t, 1, 64, uint64_t(work));
        t = rooftop_start(memory);
        triad<<<d.blocks, 1024 / 4 * 2, 0, d.stream>>>(n, a, b, c);
        rooftop_stop_work(t, n, 3 * n * sizeof(float4), 8 * n);
    }
    must(cudaStreamSynchronize(d.stream), "wait");
    rooftop_stop(scope, 0);
    rooftop_finalize(0);
    rooftop_cuda_close(&events);
    std::printf("{\"flops\": %.6g, \"bytes\": %.6g}\n", flops, bytes);
    return 0;
}

int main(int argc, char **argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "cost" && argc == 4)
        return cost(atof(argv[2]), argv[3]);
    if (what == "times" && argc == 2)
        return times();
    if (what == "roofs" && argc == 2)
        return roofs();
    std::fprintf(stderr, "usage: spans cost US off|deferred|layer|immediate | times | roofs\n");
    return 2;
}
