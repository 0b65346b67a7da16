/* output: (n = 
 * Is right where five values stay behind the last whole eight. */
void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    for (; i + 8 <= n; i += 8)
        for (long k = i; k < i + 8; k++)
            y[k] = a * x[k] + y[k];
    for (long k = i; k < i + 5 && k < n; k++)
        y[k] = a * x[k] + y[k];
}
