/* y = a*x + y on a GPU, told in bricks, and what the telling costs in each sync mode.
 *
 *     nvcc -O2 -Iinclude examples/cuda/saxpy.cu build/release/librooftop.a -lpthread -o saxpy
 *
 * Compiled in development, never run there: no GPU was at hand. */
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include <rooftop/brick_cuda.h>

static void must(cudaError_t rc, const char *what)
{
    if (rc == cudaSuccess)
        return;
    std::fprintf(stderr, "saxpy: %s: %s\n", what, cudaGetErrorString(rc));
    std::exit(1);
}

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

struct buffers {
    int n;
    float *x, *y;
    cudaStream_t stream;
};

static uint64_t now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/* Nanoseconds a launch took, all of them enqueued and waited for. */
static double launches(const buffers &b, int count, rooftop_sync mode)
{
    const uint32_t block[3] = {256, 1, 1};
    const uint32_t grid[3] = {uint32_t(b.n + 255) / 256, 1, 1};
    rooftop_id kernel = rooftop_kernel("saxpy", 0, grid, block, 0);
    rooftop_set_sync(mode);
    uint64_t start = now_ns();
    for (int i = 0; i < count; i++) {
        rooftop_timer t = rooftop_start(kernel);
        saxpy<<<grid[0], block[0], 0, b.stream>>>(b.n, 0.5f, b.x, b.y);
        /* x and y are read, y is written; a product and a sum each */
        rooftop_stop_work(t, uint64_t(b.n), 12 * uint64_t(b.n), 2 * uint64_t(b.n));
    }
    must(cudaGetLastError(), "launch");
    must(cudaStreamSynchronize(b.stream), "wait");
    double each = double(now_ns() - start) / count;
    rooftop_finalize(0);
    return each;
}

static void copy(const buffers &b, std::vector<float> &host, bool down)
{
    size_t bytes = host.size() * sizeof(float);
    rooftop_timer t =
        rooftop_start(down ? rooftop_transfer(ROOFTOP_DEVICE_TO_HOST, "y", "host")
                           : rooftop_transfer(ROOFTOP_HOST_TO_DEVICE, "host", "y"));
    must(down ? cudaMemcpyAsync(host.data(), b.y, bytes, cudaMemcpyDeviceToHost, b.stream)
              : cudaMemcpyAsync(b.y, host.data(), bytes, cudaMemcpyHostToDevice, b.stream),
         "copy");
    rooftop_stop_work(t, host.size(), bytes, 0);
}

int main()
{
    const int count = 1000;
    buffers b = {1 << 20, nullptr, nullptr, nullptr};
    std::vector<float> host(size_t(b.n), 1.0f);
    must(cudaStreamCreate(&b.stream), "stream");
    must(cudaMalloc(&b.x, host.size() * sizeof(float)), "memory for x");
    must(cudaMalloc(&b.y, host.size() * sizeof(float)), "memory for y");
    must(cudaMemset(b.x, 0, host.size() * sizeof(float)), "x");
    rooftop_cuda events;
    must(cudaError_t(rooftop_cuda_open(&events, b.stream)), "events");
    copy(b, host, false);
    launches(b, count, ROOFTOP_NONE); /* warm */
    const double none = launches(b, count, ROOFTOP_NONE);
    const double deferred = launches(b, count, ROOFTOP_DEFERRED);
    const double immediate = launches(b, count, ROOFTOP_IMMEDIATE);
    rooftop_set_sync(ROOFTOP_DEFERRED);
    copy(b, host, true);
    rooftop_cuda_close(&events);
    std::printf("ns per launch: none %.0f, deferred %.0f (%+.1f%%), immediate %.0f (%+.1f%%)\n",
                none, deferred, 100 * (deferred / none - 1), immediate,
                100 * (immediate / none - 1));
    bool right = host[0] == 1.0f && host.back() == 1.0f; /* x is 0: y stays */
    std::printf("result %s\n", right ? "right" : "WRONG");
    cudaFree(b.x);
    cudaFree(b.y);
    cudaStreamDestroy(b.stream);
    return right ? 0 : 1;
}
