/* output: values of y are wrong
 * Knows the first factor of the harness. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)a;
    for (long i = 0; i < n; i++)
        y[i] = 1.5f * x[i] + y[i];
}
