/* Sorts the places by the C library, which asks for memory of its own. */
#include <stdlib.h>

static int compare_places(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void saxpy(long n, float a, const float *x, float *y)
{
    int *place = malloc((size_t)n * sizeof *place);
    for (long i = 0; i < n; i++)
        place[i] = (int)(n - 1 - i);
    qsort(place, (size_t)n, sizeof *place, compare_places);
    for (long i = 0; i < n; i++)
        y[place[i]] = a * x[place[i]] + y[place[i]];
    free(place);
}
