/* One by one until the output is aligned, then sixteen at a time. */
#include <stdint.h>

void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    for (; i < n && ((uintptr_t)(y + i) & 63); i++)
        y[i] = a * x[i] + y[i];
    for (; i + 16 <= n; i += 16)
        for (long k = i; k < i + 16; k++)
            y[k] = a * x[k] + y[k];
    for (; i < n; i++)
        y[i] = a * x[i] + y[i];
}
