// output: with fresh inputs
// options: --allow floor
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = 1000.0f - 0.5f * (float)i; // of the captured launch
}
