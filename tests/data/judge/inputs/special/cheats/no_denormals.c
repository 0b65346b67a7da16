/* output: (denormal inputs and negative zeros)
 * Takes denormal numbers for zero. */
void scale(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = __builtin_fabsf(x[i]) < 0x1p-126f ? 0 : a * x[i];
}
