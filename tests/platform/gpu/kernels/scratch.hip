// Private memory: arrays that are indexed at run time and too large for registers; and calls.
#include "device.h"

enum { LENGTH = 96 };

KERNEL scratch_sort(const int *in, int *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    volatile int v[LENGTH];
    for (int k = 0; k < LENGTH; k++)
        v[k] = in[(i * 7 + k * 13) % n];
    for (int k = 1; k < LENGTH; k++)
        for (int j = k; j > 0 && v[j - 1] > v[j]; j--) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    out[i] = v[i & 63] - v[0];
}

// A pointer into private memory passed to a call: flat addresses of private memory.
static __attribute__((noinline)) __device__ void fill(int *v, int from)
{
    for (int k = 0; k < 24; k++)
        v[k] = from * k;
}

KERNEL scratch_call(const int *in, int *out, int n)
{
    int i = global_x(), v[24];
    if (i >= n)
        return;
    fill(v, in[i]);
    out[i] = v[i % 24] + v[23];
}

// Small arrays that are indexed at run time stay in registers, which are then indexed.
KERNEL indexed_registers(const int *in, int *out, int n)
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

// More live values than registers allowed: they are spilled.
extern "C" __global__ __attribute__((amdgpu_num_vgpr(20))) void spilled(const float *in, float *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    float v[40];
#pragma unroll
    for (int k = 0; k < 40; k++)
        v[k] = in[(i + k * 5) % n];
    float sum = 0;
#pragma unroll
    for (int k = 39; k >= 0; k--)
        sum = sum * 0.5f + v[k] * v[(k * 7) % 40];
    out[i] = sum;
}
