/* memory: behind the end of
 * Writes one value too many. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i <= n + 15; i++)
        y[i] = a * x[i < n ? i : 0] + y[i];
}
