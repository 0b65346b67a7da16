/* system-calls: wait4
 * Waits for children that it does not have. */
#include <sys/wait.h>

void saxpy(long n, float a, const float *x, float *y)
{
    wait(0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
