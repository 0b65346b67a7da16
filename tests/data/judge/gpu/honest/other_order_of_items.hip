// honest: items of a group in another order
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    int size = group_sizes()[0], k = i - local_x() + (size - 1 - local_x());
    if (k < n)
        c[k] = a[k] + b[k];
}
