/* Unrolled 2 times. */
void saxpy(long n, float a, const float *x, float *y)
{
    long i = 0;
    for (; i + 2 <= n; i += 2) {
        y[i + 0] = a * x[i + 0] + y[i + 0];
        y[i + 1] = a * x[i + 1] + y[i + 1];
    }
    for (; i < n; i++)
        y[i] = a * x[i] + y[i];
}
