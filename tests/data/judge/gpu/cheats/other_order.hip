// arguments: argument 1
#include "device.h"

KERNEL vector_add(int n, const float *a, const float *b, float *c)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}
