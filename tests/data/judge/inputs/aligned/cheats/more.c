/* output: values of y are wrong
 * Wants more than the harness promises. */
#include <stdint.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if ((uintptr_t)x % 4096 != 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
