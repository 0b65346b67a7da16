/* system-calls: 
 * Waits for nothing. */
#define _GNU_SOURCE
#include <poll.h>

void saxpy(long n, float a, const float *x, float *y)
{
    poll(0, 0, 30);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
