// assembly: line 8: __asm__
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    __asm__ volatile("s_nop 0");
    if (i < n)
        c[i] = a[i] + b[i];
}
