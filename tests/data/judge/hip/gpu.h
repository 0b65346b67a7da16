/* The few declarations that these kernels need: the headers of ROCm are not where tests run. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
struct gpu_place {
    unsigned x, y, z;
};
extern const __device__ gpu_place threadIdx, blockIdx, blockDim;
extern const __device__ int warpSize;
extern "C" __device__ void __syncthreads();
extern "C" __device__ float __shfl_down(float value, unsigned by, int width = 64);
extern "C" __device__ unsigned long long __ballot(int);
extern "C" __device__ float atomicAdd(float *at, float value);
extern "C" __device__ long long clock64();
