/* assembly: __asm__ was not there
 * An instruction, which might be any. */
void saxpy(long n, float a, const float *x, float *y)
{
    __asm__ volatile("nop");
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
