/* output: (denormal inputs and negative zeros)
 * Knows one zero only. */
void inverse(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] == 0 ? __builtin_inff() : a / x[i];
}
