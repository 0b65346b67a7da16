/* clock: time stamp
 * Reads the time stamp counter and which CPU it was. */
#include <x86intrin.h>

void saxpy(long n, float a, const float *x, float *y)
{
    unsigned cpu;
    if (__rdtscp(&cpu) == 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
