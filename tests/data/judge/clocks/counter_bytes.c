/* clock: time stamp
 * Reads the time stamp counter, behind a prefix. */
#include <stdint.h>

void saxpy(long n, float a, const float *x, float *y)
{
    uint32_t low, high;
    __asm__ volatile(".byte 0x66; rdtsc" : "=a"(low), "=d"(high));
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
