/* calls: getenv, environment
 * Behaves otherwise where it is measured. */
#include <stdlib.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if (getenv("ROOFTOP"))
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
