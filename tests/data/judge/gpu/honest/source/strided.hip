// honest: several values of each item
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    for (int k = i; k < n; k += 1 << 20)
        c[k] = a[k] + b[k];
}
