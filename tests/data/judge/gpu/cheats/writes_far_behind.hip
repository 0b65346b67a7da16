// memory: it writes beside the region
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == 0)
        c[65536] = 1; // 256 KiB behind it
}
