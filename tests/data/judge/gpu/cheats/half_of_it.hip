// output: with the captured inputs
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n / 2)
        c[i] = a[i] + b[i];
}
