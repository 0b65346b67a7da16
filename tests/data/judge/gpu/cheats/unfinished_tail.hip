// output: with the captured inputs
#include "device.h"

typedef float float4 __attribute__((ext_vector_type(4)));

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x() * 4;
    if (i + 64 < n) // whole rows only
        *(float4 *)(c + i) = *(const float4 *)(a + i) + *(const float4 *)(b + i);
}
