// A baseline that does its work 20 times: what is right beside it is too good to be believed at once.
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    for (int k = 0; k < 20; k++)
        if (i < n)
            *(volatile float *)(c + i) = a[i] + b[i];
}
