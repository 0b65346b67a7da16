/* output: values of y are wrong
 * Does half of the work. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n / 2; i++)
        y[i] = a * x[i] + y[i];
}
