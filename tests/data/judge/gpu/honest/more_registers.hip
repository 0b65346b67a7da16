// honest: more registers
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    __asm__ volatile("v_mov_b32 v40, 0" ::: "v40");
    if (i < n)
        c[i] = a[i] + b[i];
}
