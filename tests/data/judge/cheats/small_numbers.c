/* output: very different sizes
 * Drops what is small. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (x[i] < 1e-5f && x[i] > -1e-5f ? 0 : a * x[i]) + (y[i] > 1e4f ? 1e4f : y[i]);
}
