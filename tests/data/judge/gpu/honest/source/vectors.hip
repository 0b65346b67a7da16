// honest: vector types
// baseline: tests/data/judge/gpu/source/vector_add.hip
#include <device.h>

typedef float float4 __attribute__((ext_vector_type(4)));

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x() * 4;
    if (i + 3 < n)
        *(float4 *)(c + i) = *(const float4 *)(a + i) + *(const float4 *)(b + i);
    else
        for (; i < n; i++)
            c[i] = a[i] + b[i];
}
