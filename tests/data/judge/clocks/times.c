/* clock: 
 * Asks for the times of its process. */
#include <sys/times.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct tms t;
    times(&t);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
