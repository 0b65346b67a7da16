// Clears each output before it writes it: a source that can be made faster.
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n) {
        *(volatile float *)(c + i) = 0;
        c[i] = a[i] + b[i];
    }
}
