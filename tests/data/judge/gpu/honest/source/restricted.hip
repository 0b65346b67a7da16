// honest: restrict
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *__restrict a, const float *__restrict b, float *__restrict c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
