/* system-calls: mmap
 * Maps the buffers of all calls. */
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
