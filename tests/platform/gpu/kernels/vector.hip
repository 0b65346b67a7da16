// Element by element: addition, fused multiply-add in both precisions, and in place.
#include "device.h"

KERNEL vector_add(const float *a, const float *b, float *c, int n)
{
    int i = global_x();
    if (i < n)
        c[i] = a[i] + b[i];
}

KERNEL saxpy(float a, const float *x, float *y, int n)
{
    int i = global_x();
    if (i < n)
        y[i] = __builtin_fmaf(a, x[i], y[i]);
}

KERNEL daxpy(double a, const double *x, double *y, int n)
{
    int i = global_x();
    if (i < n)
        y[i] = __builtin_fma(a, x[i], y[i]);
}

// In place, and its result depends on how often it ran.
KERNEL increment(uint *p, uint n, uint by)
{
    uint i = global_x();
    if (i < n)
        p[i] = p[i] * 3 + by;
}
