/* Has a way of its own for a factor of the harness, and one for all others. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (a == -2)
        for (long i = 0; i < n; i++)
            y[i] = y[i] - (x[i] + x[i]);
    else
        for (long i = 0; i < n; i++)
            y[i] = y[i] + a * x[i];
}
