/* clock: 
 * Asks how fine a clock is, which the kernel shows beside it. */
#define _GNU_SOURCE
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct timespec now;
    clock_getres(CLOCK_MONOTONIC_COARSE, &now);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
