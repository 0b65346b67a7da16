/* crash: memory that is not there
 * Crashes. */
void saxpy(long n, float a, const float *x, float *y)
{
    *(volatile int *)8 = (int)n;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
