/* state: rounding
 * Switches denormal numbers off for itself and all that comes after it. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

void saxpy(long n, float a, const float *x, float *y)
{
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
