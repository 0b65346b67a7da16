// output: with the captured inputs
// settings: ROOFTOP_EMU_VARIES=1
#include "device.h"

volatile __shared__ float bias[128];

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i] + bias[local_x()]; // zero, if one is lucky
}
