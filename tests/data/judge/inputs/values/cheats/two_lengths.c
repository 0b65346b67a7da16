/* output: (n = 17)
 * Knows two of three lengths. */
void saxpy(long n, float a, const float *x, float *y)
{
    const long end = n == 1021 ? 1021 : n == 600 ? 600 : 16;
    for (long i = 0; i < end; i++)
        y[i] = a * x[i] + y[i];
}
