// Half precision, one and two at a time.
#include "device.h"

KERNEL half_axpy(half a, const half *x, half *y, int n)
{
    int i = global_x();
    if (i < n)
        y[i] = __builtin_fmaf16(a, x[i], y[i]);
}

KERNEL half2_mix(const half2 *a, const half2 *b, half2 *out, int n)
{
    int i = global_x();
    if (i < n)
        out[i] = __builtin_elementwise_max(a[i] * b[i] + a[i], -b[i]);
}

KERNEL half_to_float(const half *in, float *out, half *back, int n)
{
    int i = global_x();
    if (i >= n)
        return;
    out[i] = (float)in[i] * 1.5f;
    back[i] = (half)(out[i] + 0.25f);
}
