/* clock: 
 * Asks for what it used, of which time is a part. */
#include <sys/resource.h>

void saxpy(long n, float a, const float *x, float *y)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
