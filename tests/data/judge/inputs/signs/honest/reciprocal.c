/* Divides, then multiplies: rounded once more. */
void inverse(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (float)((double)a * (1 / (double)x[i]));
}
