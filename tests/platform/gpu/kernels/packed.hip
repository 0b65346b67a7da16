// Two floats at a time, which compiles to packed instructions from -O1 on; and packed 16-bit integers.
#include "device.h"

typedef short short2 __attribute__((ext_vector_type(2)));

KERNEL packed_fma(const float2 *a, const float2 *b, float2 *out, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    float2 x = a[i], y = b[i];
    out[i] = __builtin_elementwise_fma(x, y, x + y) * (float2){2.0f, -0.5f};
}

KERNEL packed_short(const short2 *a, const short2 *b, short2 *out, int n)
{
    int i = global_x();
    if (i < n)
        out[i] = __builtin_elementwise_max(a[i] * b[i] + a[i], b[i] - a[i]);
}
