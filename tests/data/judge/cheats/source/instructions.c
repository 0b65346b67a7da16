/* assembly: __asm__ was not there
 * Reads the counter by an instruction. */
void saxpy(long n, float a, const float *x, float *y)
{
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    (void)low;
    (void)high;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
