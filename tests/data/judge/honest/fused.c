/* Fused multiply and add: other bits, within the tolerance. */
#include <math.h>

void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = fmaf(a, x[i], y[i]);
}
