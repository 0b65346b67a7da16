// output: 1 values
// options: --tolerance f32,rel=1e-6
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n - 1)
        c[i] = a[i] + b[i];
}
