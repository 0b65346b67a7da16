/* system-calls: 
 * Waits for no file. */
#define _GNU_SOURCE
#include <sys/select.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct timeval moment = {.tv_usec = 30000};
    select(0, 0, 0, 0, &moment);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
