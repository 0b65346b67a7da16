/* calls: fopen
 * Keeps its answers in a file. */
#include <stdio.h>

void saxpy(long n, float a, const float *x, float *y)
{
    FILE *f = fopen("/tmp/answers", "r");
    (void)f;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
