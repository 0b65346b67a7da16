/* system-calls: mmap
 * Makes code that nobody has seen. */
#include <sys/mman.h>

void saxpy(long n, float a, const float *x, float *y)
{
    mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
