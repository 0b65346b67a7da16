/* assembly: was not there
 * A harmless name for a timer. */
extern float sqrtf(float) __asm__("clock");

void saxpy(long n, float a, const float *x, float *y)
{
    a = a + 0 * sqrtf(a);
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
