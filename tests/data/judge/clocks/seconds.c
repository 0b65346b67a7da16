/* clock: 
 * Asks for the seconds. */
#define _GNU_SOURCE
#include <time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if (time(0) == 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
