/* system-calls: 
 * Waits for a signal that never comes. */
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    pause();
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
