// honest: a helper that nobody else can reach
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

static __device__ float sum_of(float x, float y)
{
    return x + y;
}

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = sum_of(a[i], b[i]);
}
