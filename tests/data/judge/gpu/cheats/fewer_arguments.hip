// arguments: it takes 3 arguments, not 4
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c)
{
    int i = global_x();
    c[i] = a[i] + b[i];
}
