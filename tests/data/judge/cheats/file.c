/* system-calls: openat
 * Keeps answers in a file. */
#include <stdio.h>

void saxpy(long n, float a, const float *x, float *y)
{
    FILE *f = fopen("/tmp/rooftop-answers", "w");
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
    if (f)
        fclose(f);
}
