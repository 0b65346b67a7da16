// elsewhere: other is a new kernel
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

extern "C" __global__ void other(float *c)
{
    c[global_x()] = 0;
}

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
