/* system-calls: mmap
 * Keeps state at an address that it knows. */
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
