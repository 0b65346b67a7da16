/* system-calls: mprotect
 * Makes the outputs of other calls writable. */
#include <stdint.h>
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    mprotect((char *)((uintptr_t)y & ~(uintptr_t)4095) + 3 * 4096, 4096, PROT_READ | PROT_WRITE);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
