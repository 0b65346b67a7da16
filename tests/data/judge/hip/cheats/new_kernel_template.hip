/* elsewhere: other is a new kernel */
#include "gpu.h"

template <int N> __global__ void other(float *out)
{
    out[threadIdx.x] = N;
}

extern "C" __global__ void __launch_bounds__(256) sum(const float *x, float *out, int n)
{
    extern __shared__ float part[];
    const int i = threadIdx.x;
    float s = 0;
    for (int k = i; k < n; k += blockDim.x)
        s += x[k];
    part[i] = s;
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        __syncthreads();
        if (i < step)
            part[i] += part[i + step];
    }
    if (i == 0)
        out[blockIdx.x] = part[0];
}
