/* system-calls: munmap
 * Unmaps its static data and wishes new memory to be at the same place. */
#include <sys/mman.h>

static char state[8192] __attribute__((aligned(4096)));

void saxpy(long n, float a, const float *x, float *y)
{
    void *page = state;
    munmap(page, 4096);
    if (mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == page)
        state[0]++;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
