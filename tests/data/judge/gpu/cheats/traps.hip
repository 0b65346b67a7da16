// crash: illegal instruction
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
    if (i == n - 1)
        __builtin_trap();
}
