/* static-data: it uses the variable stdout
 * A variable of the C library. */
#include <stdio.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if (!stdout)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
