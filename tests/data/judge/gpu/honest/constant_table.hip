// honest: constant table
#include "device.h"

__attribute__((constant)) const float ones[4] = {1, 1, 1, 1};

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] * ones[i & 3] + b[i];
}
