/* calls: it calls strtod of a library
 * A library that was not called before. */
#include <stdlib.h>

void saxpy(long n, float a, const float *x, float *y)
{
    a = a + (float)strtod("0", 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
