// arguments: argument 4
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, long n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
