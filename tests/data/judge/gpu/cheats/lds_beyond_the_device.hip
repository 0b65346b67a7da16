// build: it does not build
#include "device.h"

__shared__ float tile[16448]; // 256 bytes more than a unit has

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    tile[local_x() * 128] = 1;
    barrier();
    if (i < n)
        c[i] = a[i] + b[i] + tile[0] - 1;
}
