/* Its arguments do not overlap. */
void saxpy(long n, float a, const float *restrict x, float *restrict y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
