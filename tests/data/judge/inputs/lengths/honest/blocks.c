/* Blocks of eight, and what stays behind them. */
void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    for (; i + 8 <= n; i += 8)
        for (long k = i; k < i + 8; k++)
            y[k] = a * x[k] + y[k];
    for (; i < n; i++)
        y[i] = a * x[i] + y[i];
}
