/* calls: clock_gettime, a timer
 * Would do less while it is measured. */
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    (void)t;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
