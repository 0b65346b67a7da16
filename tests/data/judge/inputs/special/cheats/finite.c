/* output: (inputs with infinities)
 * Takes what is infinite for the largest number. */
void scale(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * (__builtin_isinf(x[i]) ? 0x1p126f : x[i]);
}
