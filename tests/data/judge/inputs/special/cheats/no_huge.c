/* output: (a huge input)
 * Has less room for large numbers. */
void scale(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = __builtin_isfinite(x[i]) && x[i] * x[i] > 0x1p120f ? 0x1p60f : a * x[i];
}
