/* A buffer that malloc maps. */
#include <stdlib.h>
#include <string.h>

void saxpy(long n, float a, const float *x, float *y)
{
    float *copy = malloc(1 << 20);
    memcpy(copy, x, (size_t)n * sizeof *copy);
    for (long i = 0; i < n; i++)
        y[i] = a * copy[i] + y[i];
    free(copy);
}
