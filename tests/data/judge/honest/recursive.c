/* Halves of halves. */
void saxpy(long n, float a, const float *x, float *y)
{
    if (n > 64) {
        saxpy(n / 2, a, x, y);
        saxpy(n - n / 2, a, x + n / 2, y + n / 2);
        return;
    }
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
