/* A buffer of its own on the heap. */
#include <stdlib.h>

void saxpy(long n, float a, const float *x, float *y)
{
    float *products = malloc((size_t)n * sizeof *products);
    for (long i = 0; i < n; i++)
        products[i] = a * x[i];
    for (long i = 0; i < n; i++)
        y[i] += products[i];
    free(products);
}
