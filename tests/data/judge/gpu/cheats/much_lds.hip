// resources: LDS
#include "device.h"

__shared__ float tile[8192];

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    int t = local_x();
    for (int k = t; k < 8192; k += group_sizes()[0])
        tile[k] = (float)k;
    barrier();
    if (i < n)
        c[i] = a[i] + b[i] + tile[(t * 7) & 8191] - (float)((t * 7) & 8191);
}
