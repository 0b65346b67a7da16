/* clock: 
 * Asks for the time by CLOCK_MONOTONIC_RAW. */
#define _GNU_SOURCE
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
