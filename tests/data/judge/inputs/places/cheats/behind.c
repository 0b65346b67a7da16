/* memory: behind the end of x
 * Reads the value behind its input. */
void saxpy(long n, float a, const float *x, float *y)
{
    volatile float next = x[n];
    (void)next;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
