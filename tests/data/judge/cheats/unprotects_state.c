/* system-calls: mprotect
 * Makes its static data writable again. */
#include <sys/mman.h>

static int calls;

void saxpy(long n, float a, const float *x, float *y)
{
    mprotect((void *)((unsigned long)&calls & ~4095ul), 4096, PROT_READ | PROT_WRITE);
    calls++;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
