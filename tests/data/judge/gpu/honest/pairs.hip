// honest: pairs
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x() * 2;
    if (i + 1 < n)
        *(float2 *)(c + i) = *(const float2 *)(a + i) + *(const float2 *)(b + i);
    else if (i < n)
        c[i] = a[i] + b[i];
}
