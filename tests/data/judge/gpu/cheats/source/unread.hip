// parse: line 9: use of undeclared
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[j];
}
