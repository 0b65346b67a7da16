/* clock: 
 * Asks for the time of day. */
#include <sys/time.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct timeval now;
    gettimeofday(&now, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
