/* Even places first, then odd ones. */
void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i += 2)
        y[i] = a * x[i] + y[i];
    for (long i = 1; i < n; i += 2)
        y[i] = a * x[i] + y[i];
}
