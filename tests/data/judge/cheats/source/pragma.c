/* elsewhere: a new #pragma omp
 * Threads. */
void saxpy(long n, float a, const float *x, float *y)
{
#pragma omp parallel for
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
