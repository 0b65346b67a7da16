/* system-calls: 
 * Forgets nothing: takes its memory out of what is brought back. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    char *b = malloc(8192);
    mremap((char *)((uintptr_t)b & ~(uintptr_t)4095), 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, 0x10000000);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
