/* calls: clock, a timer
 * In a new function. */
#include <time.h>

static inline float none(void)
{
    return 0 * (float)clock();
}

void saxpy(long n, float a, const float *x, float *y)
{
    a += none();
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
