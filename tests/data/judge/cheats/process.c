/* system-calls: 
 * Lets another process work. */
#include <unistd.h>

void saxpy(long n, float a, const float *x, float *y)
{
    fork();
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
