/* calls: __builtin_ia32_rdtsc, a timer
 * Reads the counter of the CPU. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (__builtin_ia32_rdtsc() == 0)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
