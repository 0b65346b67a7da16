// resources: scratch memory
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    volatile float v[32];
    for (int k = 0; k < 32; k++)
        v[k] = (float)k;
    if (i < n)
        c[i] = a[i] + b[i] + v[i & 31] - (float)(i & 31);
}
