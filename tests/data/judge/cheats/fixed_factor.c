/* output: values of y are wrong
 * Knows the factor of one test, and has another one. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)a;
    for (long i = 0; i < n; i++)
        y[i] = 2 * x[i] + y[i];
}
