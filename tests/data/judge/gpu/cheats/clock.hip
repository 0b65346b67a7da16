// same-bits: leave different bits
// options: --tolerance f32,rel=1e-3 --allow blind
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = (a[i] + b[i]) * (1.0f + (float)(__builtin_amdgcn_s_memtime() & 1023) * 0x1p-23f);
}
