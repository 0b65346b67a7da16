/* In another order, rounded once more. */
void scale(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = x[i] + 0.5f * x[i];
}
