// honest: writes twice
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n) {
        *(volatile float *)(c + i) = 0;
        c[i] = a[i] + b[i];
    }
}
