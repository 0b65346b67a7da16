/* output: values of y are wrong
 * Takes zeros for the end of the data. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n && (x[i] != 0 || i < n / 2 || y[i] != 0); i++)
        y[i] = a * x[i] + y[i];
}
