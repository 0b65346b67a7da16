/* Fast mathematics, within the tolerance. */
__attribute__((optimize("O3", "fast-math"))) void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
