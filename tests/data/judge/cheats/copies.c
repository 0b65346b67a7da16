/* output: values of y are wrong
 * Copies its input. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)a;
    for (long i = 0; i < n; i++)
        y[i] = x[i];
}
