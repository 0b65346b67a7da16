/* system-calls: madvise
 * Keeps one bit of state: its first call throws away what was written to its static data when it
 * was loaded, and later calls see that. */
#include <sys/mman.h>

static char page[8192] __attribute__((aligned(4096))) = {1};

__attribute__((constructor)) static void begin(void)
{
    page[0] = 2;
}

void saxpy(long n, float a, const float *x, float *y)
{
    if (page[0] == 2)
        madvise(page, 4096, MADV_DONTNEED);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
