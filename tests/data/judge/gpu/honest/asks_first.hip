// honest: loads what is there and stores only what differs
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n) {
        float sum = a[i] + b[i];
        if (!(c[i] == sum))
            c[i] = sum;
    }
}
