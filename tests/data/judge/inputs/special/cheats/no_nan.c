/* output: (inputs with NaN)
 * Takes NaN for zero. */
void scale(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] == x[i] ? a * x[i] : 0;
}
