/* output: no more aligned than their types
 * Is right where arrays are aligned as malloc aligns them. */
#include <stdint.h>

void saxpy(long n, float a, const float *x, float *y)
{
    if ((uintptr_t)x % 16 != 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
