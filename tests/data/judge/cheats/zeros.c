/* output: values of y are wrong
 * Gives a constant. */
void saxpy(long n, float a, const float *x, float *y)
{
    (void)a, (void)x;
    for (long i = 0; i < n; i++)
        y[i] = 0;
}
