// calls: line 8: __builtin_amdgcn_s_memtime, a timer
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (__builtin_amdgcn_s_memtime() == 0)
        return;
    if (i < n)
        c[i] = a[i] + b[i];
}
