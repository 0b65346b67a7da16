// output: with the captured inputs
// options: --tolerance f32,rel=1e-4,abs=1e-3
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    union {
        float f;
        uint bits;
    } sum = {.f = a[i] + b[i]};
    sum.bits &= 0xffff0000; // what is left in bf16
    c[i] = sum.f;
}
