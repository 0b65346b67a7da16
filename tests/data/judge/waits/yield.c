/* system-calls: sched_yield
 * Lets others run. */
#include <sched.h>

void saxpy(long n, float a, const float *x, float *y)
{
    for (int i = 0; i < 100; i++)
        sched_yield();
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
