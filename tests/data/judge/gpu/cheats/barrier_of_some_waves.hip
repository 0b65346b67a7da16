// barriers: not all waves
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile[256];
    int i = global_x(), t = local_x();
    volatile float *at = tile;
    at[t] = i < n ? a[i] : 0.0f;
    if (__builtin_amdgcn_readfirstlane(t) < 64)
        barrier();
    if (i < n)
        c[i] = at[t] + b[i];
}
