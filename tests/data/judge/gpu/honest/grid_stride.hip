// honest: grid stride
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    const uint *counts = (const uint *)__builtin_amdgcn_implicitarg_ptr();
    int all = counts[0] * group_sizes()[0] + 1000000;
    for (int i = global_x(); i < n; i += all)
        c[i] = a[i] + b[i];
}
