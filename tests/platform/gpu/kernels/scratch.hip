// Private memory: an array that is indexed at run time, so that it cannot stay in registers; and a call.
#include "device.h"

KERNEL scratch_sort(const int *in, int *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    int v[16];
    for (int k = 0; k < 16; k++)
        v[k] = in[(i * 7 + k * 13) % n];
    for (int k = 1; k < 16; k++)
        for (int j = k; j > 0 && v[j - 1] > v[j]; j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    out[i] = v[i & 15] - v[0];
}

static __attribute__((noinline)) __device__ float polynomial(float x, int depth)
{
    float r = 0;
    for (int k = 0; k < depth; k++)
        r = r * x + (float)k;
    return r;
}

KERNEL device_call(const float *in, float *out, int n)
{
    int i = global_x();
    if (i < n)
        out[i] = polynomial(in[i], 3 + (i & 7));
}
