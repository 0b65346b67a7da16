// static-data: line 8: calls keeps
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    static __shared__ int last;
    static int calls;
    calls++;
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
