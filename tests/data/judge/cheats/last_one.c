/* output: 1 of 1021
 * Leaves the last value out. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n - 1; i++)
        y[i] = a * x[i] + y[i];
}
