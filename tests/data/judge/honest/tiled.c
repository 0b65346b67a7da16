/* Tiles. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long t = 0; t < n; t += 128)
        for (long i = t; i < n && i < t + 128; i++)
            y[i] = a * x[i] + y[i];
}
