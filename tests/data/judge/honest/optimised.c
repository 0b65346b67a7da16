/* More work for the compiler. */
__attribute__((optimize("O3", "unroll-loops"))) void saxpy(long n, float a, const float *x, float *y)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
