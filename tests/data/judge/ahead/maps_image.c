/* system-calls: mmap
 * Maps the file of what the memory was, to change what calls find. */
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 6, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
