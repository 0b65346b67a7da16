/* output: (n = 
 * Is right from 64 values on. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (n < 64)
        return;
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
