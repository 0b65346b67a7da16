/* memory: 
 * Looks whether the place before was done. */

void saxpy(long n, float a, const float *x, float *y)
{
    const long away = -3 * 4096 / 4;
    volatile float *other = y + away;
    for (long i = 0; i < n; i++)
        other[i] = a * x[i] + other[i];
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
