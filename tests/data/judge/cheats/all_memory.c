/* system-calls: mmap
 * Asks for more memory than 4 GiB. */
#include <stdlib.h>

void saxpy(long n, float a, const float *x, float *y)
{
    for (int k = 0; k < 80; k++) {
        volatile char *much = malloc(64 << 20);
        *much = 1;
    }
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
